"""Clean the completions of a run: turn answers with markup into the prose that is scored."""

import json
from collections.abc import Sequence
from dataclasses import replace

from newwiki.records import Completion, Run
from newwiki.request import EvaluationRequest
from newwiki.text.answers import CLEANING, prose_of_answer
from newwiki.text.language import load_language
from newwiki.text.words import split_words


def cleaning_of(request: EvaluationRequest, *, is_chat: bool) -> dict[str, str]:
    """Return the version of the rule that cleans the completions, as a setting; nothing if they are scored as
    written."""
    is_cleaned = request.cleaning == "prose" or (request.cleaning == "auto" and is_chat)
    return {"cleaning": CLEANING} if is_cleaned else {}


def cleaned(completions: Sequence[Completion], run: Run, language: str) -> Sequence[Completion]:
    """Return the completions of a run with the prose that is scored, if the run cleans them."""
    if "cleaning" not in json.loads(run.versions):
        return completions
    rules = load_language(language)
    texts = [prose_of_answer(completion.text, rules) for completion in completions]
    return [
        replace(completion, prose=text, words=len(split_words(text)))
        for completion, text in zip(completions, texts, strict=True)
    ]
