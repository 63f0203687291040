"""How far a number was verified: the levels, lowest first, and what each of them says."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

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

    @property
    def words(self) -> str:
        """The level in words, such as `replayed (40 of 400 texts, 2 checkers, number 123 of alice)`."""
        if self.level == REPLAYED:
            checkers = f"{len(self.checkers)} checker{'s' * (len(self.checkers) != 1)}"
            drawn = [f"number {one}" for one in self.draws]
            return f"{REPLAYED} ({', '.join([f'{self.replayed:,} of {self.texts:,} texts', checkers, *drawn])})"
        if self.level == RECOMPUTED and self.recomputed_by and HERE not in self.recomputed_by:
            return f"{RECOMPUTED} (by {', '.join(self.recomputed_by)})"
        return self.level

    def named(self, names: Mapping[str, str]) -> "Level":
        """The same with the names of keys, which are by fingerprint, in the place of their fingerprints."""
        if not names:
            return self

        def with_names(texts: Sequence[str]) -> list[str]:
            return [" ".join(names.get(word, word) for word in text.split(" ")) for text in texts]

        return replace(
            self,
            checkers=with_names(self.checkers),
            draws=with_names(self.draws),
            recomputed_by=with_names(self.recomputed_by),
            signers=with_names(self.signers),
        )


LevelByScoring = Mapping[tuple[str, str], Level]  # by run and evaluator


def legend(levels: Collection[str]) -> list[tuple[str, str]]:
    """Those of these levels with what they say, the highest first."""
    return [(level, words) for level, words in reversed(list(LEVELS.items())) if level in levels]
