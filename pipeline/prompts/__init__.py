"""What the model is told: instructions and tool schemas for each format."""
