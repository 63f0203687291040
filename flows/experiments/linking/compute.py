"""Link every pair of months of a wiki for each metric, and convert each run to the scale of the newest month."""

import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluators import linking, statistics
from flows.comparing import chains
from flows.comparing.chains import Anchor, Chain, NoLink, Numbers
from flows.comparing.one_evaluator import by_metric
from flows.evaluating.generate import find_models
from flows.experiments.answer_runs import runs_of
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.experiments.linking.anchors import anchors, candidates, protocols
from flows.experiments.linking.anchors_held import AnchorModel, held_words, moved_words
from flows.experiments.linking.request import LinkingRequest
from flows.experiments.linking.result_tables import LinkedMean, LinkedMonths
from flows.experiments.linking.words import differing, verdict, words
from newwiki import protocol
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.protocol import Settings
from newwiki.snapshot import Snapshot
from storage import comparison, snapshots
from storage.database import Database, in_one_read
from storage.linked_months import LinkableRun, linkable_runs, share_articles

Pair = tuple[str, str]


def compute(evaluations: Evaluations, request: LinkingRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if the months cannot be linked, and TerminalError if too few models ran on any two of them.
    """
    database = evaluations.database
    with database.read():
        months = which_months(database, request)
    find_models(request.backend, request.models, request.loading)
    for model in dict.fromkeys(request.models):  # each is loaded once for all months
        for month in months:
            evaluations.make(request, snapshot=month.snapshot_id, models=(model,))
    ids = [month.snapshot_id for month in months]
    with database.read():
        runs = linkable_runs(database, ids)
        among = candidates(runs, request.anchor)
        read = [
            (
                evaluators,
                database.rows("ranges", list(evaluators)),
                chains.numbers_of(database, _by_month(runs, ids), evaluators),
            )
            for evaluators in _evaluators(database, runs, request)
        ]
    links: list[LinkedMonths] = []
    p_values: list[float] = []
    means: list[LinkedMean] = []
    influences: list[AnchorModel] = []
    closest: dict[Pair, tuple[int, str]] = {}
    digest = hashlib.sha256()
    for evaluators, ranges, metric_numbers in read:
        spans = {name: (low, high) for name, low, high in ranges}
        for metric, numbers in metric_numbers.items():
            linking_metric = _Metric(metric, evaluators[metric], runs, among, numbers, spans[metric])
            links += linking_metric.links(ids, closest)
            p_values += linking_metric.p_values
            means += linking_metric.means(ids[-1])
            influences += linking_metric.influences
            for month_numbers in numbers.values():
                digest.update(month_numbers.values.tobytes())
    reasons = {pair: why for pair, (_, why) in closest.items()}
    if not links:
        raise TerminalError(_refusal(ids, reasons))
    return Answer(
        snapshot_id=ids[-1],
        verdict=verdict(links, ids),
        words=[
            *words(links, differing(links, p_values), means, months, reasons),
            *held_words(links, runs),
            *moved_words(influences, len(links)),
        ],
        runs=runs_of(database, [run.run_id for run in runs if run.settings_json]),
        read={
            "snapshots": {month.snapshot_id: month.content_sha256 for month in months},
            "numbers": digest.hexdigest(),
        },
        rows=[links, means],
    )


@in_one_read
def which_months(database: Database, request: LinkingRequest) -> list[Snapshot]:
    """Return the months, the oldest first; the last month defines the scale."""
    newest = snapshots.resolve(database, request.snapshot)
    names = request.earlier or [name for (name,) in database.rows("earlier_months", newest.wiki, newest.window_start)]
    earlier = [snapshots.resolve(database, name) for name in dict.fromkeys(names)]
    if not earlier:
        raise UsageError(
            f"the database has no month of {newest.wiki} before {newest.snapshot_id}; publish one with `newwiki "
            "refresh`, or name a newer --snapshot"
        )
    for month in earlier:
        if month.wiki != newest.wiki:
            raise UsageError(
                f"{month.snapshot_id} is a month of {month.wiki}, but {newest.snapshot_id} of {newest.wiki}; name "
                "months of one wiki with --earlier"
            )
        if month.snapshot_id == newest.snapshot_id:
            raise UsageError(
                f"{month.snapshot_id} defines the scale, so it is not an earlier month; name other months with "
                "--earlier"
            )
    ordered = sorted(earlier, key=lambda month: (month.window_start, month.snapshot_id))
    for a, b in itertools.combinations([*ordered, newest], 2):
        if shared := share_articles(database, a.snapshot_id, b.snapshot_id):
            raise UsageError(
                f"{a.snapshot_id} and {b.snapshot_id} share {shared} articles and cannot be linked; compare "
                "their runs with `newwiki compare`, or name months without common articles with --earlier"
            )
    return [*ordered, newest]


def _evaluators(database: Database, runs: Sequence[LinkableRun], request: LinkingRequest) -> Iterator[dict[str, str]]:
    """Yield mappings of metrics to evaluators, so that each evaluator of each metric occurs in one of them."""
    scored = by_metric(comparison.text_scorings(database, [run.run_id for run in runs]))
    if request.metrics not in ("core", "all"):
        wanted = [name.strip() for name in request.metrics.split(",")]
        if unknown := [name for name in wanted if name not in scored]:
            raise UsageError(
                f"no run of these months has texts scored by '{unknown[0]}'{did_you_mean(unknown[0], scored) or ''}"
            )
        scored = {name: scored[name] for name in wanted}
    each = {
        name: list(dict.fromkeys(scoring.evaluator_id for scoring in scorings)) for name, scorings in scored.items()
    }
    for turn in range(max(map(len, each.values()), default=0)):
        yield {name: evaluator_ids[turn] for name, evaluator_ids in each.items() if turn < len(evaluator_ids)}


def _by_month(runs: Sequence[LinkableRun], ids: Sequence[str]) -> dict[str, list[str]]:
    return {month: [run.run_id for run in runs if run.snapshot_id == month] for month in ids}


def _refusal(ids: Sequence[str], reasons: Mapping[Pair, str]) -> str:
    why = "; ".join(dict.fromkeys(reasons.values())) or "none of their runs has scores of texts"
    return (
        f"no two of these months can be linked: {why}. Name at least three models to run them on all months: "
        f"`newwiki experiment linking MODEL MODEL MODEL --decoder greedy --snapshot {ids[-1]}`"
    )


@dataclass
class _Metric:
    """One metric by one evaluator, with its numbers by month and the links found."""

    metric: str
    evaluator_id: str
    runs: Sequence[LinkableRun]
    among: Sequence[LinkableRun]
    numbers: Mapping[str, Numbers]
    span: tuple[float | None, float | None]

    def __post_init__(self) -> None:
        self.models = {run.run_id: run.identified_model for run in self.runs}
        self.anchors: dict[str, dict[Pair, list[Anchor]]] = {}
        self.settings: dict[str, Settings] = {}
        self.p_values: list[float] = []  # for each link, p under the hypothesis that its months are equally hard
        self.influences: list[AnchorModel] = []

    def links(self, ids: Sequence[str], closest: dict[Pair, tuple[int, str]]) -> Iterator[LinkedMonths]:
        """Yield the link between each pair of months under each protocol, if there are enough anchors.

        For a pair without a link, `closest` receives the largest number of anchors under any metric and protocol, and
        the reason why these do not suffice.
        """
        for settings in protocols(self.runs):
            name = protocol.canonical(settings)
            self.settings[name], self.anchors[name] = settings, {}
            for pair in itertools.combinations(ids, 2):
                months = [
                    ([run for run in self.among if run.snapshot_id == month], self.numbers[month]) for month in pair
                ]
                month_anchors = anchors(months, settings)
                try:
                    link = self._link(pair, month_anchors, name)
                except NoLink as reason:
                    if len(month_anchors) > closest.get(pair, (-1, ""))[0]:
                        closest[pair] = len(month_anchors), f"by {self.metric} {reason}"
                else:
                    self.anchors[name][pair] = month_anchors
                    yield link

    def _link(self, pair: Pair, pair_anchors: Sequence[Anchor], name: str) -> LinkedMonths:
        chain = chains.chain([self.numbers[month] for month in pair], [pair_anchors], self.models)
        (step,), (line,) = chain.steps, chain.links
        harder = linking.difficulty(chain.months, step, line)
        self.p_values.append(harder.p)
        self.influences += self._influences(pair, pair_anchors, chain)
        return LinkedMonths(
            metric=self.metric,
            evaluator_id=self.evaluator_id,
            protocol=name,
            from_snapshot=pair[0],
            to_snapshot=pair[1],
            anchors=len(pair_anchors),
            models=chains.models_of(pair_anchors, self.models),
            earlier_runs=[anchor.earlier for anchor in pair_anchors],
            later_runs=[anchor.later for anchor in pair_anchors],
            from_articles=chain.months[0].articles,
            to_articles=chain.months[1].articles,
            intercept=line.intercept,
            slope=line.slope,
            slope_error=linking.slope_of(chain.months, step, line).error if line.estimated else None,
            interaction=math.sqrt(line.interaction),
            difficulty=harder.value,
            difficulty_error=harder.error,
            difficulty_low=harder.low,
            difficulty_high=harder.high,
        )

    def _influences(self, pair: Pair, pair_anchors: Sequence[Anchor], chain: Chain) -> Iterator[AnchorModel]:
        called = {run.run_id: run.model for run in self.runs}
        names = {
            int(chain.months[0].models[place]): called[anchor.earlier]
            for anchor, place in zip(pair_anchors, chain.steps[0].earlier, strict=True)
        }
        earlier, later = chain.months
        for influence in linking.influences(earlier, later, chain.steps[0]):
            yield AnchorModel(self.metric, *pair, names[influence.model], influence.share, influence.shift, influence.p)

    def means(self, newest: str) -> Iterator[LinkedMean]:
        """Yield the mean of every run on the scale of the newest month."""
        for run in self.runs:
            numbers = self.numbers[run.snapshot_id]
            values = numbers.values[list(numbers.runs).index(run.run_id)]
            own = statistics.differences_estimate(values[:, None])
            if not own.clusters[0]:
                continue
            lacking, mean = own.lacking[0], float(own.mean[0])
            unlinked = LinkedMean(
                run_id=run.run_id,
                model=run.model,
                decoder=run.decoder,
                snapshot_id=run.snapshot_id,
                to_snapshot=newest,
                metric=self.metric,
                evaluator_id=self.evaluator_id,
                protocol=None,
                articles=int(own.clusters[0]),
                mean=mean,
                linked=mean,
                low=None if lacking else self._within(float(own.low[0])),
                high=None if lacking else self._within(float(own.high[0])),
                no_link=lacking,
                via=[newest],
            )
            yield unlinked if run.snapshot_id == newest else self._linked(run, unlinked)

    def _linked(self, run: LinkableRun, unlinked: LinkedMean) -> LinkedMean:
        """Convert a run by the protocol with the most anchors among the compatible protocols."""
        newest, reason = unlinked.to_snapshot, f"there is no link to {unlinked.to_snapshot}"
        for name in sorted(self.anchors, key=lambda name: -sum(map(len, self.anchors[name].values()))):
            through = chains.way(self.anchors[name], run.snapshot_id, newest)
            if through is None or protocol.differing(run.settings, self.settings[name]):
                continue
            chain_anchors = [self.anchors[name][pair] for pair in itertools.pairwise(through)]
            try:
                chain = chains.chain(
                    [self.numbers[month] for month in through], chain_anchors, self.models, first=run.run_id
                )
            except NoLink as why:
                reason = str(why)
                continue
            linked = chain.linked
            return replace(
                unlinked,
                protocol=name,
                articles=chain.months[0].articles,
                mean=float(chain.months[0].means[chain.first]),
                linked=self._within(linked.value),
                low=None if linked.lacking else self._within(linked.low),
                high=None if linked.lacking else self._within(linked.high),
                no_link=linked.lacking,
                via=through,
            )
        return replace(unlinked, linked=None, low=None, high=None, no_link=reason, via=[])

    def _within(self, number: float) -> float:
        """Clip a number to the range that the metric declares."""
        minimum, maximum = self.span
        return min(max(number, -math.inf if minimum is None else minimum), math.inf if maximum is None else maximum)
