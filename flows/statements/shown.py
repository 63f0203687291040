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
    "Mean and standard deviation (sd) over texts of each run, and of the articles, under the paper's names of the "
    "metrics."
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
        [replace(setting, model=names.get(setting.run_id, setting.model)) for setting in settings],
        experiments.rows(database, MetricCorrelation, experiment_id),
    )


def made(rows: Stored, tables: Sequence[Table], figures: Callable[[PageSigns], Sequence[Figure]]) -> Shown:
    heads = [column.name for column in fields(StatementVerdict)]
    return Shown(heads, [astuple(verdict) for verdict in rows.verdicts], _findings(rows), tables, figures)


def _findings(stored: Stored) -> Findings:
    """State which of the paper's statements hold, which do not, and why the others cannot be told."""
    all_verdicts = stored.verdicts
    models = list(dict.fromkeys(setting.model for setting in stored.settings if setting.decoder != "reference"))
    by_why: dict[str, list[str]] = {}
    for verdict in all_verdicts:
        if verdict.verdict == UNKNOWN and not needs_runs(verdict):
            by_why.setdefault(verdict.why or "no reason is stored", []).append(verdict.says)
    return Findings(
        answer=sentence(all_verdicts, models),
        holds=[_sentence(verdict) for verdict in all_verdicts if verdict.verdict == HOLDS],
        fails=[_sentence(verdict) for verdict in all_verdicts if verdict.verdict == FAILS],
        unknown=[*(_counted(why, says) for why, says in by_why.items()), *_lacking_models(all_verdicts)],
    )


def needs_runs(verdict: StatementVerdict) -> bool:
    """Return whether a statement cannot be told because models of the paper have no runs."""
    return (verdict.why or "").startswith(NEEDS_RUNS)


def _lacking_models(all_verdicts: Sequence[StatementVerdict]) -> list[str]:
    """Return one line for all statements about models without runs."""
    lacking = [verdict for verdict in all_verdicts if needs_runs(verdict)]
    if not lacking:
        return []
    names = {name for verdict in lacking for name in (verdict.why or "").removeprefix(NEEDS_RUNS).split(", ")}
    ordered = ", ".join(model.name for model in paper().models if model.name in names)
    return [f"{len(lacking)} statements on models that did not run here: {ordered}"]


def _counted(why: str, says: Sequence[str]) -> str:
    """Return the statement's own words, or the number of statements if there are several; the table lists each."""
    return f"{says[0]}: {why}" if len(says) == 1 else f"{len(says)} statements: {why}"


def _sentence(verdict: StatementVerdict) -> str:
    over = f", over {verdict.generalizes_over}" if verdict.generalizes_over else ""
    return f"{verdict.says}: {_effect(verdict)}{over}"


def verdicts(rows: Stored) -> Table:
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
    cells = [_verdict(verdict) for verdict in rows.verdicts if not needs_runs(verdict)]
    cells += [[line, "–", Judged(UNKNOWN, _TONES[UNKNOWN]), *_EMPTY] for line in _lacking_models(rows.verdicts)]
    return Table(_VERDICTS, heads, cells)


def settings(rows: Stored) -> Table:
    """Return a row for each run and a column for each metric."""
    metrics = list(dict.fromkeys(setting.metric for setting in rows.settings))
    by_run: dict[str, dict[str, SettingNumbers]] = {}
    for setting in rows.settings:
        by_run.setdefault(setting.run_id, {})[setting.metric] = setting
    cells = []
    for by_metric in by_run.values():
        first = next(iter(by_metric.values()))
        size = "–" if first.parameters_of_model is None else f"{first.parameters_of_model:,.0f}"
        cells.append(
            [
                first.model,
                short_form(first.decoder),
                size,
                *(cell for metric in metrics for cell in _mean_and_sd(by_metric[metric])),
            ],
        )
    heads = [head for metric in metrics for head in (metric, "sd")]
    return Table(_SETTINGS, ["model", "decoder", "parameters", *heads], cells)


def correlations(rows: Stored) -> Table:
    cells = [
        [
            correlation.metric,
            correlation.other,
            _interval(correlation.r, correlation.low, correlation.high),
            correlation.texts,
        ]
        for correlation in rows.correlations
    ]
    return Table(_CORRELATIONS, ["metric", "other", "r [95 %]", "texts"], cells)


def _verdict(verdict: StatementVerdict) -> list[Any]:
    word = f"{verdict.verdict}: {verdict.why}" if verdict.why else verdict.verdict
    p = verdict.p_fails if verdict.verdict == FAILS else verdict.p_holds
    return [
        verdict.says,
        verdict.statement,
        Judged(word, _TONES[verdict.verdict]),
        verdict.ours or "–",
        _effect(verdict),
        "–" if p is None else p_value(p),
        _units(verdict),
        verdict.articles or "–",
        f"{verdict.section}: “{verdict.quote}”",
    ]


def _units(verdict: StatementVerdict) -> str:
    """Return the units of a verdict, such as `models (6 models; a verdict takes 14)`."""
    if verdict.models is None:
        return verdict.generalizes_over or "–"
    needed = "over 1,000" if verdict.models_needed is None else f"{verdict.models_needed}"
    return f"{verdict.generalizes_over} ({verdict.models} models; a verdict takes {needed})"


def _effect(verdict: StatementVerdict) -> str:
    unit = f" {verdict.unit}" if verdict.unit and verdict.effect is not None and verdict.unit != "own" else ""
    return f"{_interval(verdict.effect, verdict.low, verdict.high)}{unit}"


def _interval(mean: float | None, low: float | None, high: float | None) -> str:
    if mean is None:
        return "–"
    ends = "" if low is None or high is None else f" [{low:+.2f}, {high:+.2f}]"
    return f"{mean:+.2f}{ends}".replace("-", "−")


def _mean_and_sd(setting: SettingNumbers) -> tuple[str, str]:
    return digits(setting.mean), digits(setting.sd)
