"""Compare models on matched articles of an old and a new snapshot; missing runs are made first."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from evaluators import statistics
from flows.comparing.one_evaluator import left_out_words, of_all
from flows.experiments.answer_runs import require_same_weights, runs_of
from flows.experiments.cutoff.findings import seen_direction
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.experiments.leakage.blind_baseline import Separation, blind_scores, separation, set_beside
from flows.experiments.leakage.gaps import SAME_BITS, PairedScores, gaps, judged_together, paired
from flows.experiments.leakage.matching import ArticleFacts, Matching, match
from flows.experiments.leakage.request import LeakageRequest
from flows.experiments.leakage.result_tables import Gap, Membership
from flows.experiments.leakage.words import verdict, words
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Run
from newwiki.snapshot import Snapshot
from storage import comparison, snapshots
from storage.database import Database

# The scores for guessing whether a text was read, with the sign that makes the likelier text's score the higher one
_MEMBERSHIP = {"min_k_percent": 1.0, "bits_per_byte": -1.0}


@dataclass(frozen=True)
class RunPair:
    """One model under one decoder on both snapshots."""

    old: Run
    new: Run


def compute(evaluations: Evaluations, request: LeakageRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if the snapshots cannot be compared, and TerminalError if no articles match.
    """
    database = evaluations.database
    old, new = which_snapshots(database, request)
    matching = _match(database, request, old, new)
    pairs = _pairs(evaluations, request, old, new)
    control = {pair.old.decoder: pair for pair in pairs if pair.old.model == request.control}
    all_gaps: list[Gap] = []
    memberships: list[Membership] = []
    read: list[tuple[str, str]] = []
    directions: dict[str, str] = dict(database.rows("metric_directions"))
    left_out: dict[str, None] = {}
    texts = _texts(database, old, matching, "old"), _texts(database, new, matching, "new")
    blind: Separation | None = None
    for pair in pairs:
        if pair.old.model == request.control:
            continue
        beside = control.get(pair.old.decoder)
        run_ids = [run.run_id for run_pair in (pair, beside) if run_pair for run in (run_pair.old, run_pair.new)]
        evaluators, disputed = of_all(comparison.text_scorings(database, run_ids), run_ids)
        left_out |= dict.fromkeys(disputed)
        scores = _scores(database, pair, evaluators, matching)
        control_scores = _scores(database, beside, evaluators, matching) if beside else None
        all_gaps += gaps(evaluators, scores, control_scores, request.seed)
        read += [(run.run_id, name) for run in (pair.old, pair.new) for name in sorted(set(evaluators.values()))]
        for score, old_scores, new_scores in _members(evaluators, scores):
            blind = blind or separation(*blind_scores(*texts, request.seed), request.seed)
            memberships.append(
                set_beside(pair.old.model, score, separation(old_scores, new_scores, request.seed), blind)
            )
    all_gaps = judged_together(
        all_gaps, {metric: _better(metric, directions) for metric in {gap.metric for gap in all_gaps}}
    )
    if not all_gaps:
        raise TerminalError(
            "no metric has numbers of both snapshots by one evaluator; score their runs alike: newwiki score --missing"
        )
    return Answer(
        snapshot_id=new.snapshot_id,
        verdict=verdict(all_gaps),
        words=[*words(all_gaps, memberships, matching, old, new), *left_out_words(left_out)],
        runs=runs_of(database, [run.run_id for pair in pairs for run in (pair.old, pair.new)]),
        read={
            "old": old.content_sha256,
            "new": new.content_sha256,
            "scored": read,
        },
        pinned={"old": old.snapshot_id},
        rows=[all_gaps, memberships, matching.pairs],
    )


def _better(metric: str, directions: Mapping[str, str]) -> str | None:
    """Return the direction of the metric on a text that was read: `lower`, `higher`, or None if it has none."""
    return "lower" if metric in SAME_BITS else seen_direction(metric, directions)


