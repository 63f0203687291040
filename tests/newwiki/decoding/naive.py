"""Every decoder once more, naively: one prompt at a time, every token read anew for each step, sums in float64.

There is no cache and no padding, and no prompt shares a forward pass with another: one reads the texts of a step, which
are of one length.

It is what the decoders are tested against, so it shares nothing with them but the noise and where a sentence ends.
Equations and sections are those of the papers that each function names.
"""

import itertools
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import torch
from torch import Tensor

from newwiki.decoding import noise

INF = math.inf
MOST_OF_A_SENTENCE = 64

# Whether a token ends a sentence, given the tokens of the completion before it.
SentenceEnd = Callable[[Sequence[int], int], bool]


class Decoder(Protocol):
    """What `newwiki.decoding.grammar.Decoder` is; parameters that are left out have their defaults."""

    @property
    def name(self) -> str: ...

    @property
    def parameters(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True)
class Hypothesis:
    """Tokens of a completion, an end of text among them, and their score."""

    tokens: tuple[int, ...] = ()
    score: float = 0.0

    def and_then(self, token: int, score: float) -> "Hypothesis":
        return Hypothesis((*self.tokens, token), self.score + score)


@dataclass(frozen=True)
class Task:
    """A prompt, the most tokens that its completion may have, the n-grams that may not repeat, and the noise's key."""

    prompt: tuple[int, ...]
    room: int
    no_repeat_ngram_size: int
    key: int


@dataclass(frozen=True)
class Naive:
    """Writes completions with a transformers causal language model in float32."""

    model: Any
    end_tokens: frozenset[int]
    context: int
    sentence_end: SentenceEnd = lambda before, token: False
    amateur: Any = None

    def write(
        self, decoder: Decoder, prompt: Sequence[int], *, room: int, seed: int = 0, page_id: int = 0, sample: int = 0
    ) -> tuple[list[int], bool]:
        """The completion's tokens without the end of text, and whether it ended by one."""
        parameters = {**decoder.parameters}
        blocked = parameters.pop("no_repeat_ngram_size", 0)
        room = min(room, self.context - len(prompt))
        if room <= 0:
            return [], False
        task = Task(tuple(prompt), room, blocked, noise.row_key(seed, page_id, sample))
        tokens = DECODERS[decoder.name](self, task, **parameters)
        ended = bool(tokens) and tokens[-1] in self.end_tokens
        return list(tokens[:-1] if ended else tokens), ended

    def logits(self, tokens: Sequence[int]) -> Tensor:
        """[vocabulary], after all the tokens."""
        return _logits(self.model, [tokens])[0]

    def log_p(self, task: Task, tokens: Sequence[int]) -> Tensor:
        """[vocabulary]: log-softmax, then -inf where an n-gram would repeat, as transformers' beam search does it."""
        return self.log_ps(task, [Hypothesis((*tokens,))])[0]

    def log_ps(self, task: Task, running: Sequence[Hypothesis]) -> list[Tensor]:
        """That of each hypothesis."""
        texts = [(*task.prompt, *one.tokens) for one in running]
        rows = zip(texts, _logits(self.model, texts), strict=True)
        return [_blocked(logits.log_softmax(dim=0), tokens, task.no_repeat_ngram_size) for tokens, logits in rows]


@torch.no_grad()
def _read(model: Any, texts: Sequence[Sequence[int]], **options: Any) -> Any:
    return model(input_ids=torch.tensor([[*tokens] for tokens in texts]), use_cache=False, **options)


def _logits(model: Any, texts: Sequence[Sequence[int]]) -> list[Tensor]:
    """[vocabulary] after all the tokens of each text; the texts are of one length."""
    return [*_read(model, texts).logits[:, -1].float().double()] if texts else []


def _blocked(scores: Tensor, read: Sequence[int], size: int) -> Tensor:
    """Paulus et al. 2017: -inf for a token that would complete an n-gram which has been read already."""
    scores = scores.clone()
    if size:
        start = tuple(read[len(read) - size + 1 :]) if len(read) >= size - 1 else None
        for place in range(len(read) - size + 1):
            if tuple(read[place : place + size - 1]) == start:
                scores[read[place + size - 1]] = -INF
    return scores


