"""Write what the metrics see on a snapshot into a page, from the newest answer of `newwiki experiment metrics`.

    python benchmarks/metric_sight.py --db DATABASE --snapshot ID --into docs/metrics.md

The first table has the core metrics. Its cells are the percentage of articles on which the metric prefers the better
text; bold ones are seen. A metric of style has only the percentage of articles with a higher number than another
article. The second table has the means of the metrics that compare what a text adds to its prompt.
"""

import argparse
from pathlib import Path

from page_tables import table, written_into

from flows.experiments.metrics.ladder import ARTICLE, FIRST_SENTENCE, OTHER, REPEATED, RUNGS
from flows.experiments.metrics.result_tables import MetricPair, MetricRung, MetricSight
from flows.experiments.metrics.sight import CONTENT, SIGHTS, shown_share
from flows.experiments.metrics.words import SHORT
from flows.pieces import metrics
from flows.presenting.numbers import NONE, hundredths
from storage import experiments
from storage.database import Database

_ADDED = (
    "prompt_copied", "sbert", "sbert_new", "entity_overlap", "entity_recall_new", "entity_precision_new",
    "entity_overlap_people", "entity_overlap_places", "entity_overlap_organizations", "entity_overlap_dates",
    "entity_overlap_numbers",
)  # fmt: skip
_TEXTS = (ARTICLE, REPEATED, FIRST_SENTENCE, OTHER)


def newest_answer(database: Database, snapshot_id: str) -> str:
    """Return the id of the newest answer on the snapshot. Raises ValueError if there is none."""
    answers = [answer for answer in experiments.on_snapshot(database, snapshot_id) if answer.name == "metrics"]
    if not answers:
        raise ValueError(f"{snapshot_id} has no answer of `newwiki experiment metrics`")
    return max(answers, key=lambda answer: answer.made_at).experiment_id


def sight_table(database: Database, answer: str) -> str:
    """Return the table of what the core metrics see."""
    core = {metric.name for metric, _ in metrics("core")}
    pairs = experiments.rows(database, MetricPair, answer)
    rows = []
    for sight in experiments.rows(database, MetricSight, answer):
        if sight.metric not in core:
            continue
        row = {(pair.text, pair.beside): pair for pair in pairs if pair.metric == sight.metric}
        is_style = sight.direction == "none"
        shares = {name: None if is_style and name != CONTENT else shown_share(name, row) for name in SIGHTS}
        cells = [NONE if share is None else hundredths(share, 0) for share in shares.values()]
        seen = [f"**{cell}**" if name in sight.sees else cell for name, cell in zip(SIGHTS, cells, strict=True)]
        prefers = ", ".join(SHORT[name] for name in sight.prefers) or NONE
        name = f"`{sight.metric}`" + (" (style)" if is_style else "")
        rows.append([name, *seen, sight.length if sight.length != "cannot tell" else NONE, prefers])
    return table(["metric", *SIGHTS, "with length", "prefers to a half-true text"], rows)


def means_table(database: Database, answer: str) -> str:
    """Return the table of means. Raises KeyError if the answer lacks one of the metrics."""
    means = {(rung.metric, rung.text): rung.mean for rung in experiments.rows(database, MetricRung, answer)}
    cells = [[means[metric, text] for text in _TEXTS] for metric in _ADDED]
    rows = [
        [f"`{metric}`", *["NULL" if mean is None else f"{mean:.3f}" for mean in row]]
        for metric, row in zip(_ADDED, cells, strict=True)
    ]
    return table(["metric", *[RUNGS[text] for text in _TEXTS]], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--db", type=Path, required=True, metavar="DATABASE", help="Database that has the answer.")
    parser.add_argument("--snapshot", required=True, metavar="ID", help="Snapshot of the answer.")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Page to write the table into.")
    asked = parser.parse_args()
    stored = Database(asked.db)
    newest = newest_answer(stored, asked.snapshot)
    made = {"core": sight_table(stored, newest), "added": means_table(stored, newest)}
    print(*made.values(), sep="\n\n")
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "sight", made), "utf-8")
