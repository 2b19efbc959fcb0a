"""A model's turn: several files, several tool calls, one workspace, one answer."""
