"""Measure how good the toy pair scorer is, on unseen pairs and on contradictions planted in articles.

The pairs are those of a month that it has not read. The contradictions are planted in that month's articles and checked
as claims are. `--into PAGE` writes the tables into a page.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.page_tables import table, written_into
from evaluators.claims.calibration import Calibration, calibration
from evaluators.claims.checking import by_article
from evaluators.claims.pair_classifier import PairClassifier, load_pair_classifier
from evaluators.claims.pair_scorer import read_pair_scorer
from flows.demonstration import TEST_MONTH, sentences, train_toy_scorer, wiki
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from newwiki.registry import sources
from newwiki.sample import toy_nli
from newwiki.snapshot import Article, Window
from storage import snapshots
from storage.database import Database


@dataclass(frozen=True)
class Planted:
    """The numbers of sentences with a swapped fact and of true sentences, and how many of each are refuted."""

    swapped: int
    swapped_refuted: int
    true: int
    true_refuted: int


def classifier(folder: Path) -> PairClassifier:
    return load_pair_classifier(read_pair_scorer(str(folder / toy_nli.SCORER_FILE)))


def held_out(judge: PairClassifier, articles: Sequence[Article]) -> Calibration:
    """Calibrate the judge on pairs like those of its training, from articles that it has not read."""
    asked = toy_nli.pairs([sentences(one) for one in articles], seed=1)
    found = judge.shares([(one.evidence, one.claim) for one in asked])
    shares = [(one.supported, one.refuted, one.not_enough_info) for one in found]
    return calibration(shares, [toy_nli.LABELS.index(one.label) for one in asked])


def planted(judge: PairClassifier, articles: Sequence[Article]) -> Planted:
    """Check articles in which every other sentence contradicts the article, as texts are checked."""
    checker = by_article("claims_article", judge)
    counts = {True: [0, 0], False: [0, 0]}
    for article, (text, swapped) in zip(articles, _with_contradictions(articles), strict=True):
        [verdicts] = checker.make_beside([article], [text], {"claims_article"})["claims_article"]
        for verdict in verdicts:
            of_kind = counts[swapped[text.count("\n", 0, verdict["start_char"])]]
            of_kind[0] += 1
            of_kind[1] += verdict["label"] == "refuted"
    return Planted(*counts[True], *counts[False])


def _with_contradictions(articles: Sequence[Article]) -> list[tuple[str, list[bool]]]:
    """Return for each article a text with one sentence per line, and which of its sentences have a swapped fact."""
    chosen = random.Random(0)
    read = [sentences(article) for article in articles]
    known = toy_nli.pools(read)
    made = []
    for of_article in read:
        told = [
            toy_nli.with_swapped_fact(one.claim, one.claim, known, chosen) if place % 2 else None
            for place, one in enumerate(of_article)
        ]
        lines = [swapped or one.claim for swapped, one in zip(told, of_article, strict=True)]
        made.append(("\n".join(lines), [swapped is not None for swapped in told]))
    return made


def tables(found: Calibration, contradictions: Planted) -> str:
    rows = [
        [f"{one.low:.1f} to {one.high:.1f}", str(one.pairs), f"{one.confidence:.3f}", f"{one.accuracy:.3f}"]
        for one in found.bins
    ]
    reliability = table(["largest share", "pairs", "its mean", "right"], rows)
    return (
        f"{reliability}\n\nOf {found.pairs:,} pairs {found.accuracy:.1%} are right; ECE {found.error:.3f}.\n\n"
        "Of contradictions that are planted in the articles, looked for beside the article like any claim, "
        f"{contradictions.swapped_refuted} of {contradictions.swapped} are refuted, and of the sentences that are left "
        f"as they were {contradictions.true_refuted} of {contradictions.true}."
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Whether the toy pair scorer can be believed.")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the tables into it.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        database, folder = Database(Path(place) / "sample.duckdb"), Path(place) / "toy-nli"
        began = time.perf_counter()
        train_toy_scorer(database, folder, Silent())
        print(f"trained in {time.perf_counter() - began:.0f} s", file=sys.stderr)
        month = SnapshotDefinition(Window.month(TEST_MONTH))
        newer = refresh(database, sources.get("dump")(str(wiki())), month, Silent())
        articles = snapshots.articles(database, newer.snapshot_id)
        judge = classifier(folder)
        made = tables(held_out(judge, articles), planted(judge, articles))
    print(made)
    if asked.into:
        page = written_into(asked.into.read_text("utf-8"), "toy nli", {"held out": made})
        asked.into.write_text(page, "utf-8")
