"""Read a stored answer once for its tables and figures."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

from flows.experiments.corpora.result_tables import CorpusFacts, CorpusPhrase, CorpusResponses
from storage import experiments
from storage.database import Database


@dataclass(frozen=True)
class Found:
    corpora: list[CorpusFacts]
    responses: list[CorpusResponses]
    phrases: list[CorpusPhrase]

    @classmethod
    def read(cls, database: Database, experiment_id: str) -> Self:
        return cls(
            experiments.rows(database, CorpusFacts, experiment_id),
            experiments.rows(database, CorpusResponses, experiment_id),
            experiments.rows(database, CorpusPhrase, experiment_id),
        )

    @cached_property
    def names(self) -> list[str]:
        return [corpus.corpus for corpus in self.corpora]

    @cached_property
    def common(self) -> dict[str, dict[str, CorpusPhrase]]:
        """The common phrases by phrase and corpus, in descending order of their mean share over corpora."""
        by_phrase: dict[str, dict[str, CorpusPhrase]] = {}
        for phrase in self.phrases:
            if phrase.kind == "common":
                by_phrase.setdefault(phrase.phrase, {})[phrase.corpus] = phrase
        order = sorted(by_phrase, key=lambda phrase: (-sum(row.share for row in by_phrase[phrase].values()), phrase))
        return {phrase: by_phrase[phrase] for phrase in order}

    def unique(self, corpus: str) -> list[CorpusPhrase]:
        """Return the unique phrases of a corpus, the most frequent first."""
        return [phrase for phrase in self.phrases if (phrase.corpus, phrase.kind) == (corpus, "unique")]
