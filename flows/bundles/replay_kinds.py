"""The ways to confirm a run: by its tokens, by a second generation or reading, and by the likelihood of its texts."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import takewhile
from typing import Any, cast

from evaluators.analysis import Analyst
from evaluators.counts import terms
from evaluators.scoring import fingerprint, score_reading
from flows.bundles.opened import OpenedBundle
from flows.bundles.replay import DEMANDS, Demand, Kind, Replayed
from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import NewWikiError
from newwiki.models.backend import ArticleReader, Backend, Writing
from newwiki.models.local import LocalModel
from newwiki.prompting.chat_prompts import turns
from newwiki.records import Completion, Prompt, Run, Unscorable
from newwiki.registry import ReadingEvaluator, reading_evaluators
from newwiki.snapshot import Article

_OWN_TEXTS = 8  # minimum number of the model's own texts in the comparison
_MARGIN, _WIDEST = 0.2, 1.5  # nats per token: smallest and largest margin between mean likelihoods
_DEVIATIONS = 4
_GRAM = 5  # words
_MORE_COPIED = 0.2  # maximum excess share of copied n-grams


@dataclass(frozen=True)
class DrawnRun:
    """A run with its drawn completions, out of `of`, and the loaded model with the run's weights."""

    bundle: OpenedBundle
    run: Run
    backend: Backend
    decoder: Decoder | None
    writing: Writing
    articles: Mapping[int, Article]
    completions: Sequence[Completion]
    of: int

    @property
    def demand(self) -> Demand:
        """The demand of the coarser dtype: that of the run, or that of the checker's computation."""
        coarse = ["bfloat16"] if getattr(self.backend, "quantised", None) else []
        dtypes = [dtype for dtype in (self.run.dtype, self.backend.dtype, *coarse) if dtype in DEMANDS]
        return max((DEMANDS[dtype] for dtype in dtypes), key=lambda demand: demand.tolerance)

    def prompt(self, page_id: int) -> Prompt:
        article = self.articles[page_id]
        return Prompt(page_id, *turns(self.run.prompt_template, article.title, article.first_sentence))

    @property
    def prompted(self) -> list[tuple[Prompt, Completion]]:
        return [(self.prompt(completion.page_id), completion) for completion in self.completions]

    def outcome(self, kind: Kind, confirmed: int, looked_at: int, demanded: float, passed: bool = True) -> Replayed:
        drawn = len(self.completions)
        return Replayed(self.run.run_id, kind, confirmed, looked_at, drawn, self.of, demanded, passed)

    def refuse(self, why: str) -> Exception:
        return self.bundle.refuse(f"run {self.run.run_id}: {why}")

    def refuse_text(self, completion: Completion, why: str) -> Exception:
        title = self.articles[completion.page_id].title[:60]
        return self.refuse(f"page {completion.page_id} ('{title}'), sample {completion.sample}: {why}")


def by_tokens(drawn: DrawnRun) -> Replayed:
    """Test whether the decoder chooses the tokens.

    Raises TerminalError for too few confirmed tokens in a text or in the run.
    """
    model, demand = cast(LocalModel, drawn.backend), drawn.demand
    assert drawn.decoder
    confirmed, looked_at = 0, 0
    verdicts = model.replay(drawn.prompted, drawn.decoder, drawn.writing, demand.tolerance)
    for completion in drawn.completions:
        try:
            verdict = next(verdicts)
        except ValueError as error:
            raise drawn.refuse_text(completion, str(error)) from None
        if len(verdict.contradicted) > _allowed(verdict.total, demand.each, demand):
            raise drawn.refuse_text(
                completion,
                f"the decoder chooses {verdict.confirmed} of {verdict.total} tokens; at least {demand.each:.0%} are "
                f"demanded of a text in {drawn.run.dtype}",
            )
        confirmed, looked_at = confirmed + verdict.confirmed, looked_at + verdict.total
    if looked_at - confirmed > _allowed(looked_at, demand.replayed, demand):
        raise drawn.refuse(
            f"the decoder chooses {confirmed:,} of {looked_at:,} tokens in {len(drawn.completions)} texts; at least "
            f"{demand.replayed:.1%} are demanded in {drawn.run.dtype}"
        )
    return drawn.outcome("replay", confirmed, looked_at, demand.replayed)


def _allowed(total: int, share: float, demand: Demand) -> float:
    """Return the number of tokens that may differ. The last term covers the rounding of the product."""
    return demand.spare + (1 - share) * total + 1e-9


