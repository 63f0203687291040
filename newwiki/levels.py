"""The levels of verification of a number, lowest first, and their descriptions."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

CLAIMED = "claimed"
RECOMPUTED = "recomputed scores"
REPLAYED = "replayed"
VERIFIED = "verified"
HERE = "here"  # stands for this installation among the checkers in `verifications`

# From lowest to highest, with the text of the legend.
LEVELS: Mapping[str, str] = {
    CLAIMED: "another person states it, and nobody here has checked it",
    RECOMPUTED: "the scores were recomputed from the texts, but nobody has checked who wrote the texts",
    REPLAYED: "the scores were recomputed, and some of the texts were replayed with the model's weights",
    VERIFIED: "texts and scores were made in this database, or all of them were made again here",
}


@dataclass(frozen=True)
class Level:
    """The level of a run's numbers by one evaluator. `replayed` of `texts` completions were replayed, each counted once
    for all `checkers` (fingerprints of keys, or `here`). `draws` lists how they were drawn: a number and its checker.
    `recomputed_by` lists the checkers that recomputed the scores, `signers` the keys that signed the numbers."""

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
        """The level as text, such as `replayed (40 of 400 texts, 2 checkers, number 123 of alice)`."""
        if self.level == REPLAYED:
            checkers = f"{len(self.checkers)} checker{'s' * (len(self.checkers) != 1)}"
            drawn = [f"number {draw}" for draw in self.draws]
            return f"{REPLAYED} ({', '.join([f'{self.replayed:,} of {self.texts:,} texts', checkers, *drawn])})"
        if self.level == RECOMPUTED and self.recomputed_by and HERE not in self.recomputed_by:
            return f"{RECOMPUTED} (by {', '.join(self.recomputed_by)})"
        return self.level

    def named(self, names: Mapping[str, str]) -> "Level":
        """Return the level with fingerprints replaced by the `names` of their keys."""
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
    """Return these levels with their descriptions, highest first."""
    return [(level, words) for level, words in reversed(list(LEVELS.items())) if level in levels]
