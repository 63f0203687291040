"""The first page, the list of models, and the description of the columns."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.comparing.board import Column
from flows.pieces import span
from flows.presenting.page_tables import Cell, Row
from flows.site.contents import Contents, snapshot_file
from flows.site.front_sentences import best_sentence, seen_sentence
from flows.site.model_pages import model_file, signed_by
from flows.site.month_pages import headline_pictures, wiki_file
from flows.site.month_tables import Months
from flows.site.news import Entry
from flows.site.snapshot_pages import leaderboard_pages
from flows.site.snapshot_parts import SnapshotParts
from flows.site.trend_chart import Chart, Line
from flows.site.writing import DAY, MOMENT, REAL, TEXT, WHOLE, Writer, table_of
from newwiki.levels import CLAIMED
from newwiki.snapshot import Snapshot

_LISTED, _NEW = 150, 8  # models on a page, and entries on the first page
_SNAPSHOTS = {
    "snapshot_id": TEXT, "wiki": TEXT, "kind": TEXT, "language": TEXT, "licence": TEXT, "licence_url": TEXT,
    "window_start": MOMENT, "window_end": MOMENT, "cutoff": MOMENT, "candidates": WHOLE, "articles": WHOLE,
    "content_sha256": TEXT, "extractor_version": TEXT, "published_at": MOMENT, "runs": WHOLE, "models": WHOLE,
}  # fmt: skip
_MODELS = {
    "model": TEXT, "model_sha256": TEXT, "runs": WHOLE, "snapshots": WHOLE, "knowledge_cutoff": DAY, "signed_by": TEXT,
    "page": TEXT,
}  # fmt: skip
_METRICS = {
    "metric": TEXT, "scope": TEXT, "unit": TEXT, "minimum": REAL, "maximum": REAL, "direction": TEXT,
    "definition": TEXT, "source": TEXT, "pitfalls": TEXT,
}  # fmt: skip
_EVALUATORS = {
    "evaluator_id": TEXT, "name": TEXT, "version": TEXT, "model": TEXT, "model_sha256": TEXT, "dtype": TEXT,
    "backend": TEXT, "parameters": TEXT, "dependencies": TEXT,
}  # fmt: skip


@dataclass(frozen=True)
class Listed:
    """A snapshot in a list, with its numbers of runs and models, and the best run of its largest table.

    `by` is the metric that orders this table. The best run is omitted if the metric has no better direction. A number
    that another person claims is the best only if there is no other.
    """

    snapshot: Snapshot
    path: str
    runs: int
    models: int
    by: Column | None
    best: Row | None
    cell: Cell | None


@dataclass(frozen=True)
class Wiki:
    """A wiki in the overview.

    `path` is its page over the months, if it has runs in any month. `front` has the values of the newest leaderboard,
    and `sentences` say who is best on it and whether its models can have seen its articles. `picture` is the headline
    metric's picture, with its keys and scale.
    """

    name: str
    path: str
    months: Sequence[Listed]
    others: Sequence[Listed]
    front: Mapping[str, Any] | None
    sentences: Sequence[str]
    picture: tuple[tuple[Chart, Chart], Sequence[Line], str | None] | None


def write_overview(
    writer: Writer,
    contents: Contents,
    months: Months,
    parts: Mapping[str, SnapshotParts],
    news: Sequence[Entry],
) -> None:
    listed = [_listed(contents, parts[snapshot.snapshot_id]) for snapshot in contents.snapshots]
    wikis = []
    for name in contents.wikis:
        own = [entry for entry in listed if entry.snapshot.wiki == name]
        new = [entry for entry in own if entry.snapshot.kind == "new"]
        picture = headline_pictures(contents, months, name)
        scored = next(
            (parts[entry.snapshot.snapshot_id] for entry in new if parts[entry.snapshot.snapshot_id].tables), None
        )
        front = leaderboard_pages(contents, scored)[0] if scored else None
        sentences = [*filter(None, [best_sentence(scored), seen_sentence(scored)])] if scored else []
        others = [entry for entry in own if entry not in new]
        wikis.append(Wiki(name, wiki_file(name), new, others, front, sentences, picture))
    writer.files(
        "data/snapshots",
        table_of(_SNAPSHOTS, [vars(entry.snapshot) | {"runs": entry.runs, "models": entry.models} for entry in listed]),
    )
    writer.page("index.html", "overview.html", wikis=wikis, new=news[:_NEW])
    _write_models(writer, contents)
    _write_metrics(writer, contents)


def _listed(contents: Contents, parts: SnapshotParts) -> Listed:
    name = parts.snapshot.snapshot_id
    runs = contents.on(name)
    table = next(iter(parts.tables), None)
    best, cell = None, None
    if table and table.by:
        place = list(table.columns).index(table.by)
        scored = [row for row in table.rows if row.cells[place].mean is not None]
        best = next((row for row in scored if row.cells[place].level != CLAIMED), next(iter(scored), None))
        cell = best.cells[place] if best else None
    models = len({run.key for run in runs})
    return Listed(parts.snapshot, snapshot_file(name), len(runs), models, table.by if table else None, best, cell)


def _write_models(writer: Writer, contents: Contents) -> None:
    models = [(model, model_file(model), signed_by(contents, model.runs)) for model in contents.models.values()]
    rows = [
        {
            "model": model.key[0],
            "model_sha256": model.key[1],
            "runs": len(model.runs),
            "snapshots": len({run.snapshot_id for run in model.runs}),
            "knowledge_cutoff": model.cutoff,
            "signed_by": signed,
            "page": path,
        }
        for model, path, signed in models
    ]
    writer.files("data/models", table_of(_MODELS, rows))
    parts = [models[first : first + _LISTED] for first in range(0, max(1, len(models)), _LISTED)]
    addresses = ["models.html", *(f"models-{number}.html" for number in range(2, len(parts) + 1))]
    for number, part in enumerate(parts):
        writer.page(addresses[number], "models_page.html", models=part, addresses=addresses, number=number)


def _write_metrics(writer: Writer, contents: Contents) -> None:
    metrics = sorted(contents.metrics.values(), key=lambda metric: metric.name)
    evaluators = sorted(contents.evaluators.values(), key=lambda evaluator: (evaluator.name, evaluator.evaluator_id))
    rows = [vars(metric) | {"metric": metric.name} for metric in metrics]
    writer.files("data/metrics", table_of(_METRICS, rows))
    described: list[dict[str, Any]] = [
        vars(evaluator)
        | {
            "parameters": json.dumps(evaluator.parameters, sort_keys=True),
            "dependencies": json.dumps(evaluator.dependencies, sort_keys=True),
        }
        for evaluator in evaluators
    ]
    writer.files("data/evaluators", table_of(_EVALUATORS, described))
    writer.page("metrics.html", "metrics_page.html", metrics=metrics, evaluators=evaluators, span=span)
