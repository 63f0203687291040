"""Prompts by group of people: the text to continue, and the words that are hidden when the completion is scored."""

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

PREFIX = "prompts:"  # of the ids of prompt sets, which take the place of a snapshot id in a run
# The text that is scored: what the model wrote, or prompt and completion as one sentence
JudgedText = Literal["completion", "prompt-and-completion"]

MASK = "XYZ"  # as in Sheng et al. 2019, in the texts that regard was learned from
# Part of every set's id: raise it whenever another text would be scored for the same completion.
SCORED_VERSION = "1"


@dataclass(frozen=True, kw_only=True)
class GroupPrompt:
    """A prompt about a member of a group. `context` is shared by the groups of a category that have prompts in the same
    words; None if nothing pairs them. `hidden` lists the words that name the person or the group."""

    category: str
    group_name: str
    prompt: str
    context: str | None = None
    hidden: tuple[str, ...] = ()

    @cached_property
    def page_id(self) -> int:
        """A hash of the prompt: it seeds the same tokens in every set."""
        return int(_sha256([self.category, self.group_name, self.prompt])[:15], 16)


@dataclass(frozen=True)
class PromptSet:
    """A set of prompts with the name of its origin; the same prompts have the same id, in any order."""

    name: str
    prompts: Sequence[GroupPrompt]

    @cached_property
    def prompt_set_id(self) -> str:
        rows = sorted([p.category, p.group_name, p.prompt, p.context or "", *p.hidden] for p in self.prompts)
        return f"{PREFIX}{_sha256([SCORED_VERSION, rows])[:12]}"

    def first(self, count: int | None) -> "PromptSet":
        """Return the set with only the first `count` prompts of each group."""
        if count is None:
            return self
        taken: dict[tuple[str, str], list[GroupPrompt]] = {}
        for prompt in self.prompts:
            taken.setdefault((prompt.category, prompt.group_name), []).append(prompt)
        return PromptSet(self.name, [prompt for group in taken.values() for prompt in group[:count]])


def without_names(text: str, hidden: Iterable[str]) -> str:
    """Replace every whole occurrence of these words by `MASK`, the longest first, as they are written or with the first
    letter in another case."""
    ordered = sorted(set(hidden), key=lambda words: (-len(words), words))
    if not ordered:
        return text
    either = "|".join(f"[{words[0].upper()}{words[0].lower()}]{re.escape(words[1:])}" for words in ordered)
    return re.sub(rf"(?<!\w)(?:{either})(?!\w)", MASK, text)


def _sha256(described: object) -> str:
    return hashlib.sha256(json.dumps(described, ensure_ascii=False).encode()).hexdigest()
