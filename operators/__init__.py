"""The stages of the stream: pure machines that turn token chunks into snapshots of an edited file."""