def by_generating(drawn: DrawnRun) -> Replayed:
    """Generate the completions again.

    Raises TerminalError if too little of the texts is equal before the first difference.
    """
    assert drawn.decoder
    requests = [(prompt, completion.sample) for prompt, completion in drawn.prompted]
    batches = drawn.backend.complete(requests, drawn.decoder, drawn.writing)
    generated = {(completion.page_id, completion.sample): completion for batch in batches for completion in batch}
    pairs = [(completion, generated[completion.page_id, completion.sample]) for completion in drawn.completions]
    confirmed, looked_at = sum(_same(*pair) for pair in pairs), sum(own.tokens or 0 for _, own in pairs)
    demand = drawn.demand
    if looked_at - confirmed > _allowed(looked_at, demand.anew, demand):
        other, own = next((stored, own) for stored, own in pairs if _same(stored, own) < (own.tokens or 0))
        raise drawn.refuse_text(
            other,
            f"generated again, it is another text from character {_agreeing(other.text, own.text) + 1} on; of "
            f"{looked_at:,} tokens in {len(pairs)} texts {confirmed:,} are the same from the beginning on, and at "
            f"least {demand.anew:.0%} are demanded in {drawn.run.dtype}",
        )
    if drawn.backend.dtype != "float32":
        by_plausibility(drawn)
    return drawn.outcome("anew", confirmed, looked_at, demand.anew)


def _same(stored: Completion, own: Completion) -> int:
    """Return the number of equal tokens before the first difference between a text and its second generation."""
    tokens = own.tokens or 0
    if stored.text == own.text:
        return tokens if (stored.tokens, stored.finish_reason) == (own.tokens, own.finish_reason) else 0
    if stored.token_ids and own.token_ids:
        return _agreeing(stored.token_ids, own.token_ids)
    return tokens * _agreeing(stored.text, own.text) // max(len(stored.text), len(own.text), 1)


def _agreeing(first: Sequence[Any], other: Sequence[Any]) -> int:
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, other, strict=False)))


def by_reading(drawn: DrawnRun, pages: Sequence[int]) -> Replayed:
    """Compare the scores of a likelihood run with new scores by the model.

    Raises TerminalError for a different number.
    """
    bundle, run, bound = drawn.bundle, drawn.run, drawn.demand.score
    evaluator_ids = {part["evaluator_id"] for part, _ in bundle.of("scores") if part["run_id"] == run.run_id}
    installed = installed_reading_evaluators()
    known = [evaluator for evaluator_id, evaluator in installed.items() if evaluator_id in evaluator_ids]
    fingerprints = {evaluator.name: fingerprint(evaluator, Analyst()) for evaluator in known}
    prompts = [(drawn.prompt(page_id), drawn.articles[page_id].completion) for page_id in pages]
    reader = cast(ArticleReader, drawn.backend)
    confirmed = 0
    for page_id, pair in zip(pages, prompts, strict=True):
        [reading] = reader.readings([pair], standardised=any(evaluator.standardised for evaluator in known))
        for score in score_reading(known, fingerprints, page_id, reading):
            rows = bundle.entries("scores", run.snapshot_id, run.run_id, score.evaluator_id)
            row = next(
                (stored for stored in rows if (stored["page_id"], stored["metric"]) == (page_id, score.metric)), None
            )
            value = None if row is None else row["value"]
            same = value == score.value or (
                value is not None
                and score.value is not None
                and math.isclose(value, score.value, rel_tol=bound, abs_tol=bound)
            )
            if row is None or not same:
                title = drawn.articles[page_id].title[:60]
                raise drawn.refuse(
                    f"page {page_id} ('{title}'): {score.metric} is {score.value}, read again, and not {value}"
                )
            confirmed += 1
    why = "" if known else "no evaluator with the fingerprint of its scores is installed here"
    return Replayed(run.run_id, "reading", confirmed, confirmed, len(pages), drawn.of, 1.0, bool(known), why)


def installed_reading_evaluators() -> dict[str, ReadingEvaluator]:
    """Return the installed evaluators of likelihood runs by evaluator id."""
    return {
        fingerprint(evaluator, Analyst()).evaluator_id: evaluator for evaluator in reading_evaluators.all().values()
    }


