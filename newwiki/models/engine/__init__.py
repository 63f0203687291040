"""Run many completions through a causal language model at once. Everything here needs torch and is imported late."""
