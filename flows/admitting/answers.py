"""Check the answers of chat models from other people: the thinking, missing answers, and the prose that is scored."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from newwiki.errors import TerminalError
from newwiki.records import Run
from newwiki.snapshot import language_code
from newwiki.text.answers import CLEANING, prose_of_answer
from newwiki.text.language import Language, load_language
from newwiki.visible import in_message

Row = Mapping[str, Any]


def require_answers(run: Run, completions: Sequence[Row], snapshot: Row) -> None:
    """Raise ValueError for a completion whose answer contradicts itself, or whose prose is not that of its answer."""
    versions = json.loads(run.versions)
    may_lack = versions.get("chat") == "yes" or run.backend == "file"
    rules = _rules(versions.get("cleaning"), snapshot)
    for completion in completions:
        where = f"page {completion['page_id']}, sample {completion['sample']}"
        _require_thinking(run, completion, where)
        if completion["no_answer"] is not None and (completion["text"] or not may_lack):
            raise ValueError(f"{where} cannot be without an answer ({in_message(completion['no_answer'])})")
        prose = None if rules is None else prose_of_answer(completion["text"], rules)
        if completion["prose"] != prose:
            raise ValueError(f"{where}: the prose that is scored is not that of its text")


def _rules(cleaning: str | None, snapshot: Row) -> Language | None:
    if cleaning is None:
        return None
    if cleaning != CLEANING:
        raise ValueError(f"its answers are cleaned by a rule that is unknown here ({in_message(cleaning)})")
    try:
        return load_language(language_code(snapshot["language"], snapshot["wiki"]))
    except TerminalError as error:
        raise ValueError(str(error)) from None


def _require_thinking(run: Run, completion: Row, where: str) -> None:
    thinking, tokens, ids = (completion[name] for name in ("thinking", "thinking_tokens", "thinking_ids"))
    is_ours = run.numerics is not None
    if (
        (tokens or 0) < 0
        or (thinking is None and tokens is not None)
        or (is_ours and thinking is not None and tokens is None)
        or (ids is not None and (not is_ours or (thinking is not None and len(ids) != tokens)))
    ):
        raise ValueError(f"{where} has {tokens} tokens of thinking, which cannot be")
