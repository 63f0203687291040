"""The oracle against transformers' own generation, against values from older ones, and against direct computations."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from newwiki.decoding import noise
from newwiki.decoding.grammar import Decoder
from tests.newwiki.decoding import naive as oracle
from tests.newwiki.decoding.lively import CONTEXT, VOCABULARY, lively, prompts
from tests.newwiki.decoding.naive import Naive, truncated

Completion = tuple[list[int], bool]

CHI_SQUARE_49 = 85.35  # its 99.9 % point, from a table
TEXTS = ["The town of", "She was born in 1986 and", "In the history of music, the band"]
PROMPTS = prompts(seed=0, many=4)

# What transformers 4.49.0's `generate` writes with lively(seed), its prompt of that place, end tokens 0 and 1, and
# max_new_tokens=12: group beam search and contrastive search, which transformers 5 has no more.
BY_TRANSFORMERS_4: list[tuple[str, dict[str, Any], int, int, Completion]] = [
    (
        "group-beam", {"num_beams": 6, "num_beam_groups": 2, "diversity_penalty": 0.2}, 0, 3,
        ([46, 43, 21, 21, 21, 21, 21, 21, 43, 43], True),
    ),
    (
        "group-beam", {"num_beams": 6, "num_beam_groups": 3, "diversity_penalty": 1.0}, 0, 3,
        ([46, 42, 43, 21, 21, 21, 21, 21, 43, 43], True),
    ),
    (
        "group-beam", {"num_beams": 6, "num_beam_groups": 3, "diversity_penalty": 1.0}, 2, 1,
        ([25, 5, 26, 41, 5, 47, 47, 47, 47, 5, 5, 47], False),
    ),
    (
        "group-beam",
        {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 2.0, "no_repeat_ngram_size": 2}, 0, 1,
        ([5, 42, 42, 5, 43, 43, 5, 5, 46, 42, 46, 43], False),
    ),
    (
        "group-beam",
        {"num_beams": 4, "num_beam_groups": 2, "diversity_penalty": 2.0, "no_repeat_ngram_size": 2}, 2, 1,
        ([25, 5, 26, 41], True),
    ),
    (
        "contrastive-search", {"top_k": 5, "penalty_alpha": 0.6}, 0, 2,
        ([21, 21, 21, 38, 38, 43, 5, 5, 30, 43, 7, 42], False),
    ),
    (
        "contrastive-search", {"top_k": 8, "penalty_alpha": 0.3}, 2, 1,
        ([5, 48, 18, 18, 32, 32, 37, 31, 26, 41, 41, 26], False),
    ),
    ("contrastive-search", {"top_k": 5, "penalty_alpha": 0.6}, 1, 3, ([36, 2, 6, 4, 36, 47, 31, 38, 41, 28, 25], True)),
    (
        "contrastive-search", {"top_k": 4, "penalty_alpha": 0.6, "no_repeat_ngram_size": 2}, 0, 2,
        ([21, 21, 5, 30, 42, 9, 6, 5, 47, 22, 42, 46], False),
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def toy(toy_checkpoint: Path) -> tuple[Any, list[list[int]], list[int]]:
    """A model, prompts, and tokens that it often writes: declared to end the text, they make hypotheses finish."""
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    model = AutoModelForCausalLM.from_pretrained(toy_checkpoint).eval()
    return model, [tokenizer(text)["input_ids"] for text in TEXTS], [tokenizer(text)["input_ids"][0] for text in ".e"]


def by_transformers(model: Any, prompt: Sequence[int], room: int, ends: Sequence[int], **options: Any) -> Completion:
    config = GenerationConfig(do_sample=False, max_new_tokens=room, eos_token_id=[*ends], pad_token_id=0, **options)
    written = model.generate(torch.tensor([prompt]), generation_config=config)[0, len(prompt) :].tolist()
    places = [place for place, token in enumerate(written) if token in ends]
    return (written[: places[0]], True) if places else (written, False)


def naive(model: Any, ends: Sequence[int] = (0,), **others: Any) -> Naive:
    return Naive(model, frozenset(ends), model.config.n_positions, **others)


def written(of: Naive, name: str, prompt: Sequence[int], room: int = 12, /, **parameters: Any) -> Completion:
    seed = parameters.pop("seed", 0)
    return of.write(Decoder(name, parameters), prompt, room=room, seed=seed)


@pytest.mark.parametrize("size", [0, 2])
def test_greedy_is_transformers(toy: tuple[Any, list[list[int]], list[int]], size: int) -> None:
    model, texts, ends = toy
    for prompt in texts:
        expected = by_transformers(model, prompt, 20, ends, no_repeat_ngram_size=size)
        assert written(naive(model, ends), "greedy", prompt, 20, no_repeat_ngram_size=size) == expected


@pytest.mark.parametrize(("beams", "length_penalty", "size"), [(1, 1.0, 3), (3, 0.0, 3), (5, 1.0, 0), (3, 2.0, 0)])
def test_beam_is_transformers_on_real_text(
    toy: tuple[Any, list[list[int]], list[int]], beams: int, length_penalty: float, size: int
) -> None:
    model, texts, ends = toy
    options = {"num_beams": beams, "length_penalty": length_penalty, "no_repeat_ngram_size": size}
    for prompt in texts:
        expected = by_transformers(model, prompt, 14, ends, early_stopping=False, **options)
        assert written(naive(model, ends), "beam", prompt, 14, **options) == expected


@pytest.mark.parametrize(
    ("beams", "length_penalty", "ends", "size"),
    [
        (1, 1.0, [0, 1], 0),
        (1, 0.0, [0, 1, 2, 3, 4], 2),
        (3, 0.0, [0], 0),
        (3, 1.0, [0, 1, 2, 3, 4], 0),
        (3, 2.0, [0, 1], 2),
        (5, 0.0, [0, 1, 2, 3, 4], 2),
        (5, 1.0, [0], 2),
        (5, 2.0, [0, 1, 2, 3, 4], 0),
    ],
    ids=str,
)
def test_beam_is_transformers(beams: int, length_penalty: float, ends: list[int], size: int) -> None:
    model = lively(seed=beams)
    options = {"num_beams": beams, "length_penalty": length_penalty, "no_repeat_ngram_size": size}
    for prompt in PROMPTS[:2]:
        expected = by_transformers(model, prompt, 12, ends, early_stopping=False, **options)
        assert written(naive(model, ends), "beam", prompt, **options) == expected


@pytest.mark.parametrize(("name", "parameters", "seed", "place", "completion"), BY_TRANSFORMERS_4, ids=str)
def test_what_transformers_5_has_no_more_is_transformers_4(
    name: str, parameters: dict[str, Any], seed: int, place: int, completion: Completion
) -> None:
    assert written(naive(lively(seed), [0, 1]), name, prompts(seed, 4)[place], **parameters) == completion


@pytest.mark.parametrize("spread", [0.5, 3.0])
@pytest.mark.parametrize(
    "options",
    [
        {"temperature": 0.7},
        {"repetition_penalty": 1.3},
        {"no_repeat_ngram_size": 2, "top_p": 0.8},
        {"temperature": 1.5, "top_k": 12, "top_p": 0.7},
        {"top_p": 0.3},
        {"typical_p": 0.2},
        {"typical_p": 0.9, "top_k": 20},
        {"repetition_penalty": 0.8, "temperature": 0.9, "top_k": 30, "top_p": 0.9, "typical_p": 0.6},
    ],
    ids=str,
)
def test_sample_draws_from_what_transformers_processors_leave(options: dict[str, Any], spread: float) -> None:
    kinds: list[tuple[str, Any]] = [
        ("repetition_penalty", RepetitionPenaltyLogitsProcessor),
        ("no_repeat_ngram_size", NoRepeatNGramLogitsProcessor),
        ("temperature", TemperatureLogitsWarper),
        ("top_k", TopKLogitsWarper),
        ("top_p", TopPLogitsWarper),
        ("typical_p", TypicalLogitsWarper),
    ]
    generator = torch.Generator().manual_seed(3)
    for prompt in PROMPTS:
        prompt, tokens = [*prompt, 7, 8, 7, 9], [8, 3, 7]
        logits = spread * torch.randn(VOCABULARY, generator=generator, dtype=torch.float64)
        expected = logits[None].clone()
        for key, kind in kinds:
            if key in options:
                expected = kind(options[key])(torch.tensor([[*prompt, *tokens]]), expected)
        assert truncated(logits, prompt, tokens, **options).softmax(0) == pytest.approx(expected[0].softmax(0))


def test_presence_and_frequency_are_of_the_completion_alone() -> None:
    left = truncated(torch.ones(4), [0, 1], [1, 2, 2], presence_penalty=0.25, frequency_penalty=0.5)
    assert left.tolist() == [1.0, 0.25, -0.25, 1.0]


def test_samples_are_drawn_as_often_as_the_softmax_says() -> None:
    of, many = naive(lively(0, spread=0.1)), 400
    counts = torch.zeros(VOCABULARY)
    for page in range(many):
        tokens, ended = of.write(Decoder("sample", {}), PROMPTS[0], room=1, page_id=page)
        counts[0 if ended else tokens[0]] += 1
    expected = of.logits(PROMPTS[0]).softmax(0) * many
    assert float(((counts - expected) ** 2 / expected).sum()) < CHI_SQUARE_49


def test_a_draw_is_the_race_of_its_seed_page_sample_step_and_token() -> None:
    of = naive(lively(0), [])
    tokens, _ = of.write(Decoder("sample", {"top_k": 9}), PROMPTS[1], room=5, seed=3, page_id=4, sample=5)
    key = torch.tensor([noise.row_key(3, 4, 5)])
    for step, token in enumerate(tokens):
        best = of.logits([*PROMPTS[1], *tokens[:step]]).topk(9)
        heard = noise.gumbel(key, torch.tensor([step]), best.indices[None])[0]
        assert token == best.indices[(best.values + heard).argmax()]


@pytest.mark.parametrize("ends", [[0], [0, 1, 2]], ids=str)
@pytest.mark.parametrize("size", [0, 2])
def test_diverse_beams_without_diversity_are_beam(ends: list[int], size: int) -> None:
    of = naive(lively(1), ends)
    for prompt in PROMPTS[:2]:
        plain = written(of, "beam", prompt, num_beams=4, no_repeat_ngram_size=size)
        for name, parameters in (
            ("group-beam", {"num_beams": 4, "num_beam_groups": 1, "diversity_penalty": 9.0}),
            ("group-beam", {"num_beams": 8, "num_beam_groups": 2, "diversity_penalty": 0.0}),
            ("sibling-beam", {"num_beams": 4, "sibling_penalty": 0.0}),
        ):
            assert written(of, name, prompt, no_repeat_ngram_size=size, **parameters) == plain


@pytest.mark.parametrize("penalty", [0.1, 1.0, 5.0])
def test_siblings_lose_by_their_rank_after_the_first_step(penalty: float) -> None:
    """All pairs of tokens, tried one by one: as many beams as tokens search through them all."""
    of, prompt = naive(lively(2), []), PROMPTS[0]
    first = of.logits(prompt).log_softmax(0)
    second = torch.stack([of.logits([*prompt, token]).log_softmax(0) for token in range(VOCABULARY)])
    rank = 1 + second.argsort(dim=1, descending=True).argsort(dim=1)
    best = divmod(int((first[:, None] + second - penalty * rank).argmax()), VOCABULARY)
    parameters = {"num_beams": VOCABULARY, "sibling_penalty": penalty}
    assert written(of, "sibling-beam", prompt, 2, **parameters) == (list(best), False)


def test_delayed_beam_without_a_beam_is_sampling() -> None:
    of = naive(lively(0))
    for prompt, seed in itertools.product(PROMPTS, range(3)):
        drawn = written(of, "sample", prompt, seed=seed, top_k=9)
        assert written(of, "delayed-beam", prompt, seed=seed, delay=12, top_k=9) == drawn


@pytest.mark.parametrize("most", [4, 64])
def test_delayed_beam_without_delay_is_a_beam_search_per_sentence(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(oracle, "MOST_OF_A_SENTENCE", most)
    model, mark = lively(0), 21
    of = naive(model, [], sentence_end=lambda before, token: token == mark)
    for prompt in PROMPTS[:2]:
        tokens: list[int] = []
        while len(tokens) < 16:
            room = min(most, 16 - len(tokens))
            sentence, ended = written(
                naive(model, [mark]), "beam", [*prompt, *tokens], room, num_beams=6, length_penalty=0.0
            )
            tokens += [*sentence, mark] if ended else sentence
        assert written(of, "delayed-beam", prompt, 16, delay=0) == (tokens, False)


def test_delayed_beam_begins_its_first_sentence_with_drawn_tokens() -> None:
    of = naive(lively(0), [], sentence_end=lambda before, token: token == 21)
    for prompt in PROMPTS:
        drawn, _ = written(of, "sample", prompt, 2, top_k=5)
        tokens, _ = written(of, "delayed-beam", prompt, 12, delay=2, top_k=5)
        assert tokens[:2] == drawn
        rest, _ = written(of, "delayed-beam", [*prompt, *drawn], 12, delay=0)
        end = rest.index(21) + 1 if 21 in rest else len(rest)
        assert 21 in drawn or tokens[2 : end + 2] == rest[: min(end, 10)]


@pytest.mark.parametrize(("top_k", "alpha"), [(1, 0.6), (5, 0.0)])
def test_contrastive_search_without_a_contrast_is_greedy(top_k: int, alpha: float) -> None:
    of = naive(lively(0))
    for prompt in PROMPTS:
        assert written(of, "contrastive-search", prompt, top_k=top_k, penalty_alpha=alpha) == written(
            of, "greedy", prompt
        )


def test_contrastive_search_is_equation_3() -> None:
    """Over the whole vocabulary in one forward pass a step; what is not among the top 4 is then left out."""
    model, prompt = lively(1), PROMPTS[2]
    tokens, _ = written(naive(model, []), "contrastive-search", prompt, 8, top_k=4, penalty_alpha=0.5)
    for place, token in enumerate(tokens):
        read = torch.tensor([*prompt, *tokens[:place]]).expand(VOCABULARY, -1)
        with torch.inference_mode():
            p = model(read[:1]).logits[0, -1].softmax(0)
            hidden = model.transformer(torch.cat([read, torch.arange(VOCABULARY)[:, None]], dim=1)).last_hidden_state
        cosine = torch.cosine_similarity(hidden[:, -1:], hidden[:, :-1], dim=-1).amax(1)
        scores = (0.5 * p - 0.5 * cosine).masked_fill(p < p.topk(4).values[-1], -torch.inf)
        assert token == int(scores.argmax())


@pytest.mark.parametrize("context", ["last", "full"])
@pytest.mark.parametrize("size", [0, 2])
def test_contrastive_decoding_with_a_uniform_amateur_is_beam(size: int, context: str) -> None:
    """Paper 4.1; the normalised score moves by log |V| for all alike."""
    of = naive(lively(1), [0, 1], amateur=lively(0, spread=0.0))
    for prompt in PROMPTS[:2]:
        options = {"num_beams": 4, "no_repeat_ngram_size": size}
        contrasted = written(of, "contrastive-decoding", prompt, alpha=0.0, amateur_context=context, **options)
        assert contrasted == written(of, "beam", prompt, **options)


def test_contrastive_decoding_with_a_single_plausible_token_is_greedy() -> None:
    of = naive(lively(1), amateur=lively(2, layers=1))
    for prompt in PROMPTS:
        assert written(of, "contrastive-decoding", prompt, alpha=1.0) == written(of, "greedy", prompt)


def log_p_of_pairs(model: Any, prompt: list[int], temperature: float = 1.0) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities of a first token [vocabulary], and of a second after it [vocabulary, vocabulary]."""
    read = torch.cat([torch.tensor(prompt).expand(VOCABULARY, -1), torch.arange(VOCABULARY)[:, None]], dim=1)
    with torch.inference_mode():
        logits = model(read).logits.double() / temperature
    return logits[0, -2].log_softmax(0), logits[:, -1].log_softmax(1)