def _one_by_one(naive: Naive, task: Task, choose: Callable[[tuple[int, ...]], int]) -> tuple[int, ...]:
    tokens: tuple[int, ...] = ()
    while len(tokens) < task.room:
        tokens = (*tokens, choose(tokens))
        if tokens[-1] in naive.end_tokens:
            break
    return tokens


def _race(task: Task, tokens: Sequence[int], scores: Tensor) -> int:
    """A token drawn from the softmax of the scores, by the Gumbel-max trick."""
    heard = noise.gumbel(
        torch.tensor([task.key]), torch.tensor([len(tokens)]), torch.arange(len(scores), dtype=torch.int64)[None]
    )
    return int((scores + heard[0].double()).argmax())


def _falling(scores: Tensor) -> list[int]:
    """Token ids by falling score, of equal ones the lower first."""
    return list(map(int, scores.sort(descending=True, stable=True).indices.tolist()))


def _only(scores: Tensor, kept: Iterable[int]) -> Tensor:
    left, places = torch.full_like(scores, -INF), [*kept]
    left[places] = scores[places]
    return left


def greedy(naive: Naive, task: Task) -> tuple[int, ...]:
    return _one_by_one(naive, task, lambda tokens: int(naive.log_p(task, tokens).argmax()))


def sample(naive: Naive, task: Task, **truncation: float) -> tuple[int, ...]:
    def choose(tokens: tuple[int, ...]) -> int:
        logits = naive.logits((*task.prompt, *tokens))
        return _race(task, tokens, truncated(logits, task.prompt, tokens, task.no_repeat_ngram_size, **truncation))

    return _one_by_one(naive, task, choose)


def truncated(
    logits: Tensor,
    prompt: Sequence[int],
    tokens: Sequence[int],
    no_repeat_ngram_size: int = 0,
    *,
    repetition_penalty: float = 1.0,
    presence_penalty: float = 0.0,
    frequency_penalty: float = 0.0,
    temperature: float = 1.0,
    top_n_sigma: float = 0.0,
    p_less: float = 0,
    top_h: float = 0.0,
    top_k: float = 0,
    top_p: float = 1.0,
    min_p: float = 0.0,
    typical_p: float = 1.0,
    epsilon_cutoff: float = 0.0,
    eta_cutoff: float = 0.0,
) -> Tensor:
    """Logits whose softmax `sample` draws from: Keskar et al. 2019; Fan et al. 2018; Holtzman et al. 2020; Meister
    et al. 2022; Tang et al. 2025; Tan et al. 2026; Potraghloo et al. 2025; Nguyen et al. 2025; Hewitt et al. 2022;
    presence and frequency as OpenAI defines them."""
    scores = logits.clone()
    for token in {*prompt, *tokens}:
        scores[token] = scores[token] / repetition_penalty if scores[token] > 0 else scores[token] * repetition_penalty
    scores = _blocked(scores, (*prompt, *tokens), no_repeat_ngram_size)
    for token, count in Counter(tokens).items():
        scores[token] -= presence_penalty + frequency_penalty * count
    scores = scores / temperature
    if top_n_sigma:
        left = [float(score) for score in scores if score > -INF]
        scores = _at_least(scores, max(left) - top_n_sigma * statistics.pstdev(left))
    if p_less:
        p = scores.softmax(dim=0)
        scores = _at_least(scores, float(p.square().sum()), p)
    if top_h:
        order = _falling(scores)[:100]
        terms = [-float(p * p.log()) if p > 0 else 0.0 for p in scores[order].softmax(dim=0)]
        sums = [*itertools.accumulate(terms)]
        within = sum(part <= top_h * sums[-1] for part in sums)
        scores = _only(scores, order[: max(1, within)])
    if top_k:
        scores = _only(scores, _falling(scores)[: int(top_k)])
    if top_p < 1:
        scores = _only(scores, _smallest_set(scores.softmax(dim=0), _falling(scores), top_p))
    if min_p:
        p = scores.softmax(dim=0)
        scores = _at_least(scores, min_p * float(p.max()), p)
    if typical_p < 1:
        log_p = scores.log_softmax(dim=0)
        entropy = -sum(float(value.exp() * value) for value in log_p if value > -INF)
        surprise = (-log_p - entropy).abs()
        scores = _only(scores, _smallest_set(log_p.exp(), _falling(-surprise), typical_p))
    if epsilon_cutoff:
        scores = _at_least(scores, epsilon_cutoff, scores.softmax(dim=0))
    if eta_cutoff:
        p = scores.softmax(dim=0)
        entropy = -sum(float(one * one.log()) for one in p if one > 0)
        scores = _at_least(scores, min(eta_cutoff, math.sqrt(eta_cutoff) * math.exp(-entropy)), p)
    return scores


