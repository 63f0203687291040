"""Compare two runs on their common prompts: the differences, their significance, and the power of the test."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np
from numpy.typing import NDArray

from evaluators import power, statistics
from flows.comparing.across_months import linked_differences
from flows.comparing.across_wikis import are_of_two_wikis, comparable, paired_by_item
from flows.comparing.after_cutoff import later_cutoff, of_known_cutoff
from flows.comparing.calibration import seeing_content
from flows.comparing.difference import Difference, verdict, within
from flows.comparing.notes import incomplete_texts, of_several_models, prompt_repeaters
from flows.comparing.one_evaluator import agreed, apart, by_metric, remedy
from flows.comparing.one_protocol import require_one_protocol, told
from flows.comparing.shown_levels import below_verified
from newwiki.columns import READING
from newwiki.comparison_requests import ComparisonRequest
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.levels import LevelByScoring
from newwiki.protocol import ACROSS_MONTHS, ACROSS_WIKIS, settings_named
from newwiki.records import Stratum
from newwiki.registry import reading_metrics
from storage import comparison, early_stops, strata, verifications
from storage.comparison import Scoring
from storage.database import Database, in_one_read
from storage.run_names import Contender


@in_one_read
def compare(
    database: Database,
    a: Contender,
    b: Contender,
    metrics: Collection[str] | None = None,
    seed: int = 0,
    across: Collection[str] = (),
    by: Stratum | None = None,
    *,
    after_cutoff: bool = False,
    content: bool = False,
    level: float = statistics.LEVEL,
) -> tuple[list[Difference], list[str]]:
    """Return the differences by metric, and notes on omitted metrics.

    - `metrics`: by default, all metrics that both runs have
    - `across`: protocol settings in which the runs may differ. `snapshot` puts runs of two months on one scale, and
      `wiki` pairs runs of two wikis by Wikidata items that are new in both.
    - `by`: a stratum; one difference for each part of A's snapshot, with Holm's correction over all of them
    - `after_cutoff`: use only articles created after the later knowledge cutoff of both models
    - `content`: use only the metrics of `deciding`
    - `level`: significance level; intervals of runs on the same articles have the coverage 1 - `level`

    Raises UsageError for a metric that neither run has, and for `by` or `after_cutoff` across months or wikis. Raises
    TerminalError if the protocols differ, a cutoff is unknown, or no metric can be compared.
    """
    over_wikis = ACROSS_WIKIS in across and are_of_two_wikis(database, a, b)
    over_months = ACROSS_MONTHS in across and a.snapshot_id != b.snapshot_id and not over_wikis
    if (over_months or over_wikis) and (by or after_cutoff):
        kind, setting = ("wikis", ACROSS_WIKIS) if over_wikis else ("months", ACROSS_MONTHS)
        raise UsageError(
            f"runs of two {kind} cannot be split into parts: leave out --by and --after-cutoff, or --across {setting}"
        )
    require_one_protocol(a, b, across)
    after = later_cutoff(a, b) if after_cutoff else None
    run_ids = [a.run_id, b.run_id]
    if over_months:
        scorings = comparison.text_scorings(database, run_ids)
    else:
        scorings = comparison.scorings_with_reading(database, run_ids, shared=metrics is not None)
    shared, notes = _evaluators(database, a, b, metrics, decisive(scorings) if content else scorings)
    caveats: list[str] = []
    if content:
        shared, seen, is_known = deciding(database, {run.run_id: run.snapshot_id for run in (a, b)}, shared)
        (notes if is_known else caveats).extend(seen)
    notes += [*of_several_models(database, (a.run_id, b.run_id)), *incomplete_texts(database, (a.run_id, b.run_id))]
    notes += prompt_repeaters(database, map(vars, (a, b)))
    levels = verifications.levels(database, [a.run_id, b.run_id])
    if over_months:
        rows, rests_on = linked_differences(database, a, b, shared, levels)
        rows, fewer = with_coverage(database, rows, by)
        return rows, [*notes, *rests_on, *fewer, *below_verified(rows, levels), *caveats]
    if over_wikis:
        shared, depending = comparable(database, a, b, shared)
        values, rests_on = paired_by_item(database, a, b, shared)
        pages = np.arange(values.shape[2])
        notes += [*depending, *rests_on]
    else:
        values, pages = _paired_by_page(database, a, b, shared)
    paired = np.isfinite(values[1] - values[0])
    if after:
        later = np.isin(pages, comparison.created_after(database, a.snapshot_id, after))
        values, pages, paired = values[:, :, later], pages[later], paired[:, later]
        if not paired.any():
            raise TerminalError(
                f"{a.run_id} and {b.run_id} have no prompt in common that was created after {after}, the later "
                "knowledge cutoff of their models; compare them on a newer snapshot"
            )
        notes.append(f"uses only articles created after {after}, the later knowledge cutoff of the two models")
    tests = [Test(metric, evaluator_id) for metric, evaluator_id in shared.items()]
    if by:
        notes += strata.notes(by, strata.parts(database, by, [a.snapshot_id]))
        tests, values = _cut(tests, values, pages, strata.pages(database, by, a.snapshot_id))
    differences = (values[1] - values[0]).T
    common = np.isfinite(differences).any(axis=0)
    if not common.all():
        without = ", ".join(test.words for test, is_common in zip(tests, common, strict=True) if not is_common)
        notes.append(f"left out, as no prompt has scores of both runs: {without}")
    chosen = [test for test, is_common in zip(tests, common, strict=True) if is_common]
    rows = _differences(database, a, b, chosen, values[:, common], differences[:, common], levels, seed, level)
    rows, fewer = with_coverage(database, rows, by, after)
    notes += [*told(a, b, int(paired.sum(axis=1).max())), *fewer, *below_verified(rows, levels)]
    few = {
        Test(row.metric, row.evaluator_id, row.part).words: row.prompts
        for row in rows
        if row.no_interval == statistics.TOO_FEW
    }
    if few:
        notes.append(too_few(few))
    return rows, [*notes, *caveats]


def decisive(scorings: Iterable[Scoring]) -> list[Scoring]:
    """Return the scorings that can decide by default: of what the models have read, only bits per byte."""
    others = reading_metrics() - {READING}
    return [scoring for scoring in scorings if scoring.metric not in others]


def deciding(
    database: Database, runs: Mapping[str, str], evaluators: Mapping[str, str]
) -> tuple[dict[str, str], list[str], bool]:
    """Return the metrics that decide by default, with their evaluators, notes, and whether anchors chose them.

    They are those that see content on the snapshots of these runs. Where that is unknown, they are those with a better
    direction, and without any, all. `runs` maps run ids to snapshot ids.
    """
    seers, notes = seeing_content(database, runs, evaluators)
    if seers:
        return seers, notes, True
    directions = dict(database.rows("directions", list(evaluators)))
    directed = {name: evaluators[name] for name in evaluators if directions[name] != "none"}
    others = [name for name in evaluators if directed and name not in directed]
    more = [f"--metrics all also tests {', '.join(others)}, which have no better direction"] if others else []
    return directed or dict(evaluators), [*notes, *more], False


def _paired_by_page(
    database: Database, a: Contender, b: Contender, evaluators: Mapping[str, str]
) -> tuple[comparison.Array, NDArray[np.int64]]:
    """Return each prompt's mean scores (runs × metrics × pages), and the pages.

    Raises TerminalError if no prompt has scores of both runs.
    """
    runs = [*dict.fromkeys([a.run_id, b.run_id])]
    means = comparison.page_means(database, runs, evaluators, with_reading=True)
    values, pages = means.values[[0, len(runs) - 1]], means.pages
    if a.snapshot_id != b.snapshot_id:
        both = np.isin(pages, comparison.common_articles(database, a.snapshot_id, b.snapshot_id))
        values, pages = values[:, :, both], pages[both]
    if not np.isfinite(values[1] - values[0]).any():
        across = (
            f"pair the articles that are new in both wikis with --across {ACROSS_WIKIS}"
            if are_of_two_wikis(database, a, b)
            else f"put the two months on one scale with --across {ACROSS_MONTHS}"
        )
        raise TerminalError(
            f"{a.run_id} and {b.run_id} have no prompt in common: they are on {a.snapshot_id} and {b.snapshot_id}; "
            f"compare runs on the same prompts of one snapshot, or {across}"
        )
    return values, pages


@dataclass(frozen=True)
class Test:
    """A test: the metric, the evaluator, and the part of the articles (None for all articles)."""

    metric: str
    evaluator_id: str
    part: str | None = None

    @property
    def words(self) -> str:
        return f"{self.metric} ({self.part})" if self.part else self.metric


def _cut(
    tests: Sequence[Test],
    values: comparison.Array,
    pages: NDArray[np.int64],
    parts: Mapping[str, NDArray[np.int64]],
) -> tuple[list[Test], comparison.Array]:
    """Return each test on each part. The values are NaN for the pages of other parts."""
    if not parts:
        raise TerminalError("the articles of these runs are in no snapshot, so --by cannot split them; leave out --by")
    cut = [replace(test, part=part) for part in parts for test in tests]
    part_values = [np.where(np.isin(pages, part_pages), values, np.nan) for part_pages in parts.values()]
    return cut, np.concatenate(part_values, axis=1)


def too_few(prompts: Mapping[str, int]) -> str:
    """Return a note on metrics with too few prompts."""
    number = " or ".join(map(str, sorted(set(prompts.values()))))
    return (
        f"{number} prompt{'s' * (number != '1')} cannot tell runs apart by {', '.join(prompts)}: fewer than "
        f"{statistics.FEWEST} do not show how skewed their differences are; evaluate more prompts"
    )


def compare_all(
    database: Database, request: ComparisonRequest
) -> list[tuple[Contender, Contender, list[Difference], list[str]]]:
    """Compare the first run with each other run, and return the results of `compare`.

    Raises UsageError unless the names stand for at least two different runs.
    """
    if len(request.runs) < 2:
        raise UsageError("name two runs or more; `newwiki list runs` lists them")
    noted: list[str] = []
    first, *others = comparison.contenders(database, request.runs, snapshot=request.snapshot, note=noted.append)
    if len({first, *others}) <= len(others):
        raise UsageError("two of these names mean the same run; `newwiki list runs` lists the runs")
    content = request.metrics == "content"
    metrics = None if content or request.metrics == "all" else [name.strip() for name in request.metrics.split(",")]
    across = settings_named(request.across)
    unknown: list[str] = []
    if request.after_cutoff:
        others, unknown = of_known_cutoff(first, others)
    compared = []
    for other in others:
        rows, notes = compare(
            database,
            first,
            other,
            metrics,
            request.seed,
            across,
            request.by,
            after_cutoff=request.after_cutoff,
            content=content,
        )
        compared.append((first, other, rows, [*noted, *notes, *unknown]))
    return compared


def _evaluators(
    database: Database, a: Contender, b: Contender, metrics: Collection[str] | None, scorings: Sequence[Scoring]
) -> tuple[dict[str, str], list[str]]:
    """Return the evaluator of each metric that both runs are compared by, and notes on omitted metrics.

    `scorings` are the finished scorings of both runs.
    """
    for run_id in (a.run_id, b.run_id):
        if words := early_stops.in_words(database, run_id):
            raise TerminalError(
                f"run {run_id} has {words}, so it is not compared yet; repeat its `newwiki evaluate` to complete it "
                "(`newwiki browse` shows the command), or repeat its `newwiki verdict --until-sure`"
            )
    scored = by_metric(scorings)
    if unknown := sorted(set(metrics or ()) - set(scored)):
        known = ", ".join(scored) or "none"
        raise UsageError(
            f"neither run has texts scored by '{unknown[0]}'{did_you_mean(unknown[0], scored) or ';'} they have: "
            f"{known}"
        )
    wanted = {name: scorings for name, scorings in scored.items() if metrics is None or name in metrics}
    both = {a.run_id, b.run_id}
    in_both = {name: scorings for name, scorings in wanted.items() if {s.run_id for s in scorings} == both}
    shared = {name: evaluator for name, scorings in in_both.items() if (evaluator := agreed(scorings))}
    notes = _left_out(database, wanted, in_both, shared)
    if not shared:
        reason = "; ".join(notes) or "they have no scores; run `newwiki score --missing`"
        raise TerminalError(f"no metric can compare {a.run_id} and {b.run_id}: {reason}")
    return shared, notes


def _left_out(
    database: Database,
    wanted: dict[str, list[Scoring]],
    in_both: dict[str, list[Scoring]],
    shared: dict[str, str],
) -> list[str]:
    notes = []
    if disputed := {name: scorings for name, scorings in in_both.items() if name not in shared}:
        who = apart(database, disputed)
        notes.append(
            f"left out, as the evaluators differ: {who}; score both runs with one evaluator: "
            f"{remedy(database, disputed)}"
        )
    if single := {name: scorings for name, scorings in wanted.items() if name not in in_both}:
        notes.append(
            f"left out, as only one of the runs has scores: {', '.join(single)}; "
            f"{remedy(database, single)} scores the other"
        )
    return notes


def _differences(
    database: Database,
    a: Contender,
    b: Contender,
    tests: Sequence[Test],
    values: comparison.Array,
    differences: comparison.Array,
    levels: LevelByScoring,
    seed: int,
    level: float,
) -> list[Difference]:
    estimate = statistics.differences_estimate(differences, level)
    drawn_low, drawn_high = statistics.differences_bootstrap(differences, seed, level)
    p = statistics.p_values(differences, seed)
    corrected = statistics.holm(p)
    effects = statistics.effect_size(differences)
    deviations = statistics.spread(differences)
    spans = dict(database.rows("spans", [test.metric for test in tests]))
    paired = np.where(np.isfinite(differences.T), values, np.nan)
    means = np.nanmean(paired, axis=2)
    rows = []
    for n, test in enumerate(tests):
        prompts, lacking = int(estimate.clusters[n]), estimate.lacking[n]
        least, most = power.prompts_range(float(effects[n]), prompts, len(p))
        ends = [
            None if lacking else within(float(end[n]), spans.get(test.metric))
            for end in (estimate.low, estimate.high, drawn_low, drawn_high)
        ]
        rows.append(
            Difference(
                run_a=a.run_id,
                run_b=b.run_id,
                metric=test.metric,
                evaluator_id=test.evaluator_id,
                prompts=prompts,
                mean_a=float(means[0, n]),
                mean_b=float(means[1, n]),
                difference=float(estimate.mean[n]),
                low=ends[0],
                high=ends[1],
                no_interval=lacking,
                bootstrap_low=ends[2],
                bootstrap_high=ends[3],
                p=float(p[n]),
                p_holm=float(corrected[n]),
                effect_size=statistics.number_or_none(effects[n]),
                verdict=verdict(lacking, float(corrected[n])),
                prompts_needed_low=statistics.number_or_none(least),
                prompts_needed_high=statistics.number_or_none(most),
                smallest_visible=statistics.number_or_none(power.visible_effect(prompts, len(p)) * deviations[n]),
                level_a=levels[a.run_id, test.evaluator_id].level,
                level_b=levels[b.run_id, test.evaluator_id].level,
                part=test.part,
            )
        )
    return rows


def with_coverage(
    database: Database, rows: Sequence[Difference], stratum: Stratum | None = None, after: date | None = None
) -> tuple[list[Difference], list[str]]:
    """Return the rows with the status of missing scores, and a note on rows with missing scores."""
    statuses = _coverage(database, rows, stratum, after)
    whole = [
        replace(
            row,
            status_a=statuses.get((row.run_a, row.metric, row.part), "ok"),
            status_b=statuses.get((row.run_b, row.metric, row.part), "ok"),
        )
        for row in rows
    ]
    fewer = [
        f"{Test(row.metric, row.evaluator_id, row.part).words} of {run_id} is based on {status}"
        for row in whole
        for run_id, status in dict.fromkeys([(row.run_a, row.status_a), (row.run_b, row.status_b)])
        if status != "ok"
    ]
    return whole, [f"not all texts have a number: {'; '.join(fewer)}"] if fewer else []


def _coverage(
    database: Database, rows: Sequence[Difference], stratum: Stratum | None, after: date | None
) -> dict[tuple[str, str, str | None], str]:
    """Return the status by run, metric and part, restricted to articles after a day if `after` is given."""
    runs, evaluators = [rows[0].run_a, rows[0].run_b], {row.metric: row.evaluator_id for row in rows}
    if stratum is None and after is None:
        statuses = comparison.text_coverage(database, runs, evaluators)
        return {(run_id, metric, None): status for (run_id, metric), status in statuses.items()}
    cut = strata.cut(database, stratum, list(dict.fromkeys(runs)), dict.fromkeys(runs, after) if after else None)
    return {
        (summary["run_id"], summary["metric"], summary["value"] if stratum else None): summary["status"]
        for summary in cut.summaries
        if evaluators.get(summary["metric"]) == summary["evaluator_id"]
    }
