"""Read texts that were generated elsewhere from JSON lines.

A line is a JSON object with a `text` and what it was generated for: `page_id` or `title` of an article, or a `prompt`
with its own `reference`, which may also accompany an article; `sample` numbers the texts of one prompt.
lm-evaluation-harness's sample logs can be read unchanged: the text is the (filtered) response, page and title are taken
from the document, and prompt and target replace the line's own.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from newwiki.errors import TerminalError, UsageError
from newwiki.foreign_files import open_regular
from newwiki.foreign_json import read_json


@dataclass(frozen=True)
class Generation:
    """A text and what it was generated for: an article by id or title, a prompt, or both, and perhaps a reference."""

    line: int
    text: str
    page_id: int | None = None
    title: str | None = None
    prompt: str | None = None
    reference: str | None = None
    sample: int | None = None

    @property
    def names_an_article(self) -> bool:
        return self.page_id is not None or self.title is not None


def read_generations(file: Path) -> list[Generation]:
    """Read all texts of the file. Raises UsageError with the line, what is wrong with it, and what it needs."""
    if not file.is_file():
        raise UsageError(f"there is no file '{file}'")
    with TextIOWrapper(open_regular(file), "utf-8-sig") as lines:
        try:
            generations = [
                generation
                for number, line in enumerate(lines, 1)
                if line.strip()
                for generation in _texts(_object(line, number, file), number, file)
            ]
        except UnicodeDecodeError as error:
            raise UsageError(f"'{file}' is not UTF-8 text: {error.reason} at byte {error.start}") from None
    if not generations:
        raise UsageError(f"'{file}' has no texts")
    return generations


def _object(line: str, number: int, file: Path) -> Mapping[str, Any]:
    try:
        row = read_json(line, f"'{file}', line {number}", allow_nan=True)
    except TerminalError as error:
        raise UsageError(f"{error}; correct the line, or remove it") from None
    if not isinstance(row, dict):
        raise UsageError(f"'{file}', line {number}: not a JSON object; write one with text and page_id or title")
    return row


def _texts(row: Mapping[str, Any], number: int, file: Path) -> Iterator[Generation]:
    document = row["doc"] if isinstance(row.get("doc"), dict) else {}
    about = {name: row.get(name, document.get(name)) for name in ("page_id", "title", "prompt", "reference", "sample")}
    if "doc" in row:
        about["prompt"] = about["prompt"] or _harness_prompt(row)
        about["reference"] = about["reference"] or row.get("target")
    for name, kind in (("page_id", int), ("sample", int), ("title", str), ("prompt", str), ("reference", str)):
        value = about[name]
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise UsageError(f"'{file}', line {number}: {name} must be {_KINDS[kind]}, not {json.dumps(value)[:60]}")
        if isinstance(value, int) and not 0 <= value < _MOST:
            raise UsageError(f"'{file}', line {number}: {name} must be from 0 to {_MOST - 1}, not {value}")
    unnamed = about["page_id"] is None and about["title"] is None
    if unnamed and None in (about["prompt"], about["reference"]):
        raise UsageError(
            f"'{file}', line {number}: it is unknown what the text was generated for; add page_id or title, or "
            "prompt and reference"
        )
    texts = [row["text"]] if "text" in row else _harness_texts(row)
    if not texts or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"'{file}', line {number}: there is no text; put it under \"text\"")
    if len(texts) > 1:
        about["sample"] = None
    for text in texts:
        yield Generation(number, text, **about)


_MOST = 1 << 63  # the limit of the database's BIGINT
_KINDS = {int: "a whole number", str: "a text"}


def _harness_texts(row: Mapping[str, Any]) -> list[Any]:
    """Return the responses of a sample log: a single one, or one per repeat, possibly nested in a list."""
    responses = row.get("filtered_resps") or row.get("resps") or []
    while isinstance(responses, list) and len(responses) == 1 and isinstance(responses[0], list):
        responses = responses[0]
    return responses if isinstance(responses, list) else [responses]


def _harness_prompt(row: Mapping[str, Any]) -> Any:
    arguments = row.get("arguments")
    first = arguments.get("gen_args_0", {}).get("arg_0") if isinstance(arguments, dict) else None
    if first is None and isinstance(arguments, list) and arguments and isinstance(arguments[0], list):
        first = arguments[0][0] if arguments[0] else None
    return first
