"""Delayed beam search in the engine against the naive one, and the laws that it keeps."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from transformers import AutoModelForCausalLM, AutoTokenizer

from newwiki.decoding import delayed_beam
from newwiki.decoding.grammar import Decoder, parse
from newwiki.decoding.sentence_end import SentenceEnd
from newwiki.registry import decoders
from tests.newwiki.decoding import naive as oracle
from tests.newwiki.decoding.lively import CONTEXT, lively, prompts
from tests.newwiki.decoding.naive import Naive
from tests.newwiki.decoding.running import Written, written

ENDS = frozenset([3, 7])
MARKS = frozenset([5, 21, 43])
WORDS = ["The town", "She was born in", "In 1986 the band of", "It is", "A river in the north of"]

Request = tuple[int, int, Sequence[int]]


def at_a_mark(before: Sequence[int], token: int) -> bool:
    """Not after a mark, and not after 1 of 4 other tokens, as if it were an abbreviation."""
    return token in MARKS and not (before and (before[-1] in MARKS or before[-1] % 4 == 0))


def naively(of: Naive, spec: str | Decoder, asked: Sequence[Request], room: int, seed: int = 0) -> Written:
    decoder = parse(spec)[0] if isinstance(spec, str) else spec
    return {
        (page, sample): of.write(decoder, text, room=room, seed=seed, page_id=page, sample=sample)
        for page, sample, text in asked
    }


def asked_of(seed: int, many: int, samples: int = 1) -> list[Request]:
    """Prompts of 1 to 12 tokens."""
    texts = [text[: 1 + 5 * page % 12] for page, text in enumerate(prompts(seed, many))]
    return [(page, sample, text) for page, text in enumerate(texts) for sample in range(samples)]


@pytest.mark.parametrize(
    ("seed", "spread", "spec"),
    [
        (0, 0.2, "delayed-beam"),
        (1, 0.1, "delayed-beam:delay=3,top_k=5,num_beams=3"),
        (2, 0.4, "delayed-beam:delay=0,num_beams=4"),
        (3, 0.2, "delayed-beam:delay=2,top_k=0,num_beams=1"),
        (4, 0.2, "delayed-beam:num_beams=4,no_repeat_ngram_size=2"),
        (0, 0.2, "delayed-beam:length_penalty=1"),
        (1, 0.1, "delayed-beam:delay=2,top_k=5,num_beams=3,length_penalty=0.5"),
        (2, 0.4, "delayed-beam:delay=0,num_beams=4,length_penalty=1"),
        (3, 0.2, "delayed-beam:num_beams=3,length_penalty=-1"),
    ],
)
def test_it_writes_the_same_as_the_naive_implementation(seed: int, spread: float, spec: str) -> None:
    model, asked = lively(seed, spread=spread), asked_of(seed, 4)
    expected = naively(Naive(model, ENDS, CONTEXT, at_a_mark), spec, asked, 11, seed=seed)
    assert written(spec, model, asked, ends=ENDS, room=11, seed=seed, sentence=at_a_mark) == expected


def test_it_writes_the_same_as_the_naive_implementation_on_real_text(toy_checkpoint: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(toy_checkpoint).eval()
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    asked = [(page, 0, tokenizer(text)["input_ids"]) for page, text in enumerate(WORDS)]
    ends, sentence = frozenset([tokenizer.eos_token_id]), SentenceEnd(tokenizer)
    spec = "delayed-beam:top_k=20,num_beams=3"
    expected = naively(Naive(model, ends, model.config.n_positions, sentence), spec, asked, 7)
    assert written(spec, model, asked, ends=ends, room=7, sentence=sentence) == expected


@pytest.mark.parametrize("most", [1, 4])
@pytest.mark.parametrize("delay", [0, 2, 6])
def test_a_sentence_without_an_end_is_taken_as_it_stands(
    most: int, delay: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(oracle, "MOST_OF_A_SENTENCE", most)
    monkeypatch.setattr(delayed_beam, "_LONGEST", most)
    model, asked, spec = lively(5), asked_of(5, 3), f"delayed-beam:delay={delay},num_beams=3"
    expected = naively(Naive(model, ENDS, CONTEXT, at_a_mark), spec, asked, 14)
    assert written(spec, model, asked, ends=ENDS, room=14, sentence=at_a_mark) == expected


@pytest.mark.parametrize("top_k", [0, 9])
def test_with_nothing_but_delay_it_is_sampling(top_k: int) -> None:
    model, asked = lively(0), asked_of(0, 3, samples=2)
    drawn = written(f"sample:top_k={top_k}", model, asked, ends=ENDS, room=12)
    spec = f"delayed-beam:delay=12,top_k={top_k}"
    assert written(spec, model, asked, ends=ENDS, room=12, sentence=at_a_mark) == drawn


@pytest.mark.parametrize("length_penalty", [0, 1])
def test_without_delay_it_is_a_beam_search_per_sentence(length_penalty: int) -> None:
    model, mark = lively(0), 21
    for page, text in enumerate(prompts(0, 3)):
        tokens: list[int] = []
        while len(tokens) < 16:
            found = naively(
                Naive(model, frozenset([mark]), CONTEXT),
                Decoder("beam", {"num_beams": 6, "length_penalty": length_penalty}),
                [(0, 0, [*text, *tokens])],
                16 - len(tokens),
            )
            sentence, ended = found[0, 0]
            tokens += [*sentence, mark] if ended else sentence
        found = written(
            f"delayed-beam:delay=0,length_penalty={length_penalty}",
            model, [(page, 0, text)], ends=frozenset(), room=16,
            sentence=lambda before, token: token == mark,
        )  # fmt: skip
        assert found == {(page, 0): (tokens, False)}


@pytest.mark.parametrize("slack", [2e-5, 10.0], ids=["few draws settled", "all draws settled"])
def test_the_batch_and_the_order_change_nothing(slack: float) -> None:
    model, asked = lively(1, spread=0.1), asked_of(1, 3, samples=2)
    alone = written("delayed-beam:num_beams=3", model, asked, ends=ENDS, room=14, rows=1, sentence=at_a_mark)
    for rows, order in ((7, asked), (32, asked[::-1])):
        asking: dict[str, Any] = {"ends": ENDS, "room": 14, "sentence": at_a_mark, "rows": rows, "slack": slack}
        assert written("delayed-beam:num_beams=3", model, order, **asking) == alone


def test_it_is_deterministic_where_nothing_is_drawn() -> None:
    kind = decoders.get("delayed-beam")
    assert kind.is_deterministic(parse("delayed-beam:delay=0")[0])
    assert not kind.is_deterministic(parse("delayed-beam")[0])
