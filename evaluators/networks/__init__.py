"""The networks behind scorers, and how they are fitted. All of it needs torch, so it is imported when it is used."""
