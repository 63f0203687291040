"""Read for each text of a run the support of its first sentences, and its different 4-grams."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from evaluators.claims.claim import Label
from evaluators.claims.verifiability import SENTENCES, CheckedSentence, Support, support
from evaluators.corpus import split_words
from evaluators.sets.fourgrams import distinct_four_grams
from newwiki.snapshot import Article
from storage import runs
from storage.database import Database

Key = tuple[int, int]  # page id and sample


@dataclass(frozen=True)
class CheckedRow:
    """A sentence of a text with its verdict, or a text without sentences."""

    page_id: int
    sample: int
    label: Label | None
    evidence_title: str | None
    evidence_sentence: int | None
    start_char: int | None
    end_char: int | None


@dataclass(frozen=True)
class SentencePlace:
    """A checked sentence of a text: its start and end, and whether it is the first with its label and evidence."""

    start_char: int
    end_char: int
    label: Label
    new: bool

    @property
    def verified(self) -> bool:
        return self.label != "not enough info"


@dataclass(frozen=True)
class Texts:
    """The texts of one model under one decoder, or the articles.

    `support` covers the texts that were checked. The different 4-grams and the words cover all texts. `sentences` are
    the checked sentences.
    """

    model: str
    decoder: str
    support: Mapping[Key, Support]
    four_grams: Mapping[Key, int]
    words: Mapping[Key, int]
    sentences: Mapping[Key, Sequence[SentencePlace]] = field(default_factory=dict)


def of_run(database: Database, run_id: str, who: tuple[str, str], metric: str, evaluator_id: str) -> Texts:
    """Return the kept texts of a run, checked by this evaluator."""
    pages = [page_id for page_id, _ in runs.kept_completions(database, run_id)]
    written = runs.kept_texts(database, run_id, min(pages), max(pages)) if pages else {}
    return _texts(who, _checked_texts(database, run_id, metric, evaluator_id), written)


def of_articles(
    database: Database, snapshot_id: str, articles: Mapping[int, Article], metric: str, evaluator_id: str
) -> Texts:
    """Return the articles themselves, without their first sentences."""
    checked = _checked_texts(database, f"reference:{snapshot_id}", metric, evaluator_id)
    written = {(page_id, 0): article.completion for page_id, article in articles.items()}
    return _texts(
        ("Wikipedia", "reference"),
        {key: checked_text for key, checked_text in checked.items() if key in written},
        written,
    )


def _checked_texts(
    database: Database, run_id: str, metric: str, evaluator_id: str
) -> dict[Key, tuple[Support, list[SentencePlace]]]:
    """Return the texts that the evaluator has checked; `metric` is one of the evaluator's metrics."""
    rows = database.records(CheckedRow, "checked_sentences", run_id, metric, evaluator_id, SENTENCES)
    return {
        key: _checked_text([row for row in text_rows if row.label])
        for key, text_rows in groupby(rows, lambda row: (row.page_id, row.sample))
    }


def _checked_text(rows: Sequence[CheckedRow]) -> tuple[Support, list[SentencePlace]]:
    checked = [_checked(row) for row in rows]
    places = [
        SentencePlace(
            row.start_char or 0,
            row.end_char or 0,
            sentence.label,
            new=sentence.label == "not enough info" or sentence not in checked[:place],
        )
        for place, (row, sentence) in enumerate(zip(rows, checked, strict=True))
    ]
    return support(checked), places


def _checked(row: CheckedRow) -> CheckedSentence:
    assert row.label
    if row.evidence_title is None or row.evidence_sentence is None:
        return CheckedSentence(label=row.label, evidence=None)
    return CheckedSentence(label=row.label, evidence=(row.evidence_title, row.evidence_sentence))


def _texts(
    who: tuple[str, str],
    checked: Mapping[Key, tuple[Support, Sequence[SentencePlace]]],
    written: Mapping[Key, str],
) -> Texts:
    words = {key: split_words(text) for key, text in written.items()}
    return Texts(
        *who,
        {key: text_support for key, (text_support, _) in checked.items()},
        {key: distinct_four_grams(text_words) for key, text_words in words.items()},
        {key: len(text_words) for key, text_words in words.items()},
        {key: places for key, (_, places) in checked.items()},
    )
