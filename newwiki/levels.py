"""How far a number was verified: the levels, lowest first, and what each of them says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CLAIMED = "claimed"
RECOMPUTED = "recomputed scores"
REPLAYED = "replayed"
VERIFIED = "verified"
HERE = "here"  # the checker in `verifications` where this installation has checked

# The lowest first, with what a legend says.
LEVELS: Mapping[str, str] = {
    CLAIMED: "another person says so, and nobody here has checked it",
    RECOMPUTED: "the scores were computed again from the texts, and nobody has checked who wrote the texts",
    REPLAYED: "the scores were computed again, and some of the texts were replayed with the model's weights",
    VERIFIED: "texts and scores were made in this database, or all of them were made again here",
}


@dataclass(frozen=True)
class Level:
    """The level of a run's numbers by one evaluator. `replayed` of `texts` completions were replayed, each counted once
    for all `checkers` (fingerprints of keys, or `here`); `draws` are what they were drawn by: a number and its checker.
    `recomputed_by` are the checkers that computed the scores again, `signers` the keys that signed the numbers."""

    run_id: str
    evaluator_id: str
    level: str
    replayed: int
    texts: int
    checkers: Sequence[str]
    draws: Sequence[str]
    recomputed_by: Sequence[str]
    signers: Sequence[str]

    def words(self, names: Mapping[str, str] | None = None) -> str:
        """The level in words, such as `replayed (40 of 400 texts, 2 checkers, number 123 of alice)`; `names` are the
        names of keys by their fingerprints."""
        if self.level == REPLAYED:
            checkers = f"{len(self.checkers)} checker{'s' * (len(self.checkers) != 1)}"
            drawn = [f"number {_named(one, names or {})}" for one in self.draws]
            return f"{REPLAYED} ({', '.join([f'{self.replayed:,} of {self.texts:,} texts', checkers, *drawn])})"
        if self.level == RECOMPUTED and (others := [one for one in self.recomputed_by if one != HERE]):
            if HERE not in self.recomputed_by:
                return f"{RECOMPUTED} (by {', '.join(_named(one, names or {}) for one in others)})"
        return self.level


def legend(levels: Sequence[str]) -> list[tuple[str, str]]:
    """Those of these levels with what they say, the highest first."""
    return [(level, words) for level, words in reversed(LEVELS.items()) if level in levels]


def _named(text: str, names: Mapping[str, str]) -> str:
    """The text with the names of keys for their fingerprints."""
    for fingerprint, name in names.items():
        text = text.replace(fingerprint, name)
    return text
