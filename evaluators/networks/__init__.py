"""The networks behind scorers, and how they are trained. All modules need torch, so they are imported on use."""
