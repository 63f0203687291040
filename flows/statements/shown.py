"""Show the verdicts and the numbers behind them as tables."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any

from flows.experiments.answer_runs import labels, named_in
from flows.experiments.experiment import Figure, Findings, Judged, Shown, Table, Tone
from flows.presenting.charts import PageSigns
from flows.presenting.numbers import digits, p_value
from flows.statements.result_tables import MetricCorrelation, SettingNumbers, StatementVerdict, Verdict
from flows.statements.statement import paper
from flows.statements.testing import NEEDS_RUNS
from flows.statements.verdicts import FAILS, HOLDS, UNKNOWN
from flows.statements.words import sentence
from newwiki.decoding.grammar import short_form
from storage import experiments
from storage.database import Database

_VERDICTS = (
    "What the paper says, and what one's own runs say of it: the effect in the comparison on which the verdict turns, "
    "with its 95 % interval over the units that it generalizes over; p is of the verdict not being so, after Holm's "
    "correction for all statements."
)
_SETTINGS = (
    "Mean ± standard deviation over texts of each run, and of the articles, under the paper's names of the metrics."
)
_CORRELATIONS = (
    "How each two metrics correlate over the texts of all runs (Pearson's r), with 95 % intervals by articles."
)


_EMPTY = ("–",) * 6  # the cells of a row that stands for many statements
_TONES: Mapping[Verdict, Tone] = {HOLDS: "good", FAILS: "bad", UNKNOWN: "open"}


@dataclass(frozen=True)
class Stored:
    """The stored rows of an answer."""

    verdicts: Sequence[StatementVerdict]
    settings: Sequence[SettingNumbers]
    correlations: Sequence[MetricCorrelation]


def stored(database: Database, experiment_id: str) -> Stored:
    """Read an answer; models in the settings carry the hash of their weights if two sets of weights share a name."""
    names = labels(named_in(experiments.stored(database, experiment_id)))
    settings = experiments.rows(database, SettingNumbers, experiment_id)
    return Stored(
        experiments.rows(database, StatementVerdict, experiment_id),
        [replace(one, model=names.get(one.run_id, one.model)) for one in settings],
        experiments.rows(database, MetricCorrelation, experiment_id),
    )


def made(found: Stored, tables: Sequence[Table], figures: Callable[[PageSigns], Sequence[Figure]]) -> Shown:
    heads = [one.name for one in fields(StatementVerdict)]
    return Shown(heads, [astuple(one) for one in found.verdicts], _findings(found), tables, figures)


def _findings(stored: Stored) -> Findings:
    """State which of the paper's statements hold, which do not, and why the others cannot be told."""
    found = stored.verdicts
    models = list(dict.fromkeys(one.model for one in stored.settings if one.decoder != "reference"))
    by_why: dict[str, list[str]] = {}
    for one in found:
        if one.verdict == UNKNOWN and not needs_runs(one):
            by_why.setdefault(one.why or "no reason is stored", []).append(one.says)
    return Findings(
        answer=sentence(found, models),
        holds=[_sentence(one) for one in found if one.verdict == HOLDS],
        fails=[_sentence(one) for one in found if one.verdict == FAILS],
        unknown=[*(_counted(why, says) for why, says in by_why.items()), *_of_lacking_models(found)],
    )


def needs_runs(one: StatementVerdict) -> bool:
    """Return whether a statement cannot be told because models of the paper have no runs."""
    return (one.why or "").startswith(NEEDS_RUNS)


def _of_lacking_models(found: Sequence[StatementVerdict]) -> list[str]:
    """Return one line for all statements about models without runs."""
    lacking = [one for one in found if needs_runs(one)]
    if not lacking:
        return []
    names = {name for one in lacking for name in (one.why or "").removeprefix(NEEDS_RUNS).split(", ")}
    ordered = ", ".join(one.name for one in paper().models if one.name in names)
    return [f"{len(lacking)} statements on models that did not run here: {ordered}"]


def _counted(why: str, says: Sequence[str]) -> str:
    """Return the statement's own words, or the number of statements if there are several; the table lists each."""
    return f"{says[0]}: {why}" if len(says) == 1 else f"{len(says)} statements: {why}"


def _sentence(one: StatementVerdict) -> str:
    over = f", over {one.generalizes_over}" if one.generalizes_over else ""
    return f"{one.says}: {_effect(one)}{over}"


def verdicts(found: Stored) -> Table:
    heads = [
        "the paper says",
        "name",
        "verdict",
        "ours",
        "effect [95 %]",
        "p",
        "generalizes over",
        "articles",
        "its place",
    ]
    cells = [_verdict(one) for one in found.verdicts if not needs_runs(one)]
    cells += [[line, "–", Judged(UNKNOWN, _TONES[UNKNOWN]), *_EMPTY] for line in _of_lacking_models(found.verdicts)]
    return Table(_VERDICTS, heads, cells)


def settings(found: Stored) -> Table:
    """Return a row for each run and a column for each metric."""
    metrics = list(dict.fromkeys(one.metric for one in found.settings))
    by_run: dict[str, dict[str, SettingNumbers]] = {}
    for one in found.settings:
        by_run.setdefault(one.run_id, {})[one.metric] = one
    cells = []
    for of_run in by_run.values():
        first = next(iter(of_run.values()))
        size = "–" if first.parameters_of_model is None else f"{first.parameters_of_model:,.0f}"
        cells.append(
            [first.model, short_form(first.decoder), size, *(_mean(of_run[metric]) for metric in metrics)],
        )
    return Table(_SETTINGS, ["model", "decoder", "parameters", *metrics], cells)


def correlations(found: Stored) -> Table:
    cells = [[one.metric, one.other, _interval(one.r, one.low, one.high), one.texts] for one in found.correlations]
    return Table(_CORRELATIONS, ["metric", "other", "r [95 %]", "texts"], cells)


def _verdict(one: StatementVerdict) -> list[Any]:
    word = f"{one.verdict}: {one.why}" if one.why else one.verdict
    p = one.p_fails if one.verdict == FAILS else one.p_holds
    return [
        one.says,
        one.statement,
        Judged(word, _TONES[one.verdict]),
        one.ours or "–",
        _effect(one),
        "–" if p is None else p_value(p),
        _units(one),
        one.articles or "–",
        f"{one.section}: “{one.quote}”",
    ]


def _units(one: StatementVerdict) -> str:
    """Return the units of a verdict, such as `models (6 models; a verdict takes 14)`."""
    if one.models is None:
        return one.generalizes_over or "–"
    needed = "over 1,000" if one.models_needed is None else f"{one.models_needed}"
    return f"{one.generalizes_over} ({one.models} models; a verdict takes {needed})"


def _effect(one: StatementVerdict) -> str:
    unit = f" {one.unit}" if one.unit and one.effect is not None and one.unit != "own" else ""
    return f"{_interval(one.effect, one.low, one.high)}{unit}"


def _interval(mean: float | None, low: float | None, high: float | None) -> str:
    if mean is None:
        return "–"
    ends = "" if low is None or high is None else f" [{low:+.2f}, {high:+.2f}]"
    return f"{mean:+.2f}{ends}".replace("-", "−")


def _mean(one: SettingNumbers) -> str:
    return "–" if one.mean is None else digits(one.mean) + ("" if one.sd is None else f" ± {digits(one.sd)}")
