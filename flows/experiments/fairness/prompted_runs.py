"""Make the runs on a prompt set, one for each model and decoder, with the steps of an evaluation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluators.scoring import is_installed, reads_article, select
from flows.evaluating.asked_prompts import TEMPLATE, asked_of
from flows.evaluating.generate import find_models, plan_on
from flows.evaluating.write_shard import ShardedModel
from flows.experiments.evaluations import Evaluations
from flows.experiments.fairness.request import FAIRNESS_METRICS, FairnessRequest
from flows.scoring.loaded_evaluators import LoadedEvaluators
from flows.scoring.score_shard import ShardedScoring
from flows.workers.shards import ShardsFailed
from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import TerminalError, UsageError
from newwiki.knowledge_cutoff import known_cutoff
from newwiki.prompting.prompt_set import PromptSet
from newwiki.records import Metric, Run
from newwiki.registry import Evaluator, ReadingEvaluator, SetEvaluator, makers
from newwiki.settings import Settings

NOT_AT_HAND = "is not at hand"


@dataclass(frozen=True)
class SweepSetting:
    """A decoder at its place in a sweep, and the value of the varied parameter."""

    sweep: str
    place: int
    value: str
    decoder: Decoder


@dataclass(frozen=True)
class PromptedRun:
    """A run with its model and its setting in a sweep."""

    model: str
    setting: SweepSetting
    run: Run


def sweeps(specifications: Sequence[str]) -> list[SweepSetting]:
    """Return the settings of each specification in order; a sweep is named after its varied parameters.

    Raises UsageError if two sweeps vary the same parameters.
    """
    settings = []
    for specification in specifications:
        chosen = parse(specification)
        first = chosen[0].parameters
        varied = [name for name in first if len({decoder.parameters[name] for decoder in chosen}) > 1]
        for place, decoder in enumerate(chosen):
            value = ", ".join(str(decoder.parameters[name]) for name in varied)
            settings.append(SweepSetting(", ".join(varied) or decoder.short, place, value or decoder.short, decoder))
    if len({(setting.sweep, setting.place) for setting in settings}) < len(settings):
        raise UsageError(f"two sweeps vary the same: {', '.join(specifications)}; make them one grid")
    return settings


def chosen_evaluators(
    request: FairnessRequest, settings: Settings, language: str
) -> tuple[list[Evaluator], Mapping[str, str]]:
    """Return the evaluators, and for each default metric that is left out the reason.

    Raises UsageError for a metric that is not a share of negatives computed from a text alone, and for a named metric
    that does not support the prompts' language. Raises TerminalError if no metric remains.
    """
    chosen = select(request.metrics)
    for evaluator in chosen:
        wrong = isinstance(evaluator, SetEvaluator | ReadingEvaluator) or reads_article(evaluator)
        if wrong or len(evaluator.metrics) > 1 or not _is_share(evaluator.metrics[0]):
            raise UsageError(
                f"'{evaluator.metrics[0].name}' is no share between 0 and 1, the less the better, that is read off a "
                f"text alone; the usual ones are {FAIRNESS_METRICS}"
            )
    by_name = request.metrics != FAIRNESS_METRICS
    left_out: dict[str, str] = {}
    for evaluator in chosen:
        name = evaluator.metrics[0].name
        if not by_name and not _is_at_hand(evaluator, settings):
            left_out[name] = NOT_AT_HAND
        elif (known := _languages(evaluator, settings)) and language not in known:
            left_out[name] = f"reads {', '.join(sorted(known))}, and the prompts are in {language}"
    if by_name and left_out:
        [name, why], *_ = left_out.items()
        raise UsageError(
            f"'{name}' {why}: what it finds in another language means nothing; name a list of negative words of that "
            f"language by --lexicon, with `; language: {language}` in its first line, or a classifier by --scorer, or "
            "give prompts in a language that it reads"
        )
    here = [evaluator for evaluator in chosen if evaluator.metrics[0].name not in left_out]
    if not here:
        reasons = "; ".join(f"{name} {why}" for name, why in left_out.items())
        raise TerminalError(
            f"no metric can judge these prompts: {reasons}; give prompts in a language that one reads, or name a list "
            "of negative words by --lexicon or a classifier by --scorer"
        )
    return here, left_out


def make_runs(
    evaluations: Evaluations, request: FairnessRequest, prompts: PromptSet, evaluators: Sequence[Evaluator]
) -> tuple[list[PromptedRun], Mapping[str, str]]:
    """Make the run of each model at each setting, and return the runs and the evaluator ids by metric.

    Stored texts and scores are reused. Raises ShardsFailed if an executor could not finish a run, after all other runs
    are finished.
    """
    database, executor, progress = evaluations.database, evaluations.executor, evaluations.progress
    settings = sweeps(request.decoder)
    folders = find_models(request.backend, request.models, request.loading)
    plan = asked_of(prompts)
    texts = len(prompts.prompts) * request.samples
    scorers = LoadedEvaluators(evaluators, evaluations.settings, texts, request.judged)
    scoring = ShardedScoring(executor) if executor else None
    known = dict(evaluations.settings.knowledge_cutoffs)
    runs, failures = [], []
    for name in request.models:
        cutoff = known_cutoff(name, request.knowledge_cutoff, known, folders.get(name))
        model = evaluations.load(request.backend, name, request.loading)
        if executor:
            decoders = [setting.decoder for setting in settings]
            model = ShardedModel(model, request.backend, request.loading, decoders, executor)
        for setting in settings:
            planned = plan_on(database, plan, model, setting.decoder, request, TEMPLATE, cutoff)
            try:
                at_once = executor is not None
                evaluations.steps.write(database, planned, model, setting.decoder, progress, at_once=at_once)
                evaluations.steps.score(database, planned, scorers, progress, scoring)
            except ShardsFailed as error:
                failures.append(f"run {planned.run.run_id} ({name} {setting.decoder.short}): {error}")
            runs.append(PromptedRun(name, setting, planned.run))
    if failures:
        raise ShardsFailed("; ".join(failures) + "; run the same command again for what is missing")
    return runs, {
        evaluator.metrics[0].name: scorers.fingerprints[evaluator.name].evaluator_id for evaluator in evaluators
    }


def _is_at_hand(evaluator: Evaluator, settings: Settings) -> bool:
    return is_installed(evaluator) and all(makers.get(part).at_hand(settings) for part in evaluator.needs)


def _languages(evaluator: Evaluator, settings: Settings) -> frozenset[str]:
    """Return the languages that the metric supports, or an empty set if it supports all or they are unknown."""
    known = [evaluator.languages, *(makers.get(part).languages(settings) for part in sorted(evaluator.needs))]
    return frozenset.intersection(*supported) if (supported := [each for each in known if each]) else frozenset()


def _is_share(metric: Metric) -> bool:
    return (metric.minimum, metric.maximum) == (0.0, 1.0) and metric.direction != "higher"
