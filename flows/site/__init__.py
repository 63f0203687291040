"""A static site with the contents of databases, shared folders and bundles: a leaderboard that anyone can host."""
