"""What claim support is told in: a claim, what speaks to it, and the verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Label = Literal["supported", "refuted", "not enough info"]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence of a text as it is checked. `sentence` is its place among the text's sentences, from 0; it stands in
    the text from character `start` up to `end`; `text` is what is checked, which names what the sentence is about
    where that only points to it. What is not `checkable`, such as too long a sentence, is not asked for evidence."""

    sentence: int
    start: int
    end: int
    text: str
    checkable: bool = True


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A sentence that may speak to a claim: the title of its page, its place among the page's sentences, from 0."""

    title: str
    sentence: int
    text: str


class Evidence(Protocol):
    """Where passages are looked for. All but those enters the fingerprint of every score that rests on them."""

    parameters: Mapping[str, object]
    packages: tuple[str, ...]

    def passages(self, claims: Sequence[str], title: str) -> list[list[Passage]]:
        """For each claim of a text about `title` what may speak to it, the likeliest first; none where nothing does."""
        ...


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What became of a claim: the label, the scorer's shares of the three labels for the passage that decided, and that
    passage, which was `cut` where not all of it fitted into the scorer's window. Without a passage the label is
    `not enough info`, and there are no shares."""

    claim: Claim
    label: Label
    supported: float | None = None
    refuted: float | None = None
    not_enough_info: float | None = None
    passage: Passage | None = None
    cut: bool = False
