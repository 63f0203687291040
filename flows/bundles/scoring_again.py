"""Compute the scores of a bundle again with the installed evaluators of the same fingerprint, and compare them."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from flows.bundles.checked import Checked, Confirmed
from flows.bundles.opened import OpenedBundle
from flows.progress import Progress
from flows.scoring.same_evaluators import same_here
from flows.scoring.score_run import LoadedEvaluators, score_run
from flows.scoring.text_budget import Key, TheseTexts
from newwiki.levels import RECOMPUTED
from newwiki.records import Run
from newwiki.registry import Evaluator, reading_evaluators
from newwiki.settings import Settings
from storage.database import Database
from storage.held import held
from storage.keys import KEYS
from storage.shared import SharedPart

# Counts are equal on every machine. Results of models differ by the rounding that `newwiki sync pull` allows.
_COUNTED, _BY_MODELS = 1e-9, 1e-3
_TABLES = ("scores", "run_scores", "claims")

Rows = Mapping[tuple[Any, ...], Mapping[str, Any]]


@dataclass
class _Compared:
    """The numbers of an evaluator's rows: in the bundle, recomputed, and recomputed with a rounding difference."""

    of: int = 0
    again: int = 0
    rounded: int = 0

    def add(self, other: "_Compared") -> None:
        self.of += other.of
        self.again += other.again
        self.rounded += other.rounded


def score_again(
    bundle: OpenedBundle, database: Database, metrics: str, settings: Settings, progress: Progress
) -> tuple[list[Checked], list[Confirmed]]:
    """Score a bundle again, and return the lines of the result and the confirmed scores by run and evaluator.

    The result has a line for all recomputed scores, and one for each evaluator that could not run. `database` holds the
    bundle without its scores. Raises TerminalError for a different number.
    """
    rows = [rows.to_pylist()[0] for _, rows in bundle.of("evaluators")]
    loaded, missing = same_here(rows, metrics, settings)
    for run in bundle.runs.values():
        if run.samples and (evaluators := _evaluators_of(bundle, run, loaded)):
            subset = loaded.only(evaluators)
            subset.budget = _scored_there(bundle, run, subset)
            score_run(database, run, bundle.prompted_articles(run), subset, progress)
    ids = loaded.all_ids
    compared = {evaluator_id: _Compared() for evaluator_id in sorted(_evaluator_ids(bundle))}
    by_run: dict[tuple[str, str], _Compared] = defaultdict(_Compared)
    for part, rows in bundle.of(*_TABLES):
        comparison = by_run[part["run_id"], part["evaluator_id"]]
        if part["evaluator_id"] in ids:
            _compare(bundle, part, _by_key(part, rows.to_pylist()), _here(database, part), comparison)
        comparison.of += rows.num_rows
    for (_, evaluator_id), comparison in by_run.items():
        compared[evaluator_id].add(comparison)
    confirmed = [
        Confirmed(
            run_id=run_id,
            evaluator_id=evaluator_id,
            level=RECOMPUTED,
            confirmed=comparison.again,
            checked=comparison.again,
            total=comparison.of,
        )
        for (run_id, evaluator_id), comparison in sorted(by_run.items())
        if comparison.again
    ]
    return [*_again(compared, ids), *_not_again(bundle, compared, metrics, missing)], confirmed


def _again(compared: Mapping[str, _Compared], ids: set[str]) -> Iterator[Checked]:
    done = [comparison for evaluator_id, comparison in compared.items() if evaluator_id in ids]
    again, rounded = sum(comparison.again for comparison in done), sum(comparison.rounded for comparison in done)
    note = f"computed again by {len(done)} evaluators: {again - rounded:,} the same to the last bit"
    if rounded:
        note += f", {rounded:,} within {_BY_MODELS:g}"
    yield Checked("scores", again, sum(comparison.of for comparison in compared.values()), note)