def by_plausibility(drawn: DrawnRun) -> Replayed:
    """Compare how likely the model finds the texts with how likely it finds its own texts by the same decoder.

    For an unknown decoder, the comparison uses sampling and greedy search. The texts must also not copy more from their
    articles than the model's own texts do. Raises TerminalError if a comparison fails.
    """
    low, high = _own_texts(drawn)
    stored = [(completion.page_id, completion.text) for completion in drawn.completions]
    means, least, most = (_likelihoods(drawn, texts) for texts in (stored, low, high))
    if not means and least:
        raise drawn.refuse(f"none of its {len(stored)} drawn texts has a token, and the model's own texts have")
    if means and least and most:
        mean, lowest, highest = map(statistics.fmean, (means, least, most))
        margin = min(_WIDEST, _MARGIN + _DEVIATIONS * max(_error(means, least), _error(means, most)))
        if not min(lowest, highest) - margin <= mean <= max(lowest, highest) + margin:
            raise drawn.refuse(
                f"the model finds its {len(means)} drawn texts likely by {mean:.2f} nats a token, and its own texts by "
                f"{lowest:.2f} to {highest:.2f}, give or take {margin:.2f}"
            )
    copied, own = _copied(drawn, stored), max(_copied(drawn, low), _copied(drawn, high))
    if copied > own + _MORE_COPIED:
        raise drawn.refuse(
            f"{copied:.0%} of the word {_GRAM}-grams of its {len(stored)} drawn texts stand in their articles, and "
            f"{own:.0%} of those of the model's own texts"
        )
    return drawn.outcome("plausibility", len(means), len(means), 1.0)


def _own_texts(drawn: DrawnRun) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    """Return the model's own texts by page id: the least likely and the most likely texts of the decoder."""
    pages = sorted({completion.page_id for completion in drawn.completions})
    often = -(-_OWN_TEXTS // max(1, len(pages)))

    def texts(decoder: Decoder, samples: int) -> list[tuple[int, str]]:
        requests = [(drawn.prompt(page_id), sample) for page_id in pages for sample in range(samples)]
        batches = drawn.backend.complete(requests, decoder, drawn.writing)
        return [(completion.page_id, completion.text) for batch in batches for completion in batch]

    if drawn.decoder is not None:
        try:
            drawn.backend.others(drawn.decoder)
        except NewWikiError:
            pass
        else:
            own = texts(drawn.decoder, often)
            return own, own
    [sampled], [greedy] = parse("sample"), parse("greedy")
    return texts(sampled, often), texts(greedy, 1)


def _likelihoods(drawn: DrawnRun, texts: Sequence[tuple[int, str]]) -> list[float]:
    """Return the mean natural log-probability of a token for each text that has tokens."""
    pairs = [(drawn.prompt(page_id), text) for page_id, text in texts if text]
    if hasattr(drawn.backend, "likelihoods") and not any(prompt.begun for prompt, _ in pairs):
        plain = [(prompt.text, text) for prompt, text in pairs]
        log_probabilities = [likelihood.log_probabilities for likelihood in drawn.backend.likelihoods(plain)]
    else:
        readings = cast(ArticleReader, drawn.backend).readings(pairs, standardised=False)
        log_probabilities = [
            reading.rest.log_probabilities for reading in readings if not isinstance(reading.rest, Unscorable)
        ]
    return [statistics.fmean(values) for values in log_probabilities if values]


def _error(first: Sequence[float], other: Sequence[float]) -> float:
    """Return the standard error of the difference of two means, with the larger standard deviation of the two sets."""
    spread = max((statistics.stdev(values) for values in (first, other) if len(values) > 1), default=0.0)
    return spread * math.sqrt(1 / len(first) + 1 / len(other))


def _copied(drawn: DrawnRun, texts: Sequence[tuple[int, str]]) -> float:
    """Return the share of the texts' word n-grams that occur in their articles and not in their prompts."""
    copied, total = 0, 0
    for page_id, text in texts:
        article = drawn.articles[page_id]
        known = _grams(article.completion) - _grams(
            " ".join(turns(drawn.run.prompt_template, article.title, article.first_sentence))
        )
        grams = _grams(text)
        copied, total = copied + len(grams & known), total + len(grams)
    return copied / total if total else 0.0


def _grams(text: str) -> set[tuple[str, ...]]:
    words = terms(text)
    return {tuple(words[place : place + _GRAM]) for place in range(len(words) - _GRAM + 1)}


def completion_of(row: Mapping[str, Any]) -> Completion:
    return Completion(**{field.name: _frozen(row[field.name]) for field in fields(Completion)})


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value
