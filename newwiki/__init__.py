"""New-Wiki Eval: evaluates language models on the Wikipedia articles that have just been written."""

from newwiki.registry import evaluator

__all__ = ["evaluator"]
