"""Compare two runs on snapshots of two wikis on their common new subjects: articles about the same Wikidata item."""

from collections.abc import Mapping

import numpy as np

from newwiki.errors import TerminalError
from newwiki.registry import evaluators as registered
from newwiki.snapshot import Snapshot
from storage import comparison, snapshots
from storage.comparison import Array
from storage.database import Database
from storage.run_names import Contender


def are_of_two_wikis(database: Database, a: Contender, b: Contender) -> bool:
    """Return whether the runs are on two wikis. Texts from a file belong to no wiki."""
    return len({snapshot.wiki for snapshot in _snapshots(database, a, b)}) == 2


def comparable(
    database: Database, a: Contender, b: Contender, evaluators: Mapping[str, str]
) -> tuple[dict[str, str], list[str]]:
    """Return the metrics that mean the same in the languages of both wikis, each with its evaluator, and notes.

    Raises TerminalError if no metric is left.
    """
    first, second = (snapshot.language for snapshot in _snapshots(database, a, b))
    if first is not None and first == second:
        return dict(evaluators), []
    whose = {
        metric.name
        for evaluator in registered.all().values()
        if evaluator.across_languages
        for metric in evaluator.metrics
    }
    left_out = [metric for metric in evaluators if metric not in whose]
    chosen = {metric: evaluator_id for metric, evaluator_id in evaluators.items() if metric in whose}
    languages = f"{first or 'unknown'} and {second or 'unknown'}"
    reason = f"as they depend on the language ({languages}): {', '.join(left_out)}"
    if not chosen:
        raise TerminalError(
            f"nothing is left to compare {a.run_id} and {b.run_id} by, {reason}; score both by a model that reads both "
            f"languages: `newwiki score --missing --metrics {','.join(sorted(whose))} --embedder NAME`"
        )
    models = comparison.evaluator_models(database, list(chosen.values()))
    read = "; ".join(f"{metric} by {models[evaluator_id]}" for metric, evaluator_id in chosen.items())
    notes = [f"numbers mean the same in {languages} as far as the model reads both: {read}"]
    return chosen, [f"left out, {reason}", *notes] if left_out else notes


def paired_by_item(
    database: Database, a: Contender, b: Contender, evaluators: Mapping[str, str]
) -> tuple[Array, list[str]]:
    """Return the mean scores of each item (runs × metrics × items, NaN for missing scores), and a note on their number.

    Raises TerminalError in these cases:

    - The snapshots have no common item that is new in both.
    - The Wikidata items of a snapshot were not looked up.
    - The runs have no scores of the same item.
    """
    first, second = (_require_new_articles(database, snapshot) for snapshot in _snapshots(database, a, b))
    pages = comparison.shared_items(database, a.snapshot_id, b.snapshot_id)
    if not pages:
        raise TerminalError(
            f"{a.run_id} and {b.run_id} are on {a.snapshot_id} and {b.snapshot_id}, which have no article on the same "
            "item of Wikidata that was begun in the days of both; compare runs on snapshots of one month"
        )
    values = np.stack(
        [
            _page_values(
                comparison.page_means(database, [run.run_id], evaluators, with_reading=True),
                [pair[place] for pair in pages],
            )
            for place, run in enumerate((a, b))
        ]
    )
    both = int(np.isfinite(values[1] - values[0]).any(axis=0).sum())
    if not both:
        raise TerminalError(
            f"{a.run_id} and {b.run_id} have no number of the same item: {_items(len(pages))} new in both {first.wiki} "
            f"and {second.wiki}, of which {_written(values[0])} and {_written(values[1])} have texts with one; "
            "evaluate more prompts on both snapshots"
        )
    return values, [f"paired by item of Wikidata, of which {both} of {_items(len(pages))} new in both are in both runs"]


def _snapshots(database: Database, a: Contender, b: Contender) -> list[Snapshot]:
    return [snapshots.resolve(database, run.snapshot_id) for run in (a, b) if not run.snapshot_id.startswith("file:")]


def _require_new_articles(database: Database, snapshot: Snapshot) -> Snapshot:
    """Return the snapshot. Raises TerminalError unless its articles are new and their Wikidata items are known."""
    if snapshot.kind != "new":
        raise TerminalError(
            f"{snapshot.snapshot_id} is of the kind '{snapshot.kind}', and wikis are compared by what is new in both"
        )
    if not comparison.items_known(database, snapshot.snapshot_id):
        raise TerminalError(
            f"nobody has looked up which items of Wikidata the articles of {snapshot.snapshot_id} are on: "
            f"`newwiki snapshots topics {snapshot.snapshot_id}` does"
        )
    return snapshot


def _page_values(means: comparison.PageMeans, pages: list[int]) -> Array:
    """Return the means of these pages: metrics × pages, NaN for missing scores."""
    places = {page: place for place, page in enumerate(means.pages.tolist())}
    values = np.full((means.values.shape[1], len(pages)), np.nan)
    for column, page in enumerate(pages):
        if page in places:
            values[:, column] = means.values[0, :, places[page]]
    return values


def _written(values: Array) -> int:
    return int(np.isfinite(values).any(axis=0).sum())


def _items(number: int) -> str:
    return "1 item that is" if number == 1 else f"{number:,} items that are"