@pytest.mark.parametrize("context", ["last", "full"])
def test_contrastive_decoding_is_equations_2_and_3(context: str) -> None:
    """All pairs of tokens at once: as many beams as tokens search through them all."""
    expert, amateur, prompt = lively(1), lively(2, layers=1), PROMPTS[3]
    of = naive(expert, [], amateur=amateur)
    seen = prompt[-1:] if context == "last" else prompt
    scores = torch.zeros(VOCABULARY, VOCABULARY, dtype=torch.float64)
    for p, q in zip(log_p_of_pairs(expert, prompt), log_p_of_pairs(amateur, seen, 0.5), strict=True):
        implausible = p.exp() < 0.3 * p.exp().amax(-1, keepdim=True)
        scores += (p - q).masked_fill(implausible, -torch.inf).reshape(VOCABULARY, -1)
    best = divmod(int(scores.argmax()), VOCABULARY)
    parameters = {"alpha": 0.3, "num_beams": VOCABULARY, "amateur_context": context}
    assert written(of, "contrastive-decoding", prompt, 2, **parameters) == (list(best), False)


def test_contrastive_decoding_that_draws_against_a_uniform_amateur_is_sampling() -> None:
    of = naive(lively(1), amateur=lively(0, spread=0.0))
    for prompt, seed in itertools.product(PROMPTS, range(3)):
        drawn = written(of, "contrastive-decoding", prompt, seed=seed, alpha=0.0, num_beams=0)
        assert drawn == written(of, "sample", prompt, seed=seed)


