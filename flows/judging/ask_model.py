"""Use a model as a judge. The model answers each question on each pair in both orders of the texts."""

import hashlib
import json
from collections import defaultdict
from dataclasses import asdict, replace
from datetime import UTC, datetime

from flows.evaluating.generate import every_few_seconds, find_models, load_model
from flows.judging.judged_values import from_origin
from flows.judging.pairing import Pairing
from flows.progress import Progress
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.judge_request import JudgeRequest
from newwiki.judging.judgement import Judgement, Pair, Run, read_answer
from newwiki.judging.rubric import Rubric
from newwiki.models.backend import Backend, Writing, numerics_of
from newwiki.private_places import public_name
from newwiki.records import Completion, Fingerprint, Prompt
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill
from storage import judgements, runs
from storage.database import Database

BRIDGE = 100  # maximum number of pairs that link a new judge to an old judge
VERSION = "1"  # version of the questions and of the parsing of answers
_ORDERS: tuple[Run, Run] = ("a", "b")


def ask_model(database: Database, pairing: Pairing, request: JudgeRequest, progress: Progress) -> str:
    """Ask the model the unanswered questions, and return its judge id.

    Stores the answers every few seconds, so they survive a failure. Raises an error if the model is unavailable or
    fails.
    """
    assert request.model
    pairs = pairing.pairs if request.bridge is None else _bridge(database, pairing, request.bridge)
    find_models(request.backend, [request.model], request.loading)
    backend = load_model(request.backend, request.model, request.loading)
    judge = fingerprint(backend, pairing.rubric, request.max_new_tokens)
    runs.register(database, [judge], [])
    stored = judgements.answered(database, *pairing.ids, judge.evaluator_id, "model", pairing.rubric)
    answered = {(judgement.page_id, judgement.criterion, judgement.first) for judgement in stored}
    wanted = [
        (pair, place, first)
        for pair in pairs
        for place, criterion in enumerate(pairing.rubric.criteria)
        for first in _ORDERS
        if (pair.page_id, criterion.name, first) not in answered
    ]
    if not wanted:
        progress.note(f"{request.model}: all answers on {len(pairs):,} pairs are there ({judge.evaluator_id})")
        return judge.evaluator_id
    writing = Writing(max_new_tokens=request.max_new_tokens, note=progress.note)
    [greedy] = parse("greedy")
    prompts = [(_question(pairing.rubric, *question), _number(*question[1:])) for question in wanted]
    by_page, total, done = {pair.page_id: pair for pair in pairs}, len(wanted), 0
    with progress.stretch(f"{request.model} judges", "answers") as bar:
        bar.update(done, total)
        for batch in every_few_seconds(backend.complete(prompts, greedy, writing)):
            answers = [
                _judgement(by_page[completion.page_id], pairing.rubric, judge.evaluator_id, completion)
                for completion in batch
            ]
            judgements.keep(database, pairing.rubric, answers)
            done += len(batch)
            bar.update(done, total)
    return judge.evaluator_id


def fingerprint(backend: Backend, rubric: Rubric, max_new_tokens: int) -> Fingerprint:
    """Return the fingerprint of a judge: the model, its settings, the wording of the questions, and the answer length.

    Any change gives a different judge.
    """
    unnamed = Fingerprint(
        evaluator_id="",
        name="pairwise_judge",
        version=VERSION,
        model=public_name(backend.name),
        model_sha256=backend.sha256,
        parameters={
            "criteria": json.loads(rubric.criteria_json),
            "template": rubric.template,
            "decoder": "greedy",
            "max_new_tokens": max_new_tokens,
            "numerics": numerics_of(backend),
            **backend.settings,
        },
        dtype=backend.dtype,
        backend=backend.backend,
    )
    described = {name: value for name, value in asdict(unnamed).items() if name != "evaluator_id"}
    canonical = json.dumps(described, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return replace(unnamed, evaluator_id=hashlib.sha256(canonical.encode()).hexdigest()[:16])


def _bridge(database: Database, pairing: Pairing, judge: str) -> list[Pair]:
    """Return the first `BRIDGE` pairs that an earlier judge has judged.

    `judge` is a name, an id or the beginning of an id, with ` (from ORIGIN)` for answers from another database. Raises
    UsageError unless it names exactly one judge.
    """
    pages_by_judge = defaultdict[str, set[int]](set)
    for judgement in judgements.every(database, *pairing.ids):
        pages_by_judge[from_origin(judgement.judge, judgement.origin)].add(judgement.page_id)
    known = sorted(pages_by_judge)
    meant = [name for name in known if name == judge] or [name for name in known if name.startswith(judge)]
    if len(meant) != 1:
        problem = "are several judges" if meant else "has judged no pair of these runs"
        raise UsageError(f"'{judge}' {problem}; --bridge names one of: {', '.join(meant or known) or 'nobody yet'}")
    return [pair for pair in pairing.all_pairs if pair.page_id in pages_by_judge[meant[0]]][:BRIDGE]


def _question(rubric: Rubric, pair: Pair, place: int, first: Run) -> Prompt:
    beginning = fill(DEFAULT_TEMPLATE, pair.title, pair.first_sentence)
    return Prompt(pair.page_id, rubric.question(rubric.criteria[place], beginning, *pair.in_order(first)))


def _number(place: int, first: Run) -> int:
    """Return the number of a question about a pair, which the backend receives as the sample number."""
    return 2 * place + _ORDERS.index(first)


def _judgement(pair: Pair, rubric: Rubric, judge: str, completion: Completion) -> Judgement:
    place, order = divmod(completion.sample, 2)
    return Judgement(
        run_a=pair.run_a,
        run_b=pair.run_b,
        page_id=pair.page_id,
        sample_a=pair.sample_a,
        sample_b=pair.sample_b,
        judge=judge,
        judge_kind="model",
        rubric_sha256=rubric.sha256,
        criterion=rubric.criteria[place].name,
        first=_ORDERS[order],
        answer=read_answer(completion.text),
        said=completion.text,
        judged_at=datetime.now(UTC),
    )
