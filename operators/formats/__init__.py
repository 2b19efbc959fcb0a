"""How a turn names files and edits: operators from a model's deltas to edits of single files."""
