"""How many completions run through a causal language model at once. Everything here needs torch, and is imported late."""
