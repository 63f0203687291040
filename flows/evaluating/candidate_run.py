"""Plan the run of a checkpoint that is judged against a stored run, with the settings and evaluators of that run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evaluators.scoring import select
from flows.comparing.differences import deciding, decisive
from flows.comparing.judge_pair import named_metrics
from flows.comparing.one_evaluator import by_metric
from flows.evaluating.evaluate_all import check, for_chat
from flows.evaluating.generate import PlannedRun, load_model, plan
from flows.evaluating.going_on import request_of
from flows.progress import Progress
from flows.scoring.loaded_evaluators import LoadedEvaluators, choose
from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.models.backend import Backend
from newwiki.registry import ReadingEvaluator, SetEvaluator
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from newwiki.verdict_request import VerdictRequest
from storage import comparison, runs, snapshots
from storage.database import Database
from storage.run_names import Contender


@dataclass(frozen=True)
class Candidate:
    """A planned run, its loaded model, and the evaluators of the baseline that decide, by metric in order of
    importance."""

    planned: PlannedRun
    backend: Backend
    decoder: Decoder
    baseline: Contender
    loaded: LoadedEvaluators
    evaluators: Mapping[str, str]
    notes: Sequence[str]


def prepare(database: Database, request: VerdictRequest, settings: Settings, progress: Progress) -> Candidate:
    """Plan the candidate's run with the settings of the baseline, and load its model and the evaluators.

    Raises UsageError for a baseline that is no stored run or whose settings a command cannot repeat. Raises
    TerminalError if the checkpoint is the baseline's, or if no metric of the baseline can be computed here.
    """
    [baseline] = comparison.contenders(database, [request.baseline], snapshot=request.snapshot, note=progress.note)
    if baseline.settings is None:
        raise UsageError(
            f"{baseline.run_id} is not a run: with --until-sure, name the run to judge the checkpoint against"
        )
    evaluation, template = _evaluation(database, request, baseline)
    settings = replace(settings, template=template)
    evaluation = for_chat(database, evaluation, settings)
    cutoffs = check(database, evaluation, settings)
    evaluators, loaded, notes = _evaluators(database, request, baseline, settings, progress)
    [decoder] = parse(evaluation.decoder[0])
    [name] = evaluation.models
    backend = load_model(evaluation.backend, name, evaluation.loading)
    planned = plan(database, backend, decoder, evaluation, settings.template, cutoffs[name])
    if planned.run.run_id == baseline.run_id:
        raise TerminalError(f"{name} under {decoder.short} is run {baseline.run_id} itself; name another checkpoint")
    return Candidate(planned, backend, decoder, baseline, loaded, evaluators, notes)


def _evaluation(database: Database, request: VerdictRequest, baseline: Contender) -> tuple[EvaluationRequest, str]:
    """Return the evaluation of the checkpoint with the settings of the baseline, and the baseline's template."""
    run, _ = runs.with_articles(database, baseline.run_id)
    stored = request_of(run, len(snapshots.articles(database, run.snapshot_id)))
    if stored is None:
        raise UsageError(
            f"run {run.run_id} does not record all of its settings, so the checkpoint cannot be evaluated like it; "
            "evaluate the checkpoint with `newwiki evaluate`, then give `newwiki verdict` both runs"
        )
    if request.decoder and len(parse(request.decoder)) > 1:
        raise UsageError(f"--decoder {request.decoder} names several decoders: give one")
    evaluation = replace(
        stored,
        models=(request.candidate,),
        decoder=(request.decoder,) if request.decoder else stored.decoder,
        backend=request.backend or stored.backend,
        model_args=request.model_args,
        dtype=request.dtype or stored.dtype,
        batch_size=request.batch_size,
        memory=request.memory,
        allow_pickle=request.allow_pickle,
        trust_remote_code=request.trust_remote_code,
        knowledge_cutoff=request.knowledge_cutoff,
    )
    return evaluation, run.prompt_template


def _evaluators(
    database: Database, request: VerdictRequest, baseline: Contender, settings: Settings, progress: Progress
) -> tuple[Mapping[str, str], LoadedEvaluators, list[str]]:
    """Return the baseline's evaluator of each metric that decides, the loaded evaluators, and notes."""
    scorings = comparison.scorings_with_reading(database, [baseline.run_id])
    by_name = by_metric(decisive(scorings) if request.metrics == "content" else scorings)
    stored = {metric: newest[0].evaluator_id for metric, newest in by_name.items()}
    names, notes = named_metrics(request.metrics), list[str]()
    if unknown := [name for name in names or () if name not in stored]:
        raise UsageError(
            f"run {baseline.run_id} has no texts scored by '{unknown[0]}'{did_you_mean(unknown[0], stored) or ';'} it "
            f"has: {', '.join(stored) or 'none'}"
        )
    if names:
        stored = {name: stored[name] for name in names}
    elif request.metrics == "content" and stored:
        stored, notes, _ = deciding(database, {baseline.run_id: baseline.snapshot_id}, stored)
    usable = {metric: _reason(metric) for metric in stored}
    chosen = [metric for metric, reason in usable.items() if reason is None]
    refused = {metric: reason for metric, reason in usable.items() if reason is not None}
    loaded = LoadedEvaluators(choose(",".join(chosen), settings, progress) if chosen else [], settings)
    ids = {
        metric.name: loaded.fingerprints[evaluator.name].evaluator_id
        for evaluator in loaded.evaluators
        for metric in evaluator.metrics
    }
    for metric in chosen:
        if ids.get(metric) != stored[metric]:
            refused[metric] = (
                f"another evaluator scored the baseline; score it again: `newwiki score --run {baseline.run_id}`"
            )
    decided = {metric: stored[metric] for metric in chosen if metric not in refused}
    words = "; ".join(f"{metric}: {reason}" for metric, reason in refused.items())
    if not decided:
        reason = words or "it has no scores; run `newwiki score --missing`"
        raise TerminalError(f"no metric can judge a checkpoint against {baseline.run_id}: {reason}")
    if refused:
        notes.append(f"left out: {words}")
    needed = [e for e in loaded.evaluators if any(metric.name in decided for metric in e.metrics)]
    return decided, loaded.only(needed), notes


def _reason(metric: str) -> str | None:
    """Return why a metric cannot decide after every round, or None."""
    try:
        chosen = select(metric)
    except UsageError:
        return "no evaluator of this name is installed"
    if any(isinstance(evaluator, ReadingEvaluator) for evaluator in chosen):
        return "the model would have to read all articles, as `newwiki evaluate` has it do"
    if any(isinstance(evaluator, SetEvaluator) for evaluator in chosen):
        return "it has no number for each text"
    if any(evaluator.costly for evaluator in chosen):
        return "it scores only a part of the texts"
    return None
