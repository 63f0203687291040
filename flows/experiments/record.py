"""An answer as one machine-readable record and as a bibliography entry."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from flows.experiments.experiment import Experiment, Shown
from flows.experiments.methods import Methods
from flows.presenting.tables import finite, plain_record
from storage.experiments import StoredExperiment

_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_BIBTEX = """\
@misc{{newwiki-{id},
  author = {{{{The New-Wiki Eval maintainers}}}},
  title  = {{{{{title}}}}},
  year   = {{{date:%Y}}},
  month  = {{{month}}},
  note   = {{Answer {id} of {date:%Y-%m-%d}, experiment {name} version {version}, {software}{snapshots}}}
}}"""


def record(experiment: Experiment, answer: StoredExperiment, shown: Shown) -> dict[str, Any]:
    """Return the answer with its findings, methods, citation and rows, as JSON values.

    `methods` is None for an answer of an earlier version.
    """
    rows = [dict(zip(shown.heads, cells, strict=True)) for cells in shown.records]
    return {
        "experiment": experiment.name,
        "version": answer.version,
        "experiment_id": answer.experiment_id,
        "title": experiment.title,
        "question": experiment.question,
        "source": experiment.source,
        "snapshot_id": answer.snapshot_id,
        "made_at": answer.made_at.isoformat(),
        "verdict": answer.verdict,
        "unit": answer.generalizes_over,
        "findings": asdict(shown.findings),
        "words": list(answer.words),
        "methods": json.loads(answer.methods) if answer.methods else None,
        "bibtex": bibtex(experiment, answer),
        "rows": [{name: finite(cell) for name, cell in plain_record(row, shown.heads).items()} for row in rows],
    }


def methods(answer: StoredExperiment) -> Methods | None:
    """Return the methods record of an answer, or None for an answer of an earlier version."""
    return Methods.from_json(answer.methods) if answer.methods else None


def bibtex(experiment: Experiment, answer: StoredExperiment) -> str:
    """Return a BibTeX entry with the answer's verdict, id, date, software and snapshots."""
    made = methods(answer)
    return _BIBTEX.format(
        id=answer.experiment_id,
        title=_latex(f"{experiment.title}: {answer.verdict}"),
        date=answer.made_at,
        month=f"{answer.made_at:%b}".lower(),
        name=experiment.name,
        version=answer.version,
        software=_latex(made.software if made else "New-Wiki Eval"),
        snapshots=_latex("".join(f", {one.snapshot_id} ({one.content_sha256})" for one in made.snapshots))
        if made
        else "",
    )


def summary(experiment: Experiment, answer: StoredExperiment) -> list[str]:
    """Return the lines about the methods that the terminal prints below the tables."""
    made = methods(answer)
    if made is None:
        return []
    hashes = ", ".join(f"{one.snapshot_id} {one.content_sha256[:12]}" for one in made.snapshots)
    models = ", ".join(f"{one.model} {one.model_sha256[:12]}" for one in made.models)
    told = {"unit": unit_words(made), "snapshots": hashes, "models": models, "software": made.software}
    return [
        *(f"{name}: {value}" for name, value in told.items() if value),
        f"answer {answer.experiment_id}; --format json has all methods and a BibTeX entry",
        f"again: {made.command}",
    ]


def unit_words(made: Methods) -> str:
    """Return the number of units, such as `60 prompts`, or the range from the smallest to the largest number."""
    if made.units is None:
        return made.unit
    low, high = made.units
    return f"{low:,} {made.unit}" if low == high else f"{low:,} to {high:,} {made.unit}"


def left_out(made: Methods) -> list[Mapping[str, Any]]:
    """Return a row for each metric and reason for missing numbers: the number of texts, and the ids of the runs."""
    found: dict[tuple[str | None, str], dict[str, Any]] = {}
    for one in made.left_out:
        row = found.setdefault((one.metric, one.why), {"metric": one.metric, "why": one.why, "texts": 0, "runs": []})
        row["texts"] += one.texts
        row["runs"].append(one.run_id)
    return list(found.values())


def distinct(values: Sequence[Any]) -> str:
    """Join the distinct values of a setting; return `not set` if all values are None."""
    known = [str(value) for value in values if value is not None]
    return ", ".join(known) or "not set"


def _latex(text: str) -> str:
    return re.sub(r"[\\~^&%$#_{}]", lambda mark: _SPECIAL.get(mark[0], f"\\{mark[0]}"), text)