def _at_least(scores: Tensor, lowest: float, of: Tensor | None = None) -> Tensor:
    """The scores of the tokens that have at least the lowest score or probability, and of the highest."""
    measure = scores if of is None else of
    return _only(scores, [token for token, one in enumerate(measure) if one >= lowest or one == measure.max()])


def _smallest_set(p: Tensor, order: Sequence[int], mass: float) -> list[int]:
    """The first tokens of the order that have the mass together."""
    kept, together = [], 0.0
    for token in order:
        if together >= mass:
            break
        kept.append(token)
        together += float(p[token])
    return kept


@dataclass
class Search:
    """A beam search's running and finished hypotheses, as transformers 5 keeps them with `early_stopping=False`."""

    beams: int
    length_penalty: float
    end_tokens: frozenset[int]
    room: int
    running: list[Hypothesis] = field(default_factory=lambda: [Hypothesis()])
    finished: list[Hypothesis] = field(default_factory=list)
    over: bool = False

    @property
    def looked_at(self) -> int:
        """So many candidates that as many as there are beams don't end, whichever do."""
        return max(2, 1 + len(self.end_tokens)) * self.beams

    def step(self, candidates: list[Hypothesis]) -> list[Hypothesis]:
        """Takes the candidates of a step, all of one length: those that end are finished, and the best others go on.

        Answers with those that go on, even if the search is over with them.
        """
        best = _best(candidates, self.looked_at)
        self._finish(candidate for candidate in best[: self.beams] if candidate.tokens[-1] in self.end_tokens)
        going_on = [candidate for candidate in best if candidate.tokens[-1] not in self.end_tokens][: self.beams]
        full = bool(going_on) and len(going_on[0].tokens) == self.room
        if full or not best:
            self._finish(going_on or self.running)
        self.running = going_on
        self.over = (
            full
            or not going_on
            or (len(self.finished) == self.beams and self._normalised(going_on[0]) <= self.finished[-1].score)
        )
        return going_on

    def _finish(self, ending: Iterable[Hypothesis]) -> None:
        scored = [Hypothesis(one.tokens, self._normalised(one)) for one in ending if one.tokens]
        self.finished = _best([*self.finished, *scored], self.beams)

    def _normalised(self, one: Hypothesis) -> float:
        return one.score / len(one.tokens) ** self.length_penalty


def _best(hypotheses: Iterable[Hypothesis], many: int) -> list[Hypothesis]:
    """By falling score, of equal ones the earlier first; those that cannot be are left out."""
    possible = [one for one in hypotheses if one.score > -INF]
    return sorted(possible, key=lambda one: -one.score)[:many]


def _children(parent: Hypothesis, scores: Tensor, many: int) -> list[Hypothesis]:
    """A hypothesis' best continuations, by falling score."""
    children = [parent.and_then(token, float(scores[token])) for token in _falling(scores)[:many]]
    return [child for child in children if child.score > -INF]


def _search(naive: Naive, task: Task, num_beams: int, length_penalty: float) -> Search:
    return Search(num_beams, length_penalty, naive.end_tokens, task.room)


def beam(naive: Naive, task: Task, num_beams: int = 5, length_penalty: float = 1.0) -> tuple[int, ...]:
    search = _search(naive, task, num_beams, length_penalty)
    while not search.over:
        search.step(_all_children(naive, task, search.running, search.looked_at))
    return _winner(search.finished)


