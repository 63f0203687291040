"""What is read of a run: of each text the support of its first sentences, and its different 4-grams."""

from collections.abc import Mapping
from dataclasses import dataclass
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
    """A sentence of a text with its verdict, or a text that has none."""

    page_id: int
    sample: int
    label: Label | None
    evidence_title: str | None
    evidence_sentence: int | None


@dataclass(frozen=True)
class Texts:
    """Those of one model under one decoder, or the articles: the `support` of those that were checked, of all the
    different 4-grams and the words."""

    model: str
    decoder: str
    support: Mapping[Key, Support]
    four_grams: Mapping[Key, int]
    words: Mapping[Key, int]


def of_run(database: Database, run_id: str, who: tuple[str, str], metric: str, evaluator_id: str) -> Texts:
    """The kept texts of a run, checked by this evaluator."""
    pages = [page_id for page_id, _ in runs.kept_completions(database, run_id)]
    written = runs.kept_texts(database, run_id, min(pages), max(pages)) if pages else {}
    return _texts(who, supports(database, run_id, metric, evaluator_id), written)


def of_articles(
    database: Database, snapshot_id: str, articles: Mapping[int, Article], metric: str, evaluator_id: str
) -> Texts:
    """The articles themselves, without their first sentences."""
    found = supports(database, f"reference:{snapshot_id}", metric, evaluator_id)
    written = {(page_id, 0): article.completion for page_id, article in articles.items()}
    return _texts(("Wikipedia", "reference"), {key: one for key, one in found.items() if key in written}, written)


def supports(database: Database, run_id: str, metric: str, evaluator_id: str) -> dict[Key, Support]:
    """By text, of those that the evaluator has checked; `metric` is one of its metrics."""
    rows = database.records(CheckedRow, "checked_sentences", run_id, metric, evaluator_id, SENTENCES)
    return {
        key: support([_checked(one.label, one) for one in of_text if one.label])
        for key, of_text in groupby(rows, lambda one: (one.page_id, one.sample))
    }


def _checked(label: Label, row: CheckedRow) -> CheckedSentence:
    if row.evidence_title is None or row.evidence_sentence is None:
        return CheckedSentence(label=label, evidence=None)
    return CheckedSentence(label=label, evidence=(row.evidence_title, row.evidence_sentence))


def _texts(who: tuple[str, str], checked: Mapping[Key, Support], written: Mapping[Key, str]) -> Texts:
    words = {key: split_words(text) for key, text in written.items()}
    return Texts(
        *who,
        checked,
        {key: distinct_four_grams(of_text) for key, of_text in words.items()},
        {key: len(of_text) for key, of_text in words.items()},
    )
