"""A static site of what databases, shared folders and bundles hold: a leaderboard that anyone can host."""