def test_the_authors_contrastive_decoding_ranks_only_what_the_expert_likes_best() -> None:
    """Two steps of two beams: of all tokens of both beams the four of the highest log p_EXP are looked at, and of those
    that are plausible the best sum taken, where log p_EXP is that of texts which do not end."""
    expert, amateur, alpha = lively(4, spread=0.3), lively(2, layers=1), 0.6
    of = naive(expert, [14, 29], amateur=amateur)
    for prompt in prompts(4, 30):
        first, second = log_p_of_pairs(expert, prompt)
        first[[14, 29]], second[:, [14, 29]] = -torch.inf, -torch.inf
        first_q, second_q = (q / 0.5 for q in log_p_of_pairs(amateur, prompt[-1:]))
        first_score, second_score = first.log_softmax(0) - first_q, second.log_softmax(1) - second_q
        looked_at = [token for token in first.topk(4).indices.tolist() if plausible(first, token, alpha)]
        beams = sorted(looked_at, key=lambda token: -float(first_score[token]))[:2]
        pairs = [(one, two) for one in beams for two in range(VOCABULARY)]
        pairs = sorted(pairs, key=lambda pair: -float(second[pair]))[:4]
        sums = {
            (one, two): float(first_score[one] + second_score[one, two])
            for one, two in pairs
            if plausible(second[one], two, alpha)
        }
        parameters = {"candidates": "authors", "num_beams": 2, "alpha": alpha}
        best = max(sums, key=lambda pair: sums[pair])
        assert written(of, "contrastive-decoding", prompt, 2, **parameters) == (list(best), False)


def plausible(p: torch.Tensor, token: int, alpha: float) -> bool:
    return bool(p[token].exp() >= alpha * p.exp().max() or p[token] >= p.topk(2).values[1])


@pytest.mark.parametrize("beams", [0, 3])
def test_the_authors_contrastive_decoding_never_ends_the_text(beams: int) -> None:
    of = naive(lively(1), range(25), amateur=lively(2, layers=1))
    for prompt in PROMPTS:
        tokens, ended = written(of, "contrastive-decoding", prompt, candidates="authors", num_beams=beams)
        assert len(tokens) == 12 and not ended and min(tokens) >= 25


def test_no_completion_is_longer_than_its_room_or_the_context() -> None:
    of = naive(lively(0), [], amateur=lively(1))
    for name in oracle.DECODERS:
        assert len(written(of, name, PROMPTS[0] * 5, 12)[0]) == CONTEXT - 60
        assert written(of, name, PROMPTS[0], 0) == ([], False)
        assert len(written(of, name, PROMPTS[0], 1)[0]) == 1
