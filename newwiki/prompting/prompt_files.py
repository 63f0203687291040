"""Read prompt sets from files: our templates, a CSV, BOLD's JSON, ROPrompt's lists of people and contexts."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from newwiki.csv_files import not_utf8, read_csv
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.foreign_files import read_regular_text
from newwiki.foreign_json import read_json
from newwiki.prompting.prompt_set import MASK, GroupPrompt, PromptSet

TEMPLATES = "templates"
_COLUMNS = ("group", "category", "prompt")
_FURTHER = ("context", "hide")
_BOLD_GROUPS = {"American_actors": "Man", "American_actresses": "Woman"}
_NO_NAMES = frozenset(
    {"de", "di", "da", "du", "la", "le", "van", "von", "der", "den", "of", "the", "and", "Jr.", "Sr."}
)


def read_prompts(paths: Sequence[Path]) -> PromptSet:
    """Combine the prompts of these files; without files, use our templates. Raises UsageError with line and remedy."""
    if not paths:
        return PromptSet(TEMPLATES, list(_crossed(_templates()["contexts"], _people())))
    texts = {path: "" if path.suffix == ".csv" else read_text(path) for path in paths}
    contexts = [line for path, text in texts.items() if _is_contexts(path, text) for line in _lines(text)]
    prompts: list[GroupPrompt] = []
    for path, text in texts.items():
        if path.suffix == ".json":
            prompts += _bold(path, text)
        elif path.suffix == ".csv":
            prompts += _csv(path)
        elif path.suffix != ".txt":
            raise UsageError(f"'{path}' is not a prompt file; pass a .csv, BOLD's .json or ROPrompt's .txt")
        elif not _is_contexts(path, text):
            prompts += _crossed(
                [_begun(line) for line in contexts] or _templates()["contexts"], _demographics(path, text)
            )
    return PromptSet(", ".join(path.name for path in paths), _checked(prompts, paths))


def _checked(prompts: Sequence[GroupPrompt], paths: Sequence[Path]) -> list[GroupPrompt]:
    named = ", ".join(map(str, paths))
    if not prompts:
        raise UsageError(f"'{named}' holds no prompts; a CSV needs one line per prompt: group,category,prompt")
    once = list({(prompt.category, prompt.group_name, prompt.prompt): prompt for prompt in prompts}.values())
    groups: dict[str, set[str]] = {}
    for prompt in once:
        groups.setdefault(prompt.category, set()).add(prompt.group_name)
    if alone := [category for category, names in groups.items() if len(names) < 2]:
        raise UsageError(f"'{named}': the category '{alone[0]}' has only one group; add another one to compare it with")
    return once


def _csv(path: Path) -> Iterator[GroupPrompt]:
    for row in read_csv(path, _COLUMNS, _FURTHER):
        if empty := [name for name in _COLUMNS if not row[name].strip()]:
            raise UsageError(f"{row.where}: {empty[0]} is empty; fill it, or remove the line")
        hidden = tuple(words.strip() for words in row.cells.get("hide", "").split("|") if words.strip())
        yield GroupPrompt(
            category=row["category"].strip(),
            group_name=row["group"].strip(),
            prompt=row["prompt"].strip(),
            context=row.cells.get("context", "").strip() or None,
            hidden=hidden,
        )


def _bold(path: Path, text: str) -> Iterator[GroupPrompt]:
    """Read BOLD's prompts/gender_prompt.json: groups, in each the names of people, for each the prompts."""
    try:
        read = read_json(text, f"'{path}'")
    except TerminalError as error:
        raise UsageError(f"{error}; use BOLD's prompts/gender_prompt.json unchanged") from None
    if not isinstance(read, dict) or not read.keys() <= _BOLD_GROUPS.keys():
        raise UsageError(
            f"'{path}' is not BOLD's gender domain, whose groups are {' and '.join(_BOLD_GROUPS)}; use its "
            "prompts/gender_prompt.json, or write a CSV with the columns group, category, prompt"
        )
    for group, people in read.items():
        for name, prompts in people.items() if isinstance(people, dict) else [(group, None)]:
            if not isinstance(prompts, list) or not all(isinstance(prompt, str) for prompt in prompts):
                raise UsageError(f"'{path}': {group}, '{name}' has no list of prompts; use BOLD's file unchanged")
            hidden = _parts_of(name)
            for prompt in filter(None, map(str.strip, prompts)):
                yield GroupPrompt(category="gender", group_name=_BOLD_GROUPS[group], prompt=prompt, hidden=hidden)


def _parts_of(name: str) -> tuple[str, ...]:
    """Split `Mary_Jane_Smith_(actress)` into the whole name, and each of its words that is not a particle."""
    whole = re.sub(r"\s*\(.*\)$", "", name.replace("_", " ")).strip()
    parts = [part for part in whole.split() if part not in _NO_NAMES and len(part.strip(".")) > 1]
    return tuple(dict.fromkeys(filter(None, (whole, *parts))))


def _demographics(path: Path, text: str) -> list[tuple[str, str, str]]:
    """Read ROPrompt's demographics.txt: one group of people per line, such as `The Black person`."""
    known = {who.lower(): (category, group, who) for category, group, who in _people()}
    people = []
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip() and line.strip().lower() not in known:
            nearest = did_you_mean(line.strip().lower(), known) or ""
            raise UsageError(
                f"'{path}', line {number}: '{line.strip()}' is not one of the known groups{nearest}; for other groups, "
                "write a CSV with the columns group, category, prompt"
            )
        if line.strip():
            people.append(known[line.strip().lower()])
    return people


def _is_contexts(path: Path, text: str) -> bool:
    """Tell whether the lines are sentence beginnings about nobody in particular, such as `XYZ worked as`."""
    lines = _lines(text)
    return path.suffix == ".txt" and bool(lines) and all(line.startswith(f"{MASK} ") for line in lines)


def _begun(line: str) -> str:
    return line.removeprefix(MASK).strip()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n") if line.strip()]


def _crossed(contexts: Sequence[str], people: Sequence[tuple[str, str, str]]) -> Iterator[GroupPrompt]:
    for category, group, who in people:
        for context in contexts:
            yield GroupPrompt(
                category=category, group_name=group, prompt=f"{who} {context}", context=context, hidden=(who,)
            )


def _people() -> list[tuple[str, str, str]]:
    categories = _templates()["categories"].items()
    return [(category, group, who) for category, groups in categories for group, who in groups.items()]


@cache
def _templates() -> dict[str, Any]:
    return tomllib.loads((files("newwiki.prompting") / "templates.toml").read_text("utf-8"))


def read_text(path: Path) -> str:
    """Read a text file with `\\n` as the only line end. Raises UsageError for a file that is missing or not UTF-8."""
    try:
        return read_regular_text(path, "utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read '{path}': {error.strerror}; name an existing file") from None
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None
