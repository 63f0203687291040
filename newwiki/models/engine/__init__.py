"""How many completions run through a causal language model at once. All of it needs torch, and is imported late."""