def which_snapshots(database: Database, request: LeakageRequest) -> tuple[Snapshot, Snapshot]:
    """Return the old snapshot and the new one."""
    new = snapshots.resolve(database, request.snapshot)
    if request.old is None:
        known = [name for (name,) in database.rows("old_snapshots", new.wiki)]
        if not known:
            months = [name for (name,) in database.rows("earlier_months", new.wiki, new.window_start)]
            instead = f"name an earlier month with --old {months[-1]}" if months else "name another month's by --old"
            raise UsageError(
                f"there is no snapshot of old articles of {new.wiki} here; make one with `newwiki refresh --kind old "
                f"--before 2020-01-01`, or {instead}"
            )
    old = snapshots.resolve(database, request.old or known[0])
    if old.wiki != new.wiki:
        raise UsageError(f"{old.snapshot_id} is of {old.wiki}, and {new.snapshot_id} of {new.wiki}; name two of one")
    if old.window_end > new.window_start:
        raise UsageError(
            f"the articles of {old.snapshot_id} are not older than those of {new.snapshot_id}; name the newer one by "
            "--snapshot, the older one by --old"
        )
    return old, new


def _match(database: Database, request: LeakageRequest, old: Snapshot, new: Snapshot) -> Matching:
    matching = match(*(_facts(database, snapshot, request.prompts) for snapshot in (old, new)))
    if not matching.pairs:
        raise TerminalError(
            f"no article of {old.snapshot_id} is like one of {new.snapshot_id} in {', '.join(matching.by)}; "
            "take larger snapshots"
        )
    return matching


def _facts(database: Database, snapshot: Snapshot, prompts: int | None) -> list[ArticleFacts]:
    page_ids = {article.page_id for article in snapshots.articles(database, snapshot.snapshot_id)[:prompts]}
    known = database.records(ArticleFacts, "matching_facts", snapshot.snapshot_id)
    return [article for article in known if article.page_id in page_ids]


def _pairs(evaluations: Evaluations, request: LeakageRequest, old: Snapshot, new: Snapshot) -> list[RunPair]:
    """Return the run pairs of the models, and of the control."""
    run_pairs = []
    for model in request.of_each_model:
        old_runs, new_runs = (
            {run.decoder: run for run in evaluations.make(request, snapshot=snapshot.snapshot_id, **model)}
            for snapshot in (old, new)
        )
        require_same_weights([*old_runs.values(), *new_runs.values()])
        run_pairs += [RunPair(run, new_runs[decoder]) for decoder, run in old_runs.items()]
    return run_pairs


def _scores(database: Database, pair: RunPair, evaluators: Mapping[str, str], matching: Matching) -> PairedScores:
    means = comparison.page_means(database, [pair.old.run_id, pair.new.run_id], evaluators)
    old_values, new_values = means.values
    return PairedScores(
        pair.old.model,
        pair.old.decoder,
        paired(old_values, means.pages, [article_pair.old_page_id for article_pair in matching.pairs]),
        paired(new_values, means.pages, [article_pair.new_page_id for article_pair in matching.pairs]),
    )


def _texts(database: Database, snapshot: Snapshot, matching: Matching, which: str) -> list[str]:
    """Return the published texts of the matched articles: title, first sentence and the rest."""
    known = {article.page_id: article for article in snapshots.articles(database, snapshot.snapshot_id)}
    chosen = [known[pair.old_page_id if which == "old" else pair.new_page_id] for pair in matching.pairs]
    return [f"{article.title}\n{article.first_sentence} {article.completion}" for article in chosen]


def _members(evaluators: Mapping[str, str], scores: PairedScores) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield the membership scores that every matched article has; yield none if there are too few pairs."""
    if len(scores.old) < statistics.FEWEST:
        return
    for place, metric in enumerate(evaluators):
        old_scores, new_scores = scores.old[:, place], scores.new[:, place]
        if (sign := _MEMBERSHIP.get(metric)) and np.isfinite([old_scores, new_scores]).all():
            yield metric, sign * old_scores, sign * new_scores
