"""The records of claim support: claims, evidence and verdicts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Label = Literal["supported", "refuted", "not enough info"]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A sentence of a text as it is checked. `sentence` is its number in the text, from 0, and `start` to `end` are its
    characters. `text` is the claim itself, in which the subject is named if the sentence only refers to it. A claim
    that is not `checkable`, such as an overlong sentence, gets no evidence."""

    sentence: int
    start: int
    end: int
    text: str
    checkable: bool = True


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A sentence that may bear on a claim: the title of its page, and its number in the page, from 0."""

    title: str
    sentence: int
    text: str


class Evidence(Protocol):
    """A source of passages. All fields enter the fingerprint of every score that uses it."""

    parameters: Mapping[str, object]
    packages: tuple[str, ...]

    def passages(self, claims: Sequence[str], title: str) -> list[list[Passage]]:
        """Return for each claim of a text about `title` the relevant passages, the likeliest first; possibly none."""
        ...


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on a claim: the label, the scorer's shares of the three labels for the decisive passage, and that
    passage, which was `cut` if it did not fit into the scorer's window. Without a passage the label is `not enough
    info`, and there are no shares."""

    claim: Claim
    label: Label
    supported: float | None = None
    refuted: float | None = None
    not_enough_info: float | None = None
    passage: Passage | None = None
    cut: bool = False
