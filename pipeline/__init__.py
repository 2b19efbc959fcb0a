"""Turn a model's stream of edit tokens into new file content, while it runs."""