def _not_again(
    bundle: OpenedBundle, compared: Mapping[str, _Compared], metrics: str, missing: Mapping[str, str]
) -> Iterator[Checked]:
    reading = reading_evaluators.all()
    for evaluator_id, comparison in compared.items():
        if comparison.again == comparison.of:
            continue
        [row] = bundle.entries("evaluators", evaluator_id)
        why = "none of that fingerprint is at hand" + ("" if metrics == "all" else f" among {metrics}")
        why = missing.get(row["name"], why)
        if row["name"] in reading:
            why = "its model would have to read the articles"
        elif comparison.again:
            why = "articles that none of its runs is on"
        yield Checked(
            f"  of {row['name'][:40]} ({evaluator_id})", comparison.again, comparison.of, f"not computed again: {why}"
        )


def _evaluators_of(bundle: OpenedBundle, run: Run, loaded: LoadedEvaluators) -> list[Evaluator]:
    ids = {part["evaluator_id"] for part, _ in bundle.of(*_TABLES) if part["run_id"] == run.run_id}
    return [evaluator for evaluator in (*loaded.evaluators, *loaded.set_evaluators) if loaded.ids([evaluator]) <= ids]


def _evaluator_ids(bundle: OpenedBundle) -> set[str]:
    return {part["evaluator_id"] for part, _ in bundle.of("evaluators")}


def _scored_there(bundle: OpenedBundle, run: Run, loaded: LoadedEvaluators) -> TheseTexts:
    """Return the texts of the run and the articles that the bundle's costly evaluators have scored."""
    costly = loaded.ids([evaluator for evaluator in loaded.evaluators if evaluator.costly])
    keys: dict[str, set[Key]] = {run.run_id: set(), f"reference:{run.snapshot_id}": set()}
    for part, rows in bundle.of("scores"):
        if part["evaluator_id"] in costly and part["run_id"] in keys:
            keys[part["run_id"]] |= set(zip(*_columns(rows), strict=True))
    texts, articles = keys.values()
    return TheseTexts(texts, {page_id for page_id, _ in articles})


def _columns(rows: Any) -> tuple[list[int], list[int]]:
    return rows["page_id"].to_pylist(), rows["sample"].to_pylist()


def _here(database: Database, part: SharedPart) -> Rows:
    return _by_key(part, held(database, part).to_pylist())


def _by_key(part: SharedPart, rows: Sequence[Mapping[str, Any]]) -> Rows:
    return {tuple(row[name] for name in KEYS[part.table]): row for row in rows}


def _compare(bundle: OpenedBundle, part: SharedPart, bundled: Rows, here: Rows, compared: _Compared) -> None:
    """Compare the rows of a part. Raises TerminalError for the first row that differs."""
    [evaluator] = bundle.entries("evaluators", part["evaluator_id"])
    rounding = _BY_MODELS if evaluator["model"] else _COUNTED
    for key, row in bundled.items():
        if (own := here.get(key)) is None or _is_of_fewer(row, own):
            if part["run_id"] in bundle.runs and part.table != "claims":
                raise bundle.refuse(f"{_place(part, row)}: nothing here has this number to give")
            continue
        for name in row:
            if not _agree(row[name], own[name], rounding):
                message = (
                    f"{_place(part, row)}: {name} is {_short(own[name])}, computed again, and not {_short(row[name])}"
                )
                raise bundle.refuse(message)
        compared.again += 1
        compared.rounded += row != own


def _is_of_fewer(row: Mapping[str, Any], own: Mapping[str, Any]) -> bool:
    """Return whether a score of the articles as a whole covers a different number of articles than the new score."""
    return "texts" in row and row["texts"] != own["texts"]


def _agree(first: Any, other: Any, rounding: float) -> bool:
    with suppress(TypeError):
        return math.isclose(first, other, rel_tol=rounding, abs_tol=rounding)
    return bool(first == other)


def _place(part: SharedPart, row: Mapping[str, Any]) -> str:
    text = f", page {row['page_id']}, sample {row['sample']}" if "page_id" in row else ""
    return f"{part['run_id']}{text}, {row.get('metric', part.table)}"


def _short(value: object) -> str:
    return repr(value)[:80]
