"""Test the statements in the New-Wiki Eval paper's prose about its figures and tables.

The experiments test them on the runs of the paper's tables, and on the runs of its grid.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from flows.experiments.experiment import named
from flows.reproducing.chosen_models import ChosenModel
from flows.reproducing.evaluations import asked, decoders_of, metrics_of, protocol, texts_of
from flows.reproducing.matching import Ours
from flows.reproducing.step import Outcome, Reader, Reproduction, Step, Task
from newwiki.decoding.grammar import parse
from newwiki.papers.published import Exhibit, Number, Paper

_ID, _MODEL = "003", "GPT-2"
_EXPERIMENTS = ("models", "decoder-grid", "leakage")


def _tasks(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[Task]:
    model = reproduction.models.models[_MODEL]
    if isinstance(model, str):
        return []
    tasks = []
    tables = {exhibit.name: decoders_of(reproduction, exhibit.rows) for exhibit in exhibits}
    if any("newwiki experiment decoder-grid" in exhibit.commands for exhibit in exhibits):
        tasks.append(_task(reproduction, model, "decoder-grid", exhibits, {}))
    if "table 3" in tables:
        tasks.append(_task(reproduction, model, "models", exhibits, {"models": (), "decoder": tables["table 3"]}))
    if "table 4" in tables and reproduction.old:
        old_settings = {"old": reproduction.old.snapshot_id, "decoder": tables["table 4"]}
        tasks.append(_task(reproduction, model, "leakage", exhibits, old_settings))
    return tasks


def _task(
    reproduction: Reproduction, model: ChosenModel, name: str, exhibits: Sequence[Exhibit], own: dict[str, Any]
) -> Task:
    """Return a task with the same request as the tables, so that it reuses their runs."""
    both = "old" in own  # either of the two snapshots may have more articles
    experiment, numbers = named(name), protocol(reproduction, None if both else reproduction.new)
    settings = {**reproduction.request.how, "models": (model.name,), "backend": model.backend, **asked(numbers), **own}
    settings["metrics"] = ",".join(metrics_of(reproduction, exhibits)) or "core"
    request = experiment.request(**{**settings, "snapshot": reproduction.new.snapshot_id})
    return Task(
        name=name,
        request=request,
        experiment=name,
        exhibits=[exhibit.name for exhibit in exhibits if f"newwiki experiment {name}" in exhibit.commands],
        runs=sum(len(parse(text)) for text in request.decoder),
        texts=texts_of(request.decoder, numbers) if request.models else 0,
        tokens=numbers["max_new_tokens"].here,
        scaled=list(numbers.values()),
    )


def _reader(reproduction: Reproduction, outcomes: Mapping[str, Outcome]) -> Reader:
    """Return a reader that finds no numbers, because the paper prints none for these exhibits."""

    def number_of(exhibit: Exhibit, number: Number) -> Ours | str | None:
        return None

    return number_of


def _fills(paper: Paper, exhibit: Exhibit) -> bool:
    return paper.id == _ID and any(f"newwiki experiment {name}" in exhibit.commands for name in _EXPERIMENTS)


STEP = Step(fills=_fills, tasks=_tasks, reader=_reader)
