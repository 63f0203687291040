"""Compare runs on snapshots of two months on the later month's scale, as `newwiki experiment linking` computed it."""

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from evaluators import statistics
from flows.comparing import chains
from flows.comparing.chains import Anchor, Chain, NoLink
from flows.comparing.difference import Difference, verdict, within
from flows.comparing.one_protocol import told_beside
from flows.experiments.linking.result_tables import LinkedMonths
from flows.verdict_kinds import gives_verdicts
from newwiki import protocol
from newwiki.errors import TerminalError
from newwiki.levels import LevelByScoring
from storage import snapshots
from storage.database import Database
from storage.linked_months import LinkableRun, linkable_runs
from storage.run_names import Contender

_OVER = "articles of both months, and models like the anchors"


@dataclass(frozen=True, kw_only=True)
class StoredLink(LinkedMonths):
    """A link between two months, and the id of the experiment that computed it."""

    experiment_id: str


@gives_verdicts(
    "linked_differences",
    "models",
    "articles",
    over=_OVER,
    given="runs, months and seeds",
    family="the metrics of one pair of runs",
)
def linked_differences(
    database: Database, a: Contender, b: Contender, evaluators: Mapping[str, str], levels: LevelByScoring
) -> tuple[list[Difference], list[str]]:
    """Return the differences by these metrics, each with its evaluator, and notes on the links behind them.

    `prompts` is the number of articles in the month with the fewest. Raises TerminalError if no metric links the
    months, or if the runs used different protocols.
    """
    if differing := protocol.differing(a.settings, b.settings):
        raise TerminalError(
            f"{a.run_id} and {b.run_id} have different settings ({', '.join(differing)}), and runs of different "
            "protocols are not linked; evaluate both with the same settings"
        )
    links = database.records(StoredLink, "months_linked", list(evaluators), list(evaluators.values()))
    first, last = _in_order(database, a, b, links)
    runs = {run.run_id: run for run in linkable_runs(database, sorted(_months(links) | {a.snapshot_id, b.snapshot_id}))}
    linked: list[_Linked] = []
    without: dict[str, str] = {}
    for metric, evaluator_id in evaluators.items():
        metric_links = [link for link in links if link.metric == metric]
        try:
            chain, used = _chain(database, metric_links, runs, first, last)
        except NoLink as why:
            without[metric] = str(why)
            continue
        linked.append(_Linked(metric, evaluator_id, used, chain))
    if not linked:
        raise TerminalError(_refusal(first, last, without))
    notes = [*told_beside(a, b), *_link_notes(linked, last)]
    if without:
        notes.append("left out: " + "; ".join(f"{metric}, as {why}" for metric, why in without.items()))
    return _rows(database, a, b, linked, levels, turned=first is b), notes


@dataclass(frozen=True)
class _Linked:
    metric: str
    evaluator_id: str
    used: Sequence[StoredLink]
    chain: Chain


def _in_order(
    database: Database, a: Contender, b: Contender, links: Sequence[StoredLink]
) -> tuple[Contender, Contender]:
    """Return the run of the earlier month first. For two snapshots of one month, the links determine the order."""
    if elsewhere := [run.run_id for run in (a, b) if run.snapshot_id.startswith("file:")]:
        raise TerminalError(f"{elsewhere[0]} is on no month's articles, so there is nothing to link it by")
    begins = [snapshots.resolve(database, run.snapshot_id).window_start for run in (a, b)]
    turned = any((link.from_snapshot, link.to_snapshot) == (b.snapshot_id, a.snapshot_id) for link in links)
    return (b, a) if begins[1] < begins[0] or (begins[1] == begins[0] and turned) else (a, b)


def _months(links: Sequence[StoredLink]) -> set[str]:
    return {month for link in links for month in (link.from_snapshot, link.to_snapshot)}


def _chain(
    database: Database, links: Sequence[StoredLink], runs: Mapping[str, LinkableRun], first: Contender, last: Contender
) -> tuple[Chain, list[StoredLink]]:
    """Return the chain from the newest experiment that connects the months, by the protocol with the most anchors."""
    why = None
    for _, answer_links in groupby(links, key=attrgetter("experiment_id")):
        by_protocol: dict[str, dict[tuple[str, str], StoredLink]] = {}
        for link in answer_links:
            settings = json.loads(link.protocol)
            if not any(protocol.differing(run.settings, settings) for run in (first, last)):
                by_protocol.setdefault(link.protocol, {})[link.from_snapshot, link.to_snapshot] = link
        for pairs in sorted(
            by_protocol.values(), key=lambda by_months: -sum(link.anchors for link in by_months.values())
        ):
            through = chains.way(pairs, first.snapshot_id, last.snapshot_id)
            if through is None:
                continue
            used = [pairs[pair] for pair in itertools.pairwise(through)]
            try:
                return _over(database, used, runs, first.run_id, last.run_id), used
            except NoLink as reason:
                why = why or reason
    raise why or NoLink(f"{first.snapshot_id} and {last.snapshot_id} are not linked by it")