def _all_children(naive: Naive, task: Task, running: Sequence[Hypothesis], many: int) -> list[Hypothesis]:
    """So many of each hypothesis, in the order of the hypotheses."""
    pairs = zip(running, naive.log_ps(task, running), strict=True)
    return [child for parent, scores in pairs for child in _children(parent, scores, many)]


def _winner(finished: list[Hypothesis]) -> tuple[int, ...]:
    return _best(finished, 1)[0].tokens if finished else ()


def group_beam(
    naive: Naive,
    task: Task,
    num_beams: int = 6,
    num_beam_groups: int = 2,
    diversity_penalty: float = 0.2,
    length_penalty: float = 1.0,
) -> tuple[int, ...]:
    """Vijayakumar et al. 2016, with the Hamming diversity of transformers 4."""
    groups = [_search(naive, task, num_beams // num_beam_groups, length_penalty) for _ in range(num_beam_groups)]
    while not all(group.over for group in groups):
        chosen: Counter[int] = Counter()
        for group in groups:
            if group.over:
                continue
            candidates = []
            for parent, scores in zip(group.running, naive.log_ps(task, group.running), strict=True):
                for token, times in chosen.items():
                    scores[token] -= diversity_penalty * times
                candidates += _children(parent, scores, group.looked_at)
            chosen.update(one.tokens[-1] for one in group.step(candidates))
    return _winner([one for group in groups for one in group.finished])


def sibling_beam(
    naive: Naive, task: Task, num_beams: int = 5, sibling_penalty: float = 0.1, length_penalty: float = 1.0
) -> tuple[int, ...]:
    """Li et al. 2016, as fairseq's DiverseSiblingsSearch."""
    search = _search(naive, task, num_beams, length_penalty)
    while not search.over:
        candidates = []
        for parent, scores in zip(search.running, naive.log_ps(task, search.running), strict=True):
            children = _children(parent, scores, search.looked_at)
            rate = sibling_penalty if parent.tokens else 0.0
            candidates += [
                Hypothesis(child.tokens, child.score - rate * rank) for rank, child in enumerate(children, start=1)
            ]
        search.step(candidates)
    return _winner(search.finished)


def delayed_beam(
    naive: Naive, task: Task, delay: int = 1, top_k: int = 100, num_beams: int = 6, length_penalty: float = 0
) -> tuple[int, ...]:
    """Massarelli et al. 2020, 3.1; scores are normalized as in transformers, over the tokens that are not drawn."""
    tokens: tuple[int, ...] = ()
    while len(tokens) < task.room and not (tokens and tokens[-1] in naive.end_tokens):
        tokens = _delayed_sentence(naive, task, tokens, delay, top_k, num_beams, length_penalty)
    return tokens


def _delayed_sentence(
    naive: Naive,
    task: Task,
    before: tuple[int, ...],
    delay: int,
    top_k: int,
    num_beams: int,
    length_penalty: float,
) -> tuple[int, ...]:
    """The tokens so far and those of one more sentence."""

    def ends(tokens: Sequence[int]) -> bool:
        return tokens[-1] in naive.end_tokens or naive.sentence_end(tokens[:-1], tokens[-1])

    def normalized(one: Hypothesis) -> float:
        searched = len(one.tokens) - len(drawn)
        return one.score / searched**length_penalty if searched else one.score

    most = min(task.room, len(before) + MOST_OF_A_SENTENCE)
    drawn = before
    while len(drawn) < min(len(before) + delay, most):
        logits = naive.logits((*task.prompt, *drawn))
        scores = truncated(logits, task.prompt, drawn, task.no_repeat_ngram_size, top_k=top_k)
        drawn = (*drawn, _race(task, drawn, scores))
        if ends(drawn):
            return drawn
    running, pooled = [Hypothesis(drawn)], list[Hypothesis]()
    while running and len(running[0].tokens) < most:
        looked_at = _best(_all_children(naive, task, running, 2 * num_beams), 2 * num_beams)
        pooled += [one for one in looked_at[:num_beams] if ends(one.tokens)]
        running = [one for one in looked_at if not ends(one.tokens)][:num_beams]
        finished = sorted(map(normalized, pooled), reverse=True)[:num_beams]
        if len(finished) == num_beams and running and finished[-1] >= normalized(running[0]):
            break
    return max([*pooled, *running], key=normalized).tokens


def contrastive_search(naive: Naive, task: Task, top_k: int = 5, penalty_alpha: float = 0.6) -> tuple[int, ...]:
    """Su et al. 2022; Su and Xu 2022, eq. 3; where n-grams are blocked, p is what is left, as in transformers 4."""

    def choose(tokens: tuple[int, ...]) -> int:
        log_p = naive.log_p(task, tokens).log_softmax(dim=0)
        scores = torch.full_like(log_p, -INF)
        candidates = _falling(log_p)[:top_k]
        texts = [(*task.prompt, *tokens, token) for token in candidates]
        hidden = _read(naive.model, texts, output_hidden_states=True).hidden_states[-1]
        for token, states in zip(candidates, hidden, strict=True):
            unit = torch.nn.functional.normalize(states.double(), dim=1)
            penalty = (unit[:-1] @ unit[-1]).max()
            if log_p[token] > -INF:
                scores[token] = (1 - penalty_alpha) * log_p[token].exp() - penalty_alpha * penalty
        return int(scores.argmax())

    return _one_by_one(naive, task, choose)


def contrastive_decoding(
    naive: Naive,
    task: Task,
    amateur: Any = None,
    alpha: float = 0.1,
    amateur_temperature: float = 0.5,
    amateur_context: str = "last",
    candidates: str = "paper",
    num_beams: int = 5,
) -> tuple[int, ...]:
    """Li et al. 2022, eq. 2 and 3, 3.4, and 7.3 where nothing is searched for. `amateur` is a name, and not used."""
    authors = candidates == "authors"

    def expert_and_contrast(running: Sequence[Hypothesis]) -> Iterable[tuple[Tensor, Tensor]]:
        """Of each: log p_EXP, -inf where a token may not be; CD-score, -inf where it is not plausible, either."""
        context = task.prompt[-1:] if amateur_context == "last" else task.prompt
        by_amateur = _logits(naive.amateur, [(*context, *one.tokens) for one in running])
        for expert, logits in zip(naive.log_ps(task, running), by_amateur, strict=True):
            if authors:
                expert[sorted(naive.end_tokens)] = -INF
                contrast = expert.log_softmax(dim=0) - logits.log_softmax(dim=0) / amateur_temperature
            else:
                contrast = expert - (logits / amateur_temperature).log_softmax(dim=0)
            head = _plausible(expert, alpha, at_least=(2 if num_beams else 1) if authors else 1)
            yield expert, _only(contrast, head)

    def draw(tokens: tuple[int, ...]) -> int:
        ((_, contrast),) = expert_and_contrast([Hypothesis(tokens)])
        return _race(task, tokens, contrast)

    if num_beams == 0:
        return _one_by_one(naive, task, draw)
    search = _search(naive, task, num_beams, length_penalty=1.0)
    while not search.over:
        found: list[tuple[float, Hypothesis]] = []
        for parent, (expert, contrast) in zip(search.running, expert_and_contrast(search.running), strict=True):
            tokens = _falling(expert)[: 2 * num_beams] if authors else _falling(contrast)[: search.looked_at]
            found += [(float(expert[token]), parent.and_then(token, float(contrast[token]))) for token in tokens]
        if authors:
            found = sorted(found, key=lambda pair: -pair[0])[: 2 * num_beams]
        search.step([child for _, child in found])
    return _winner(search.finished)


def _plausible(expert: Tensor, alpha: float, at_least: int) -> list[int]:
    """V_head: tokens whose probability is at least alpha times the highest; never fewer than `at_least`."""
    log_p = expert.tolist()
    threshold = max(log_p) + math.log(alpha) if alpha else -INF
    order = [token for token in _falling(expert) if log_p[token] > -INF]
    return [token for place, token in enumerate(order) if place < at_least or log_p[token] >= threshold]


DECODERS: dict[str, Callable[..., tuple[int, ...]]] = {
    "greedy": greedy,
    "sample": sample,
    "beam": beam,
    "group-beam": group_beam,
    "sibling-beam": sibling_beam,
    "delayed-beam": delayed_beam,
    "contrastive-search": contrastive_search,
    "contrastive-decoding": contrastive_decoding,
}
