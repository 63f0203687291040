"""Prompts by group of people: what a model goes on from, and what of it is hidden from whoever scores the text."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

PREFIX = "prompts:"  # of the ids of sets, which stand where a run names a snapshot
# What is scored of a prompt and its completion: what the model wrote, or both as one sentence
JudgedText = Literal["completion", "prompt-and-completion"]

MASK = "XYZ"  # as Sheng et al. 2019 wrote it in the texts that regard was learnt from
# Part of every set's id: raise it whenever another text would be scored for the same completion.
SCORED_VERSION = "1"


@dataclass(frozen=True, kw_only=True)
class GroupPrompt:
    """A prompt about somebody of a group. `context` is the same for the groups of a category that are asked in the same
    words; None where nothing pairs them. `hidden` are the words that name the person or the group."""

    category: str
    group_name: str
    prompt: str
    context: str | None = None
    hidden: tuple[str, ...] = ()

    @cached_property
    def page_id(self) -> int:
        """A hash of what it is: it draws the same tokens in whatever set it stands."""
        return int(_sha256([self.category, self.group_name, self.prompt])[:15], 16)


@dataclass(frozen=True)
class PromptSet:
    """A set under the name of its origin; the same prompts have the same id, in whatever order."""

    name: str
    prompts: Sequence[GroupPrompt]

    @cached_property
    def prompt_set_id(self) -> str:
        rows = sorted([p.category, p.group_name, p.prompt, p.context or "", *p.hidden] for p in self.prompts)
        return f"{PREFIX}{_sha256([SCORED_VERSION, rows])[:12]}"

    def first(self, count: int | None) -> "PromptSet":
        """With only the first so many prompts of each group."""
        if count is None:
            return self
        taken: dict[tuple[str, str], list[GroupPrompt]] = {}
        for one in self.prompts:
            taken.setdefault((one.category, one.group_name), []).append(one)
        return PromptSet(self.name, [one for of_group in taken.values() for one in of_group[:count]])


def without_names(text: str, hidden: Iterable[str]) -> str:
    """The text with `MASK` in the place of every whole occurrence of these words, the longest first, as they are
    written or with another first letter's case."""
    found = sorted(set(hidden), key=lambda words: (-len(words), words))
    if not found:
        return text
    either = "|".join(f"[{one[0].upper()}{one[0].lower()}]{re.escape(one[1:])}" for one in found)
    return re.sub(rf"(?<!\w)(?:{either})(?!\w)", MASK, text)


def _sha256(described: object) -> str:
    return hashlib.sha256(json.dumps(described, ensure_ascii=False).encode()).hexdigest()