def _over(
    database: Database, used: Sequence[StoredLink], runs: Mapping[str, LinkableRun], first: str, last: str
) -> Chain:
    anchors = [
        [Anchor(earlier, later) for earlier, later in zip(link.earlier_runs, link.later_runs, strict=True)]
        for link in used
    ]
    months: dict[str, dict[str, None]] = {used[0].from_snapshot: {first: None}}
    for link, link_anchors in zip(used, anchors, strict=True):
        months[link.from_snapshot] |= dict.fromkeys(anchor.earlier for anchor in link_anchors)
        months[link.to_snapshot] = dict.fromkeys(anchor.later for anchor in link_anchors)
    months[used[-1].to_snapshot][last] = None
    metric, evaluator_id = used[0].metric, used[0].evaluator_id
    runs_by_month = {month: [*month_runs] for month, month_runs in months.items()}
    numbers = chains.numbers_of(database, runs_by_month, {metric: evaluator_id})[metric]
    models = {run: runs[run].identified_model for month_runs in runs_by_month.values() for run in month_runs}
    return chains.chain([*numbers.values()], anchors, models, first, last)


def _rows(
    database: Database, a: Contender, b: Contender, linked: Sequence[_Linked], levels: LevelByScoring, *, turned: bool
) -> list[Difference]:
    """Return the rows. `turned` says whether B's month is the earlier month."""
    spans = dict(database.rows("spans", [row.metric for row in linked]))
    corrected = statistics.holm([row.chain.difference.p for row in linked])
    return [
        _row(a, b, row, float(p), spans.get(row.metric), levels, turned=turned)
        for row, p in zip(linked, corrected, strict=True)
    ]


def _row(
    a: Contender, b: Contender, row: _Linked, p: float, span: float | None, levels: LevelByScoring, *, turned: bool
) -> Difference:
    difference, last = row.chain.difference, row.chain.last
    assert last is not None
    later = float(row.chain.months[-1].means[last])
    linked = later - difference.value
    number, low, high = (
        (-difference.value, -difference.high, -difference.low)
        if turned
        else (difference.value, difference.low, difference.high)
    )
    return Difference(
        run_a=a.run_id,
        run_b=b.run_id,
        metric=row.metric,
        evaluator_id=row.evaluator_id,
        prompts=min(month.articles for month in row.chain.months),
        mean_a=later if turned else linked,
        mean_b=linked if turned else later,
        difference=number,
        low=None if difference.lacking else within(low, span),
        high=None if difference.lacking else within(high, span),
        no_interval=difference.lacking,
        bootstrap_low=None,
        bootstrap_high=None,
        p=difference.p,
        p_holm=p,
        effect_size=None,
        verdict=verdict(difference.lacking, p),
        prompts_needed_low=None,
        prompts_needed_high=None,
        smallest_visible=None,
        level_a=levels[a.run_id, row.evaluator_id].level,
        level_b=levels[b.run_id, row.evaluator_id].level,
        generalizes_over=_OVER,
    )


def _refusal(first: Contender, last: Contender, without: Mapping[str, str]) -> str:
    why = "; ".join(dict.fromkeys(without.values()))
    return (
        f"{first.run_id} and {last.run_id} are on {first.snapshot_id} and {last.snapshot_id}, and these cannot be put "
        f"on one scale: {why}. Run models on both months and link them: `newwiki experiment linking MODEL MODEL MODEL "
        f"--decoder greedy --snapshot {last.snapshot_id} --earlier {first.snapshot_id}`"
    )


def _link_notes(linked: Sequence[_Linked], last: Contender) -> list[str]:
    """Return notes on the basis of the numbers, grouped by anchors, and on slopes that are assumed to be 1."""
    groups: dict[str, list[str]] = {}
    for row in linked:
        over = "".join(f" over {link.to_snapshot}" for link in row.used[:-1])
        anchors = min(len(step.earlier) for step in row.chain.steps)
        articles = " and ".join(f"{month.articles:,}" for month in row.chain.months)
        words = f"{anchors} anchors{over}, on {articles} articles (experiment {row.used[0].experiment_id})"
        groups.setdefault(words, []).append(row.metric)
    notes = [
        f"on the scale of {last.snapshot_id}, with the errors of the link, by {words}: {', '.join(metrics)}"
        for words, metrics in groups.items()
    ]
    if outside := [row.metric for row in linked if _is_outside(row.chain)]:
        notes.append(
            f"the slope of the link is taken for 1 by {', '.join(outside)}, and the linked run lies outside of its "
            "anchors: link months by anchors like it"
        )
    return notes


def _is_outside(chain: Chain) -> bool:
    """Return whether the first month's run lies outside the range of its anchors, where a slope would matter."""
    means = chain.months[0].means
    anchors = means[chain.steps[0].earlier]
    return not chain.links[0].estimated and not anchors.min() <= means[chain.first] <= anchors.max()
