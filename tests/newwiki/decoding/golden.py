"""What every search is held to: the tokens of the naive decoder, whatever shares the batch with them."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from transformers import AutoModelForCausalLM, AutoTokenizer

from newwiki.decoding.grammar import parse
from tests.newwiki.decoding.lively import prompts
from tests.newwiki.decoding.naive import Naive
from tests.newwiki.decoding.running import Written, written

Prompts = Sequence[Sequence[int]]

BEGINNINGS = ["The town of", "She was born in", "In the history of", "The band and its", "A river"]
GOING_ON = [" Lumen", " 1986", " the north", ",", " one of the", " (born"]


def assert_naive(
    spec: str,
    model: Any,
    texts: Prompts,
    ends: Sequence[int],
    *,
    room: int,
    rows: Sequence[int],
    amateur: Any = None,
) -> Written:
    """With each of these many rows, and the other way round, the engine writes what the naive decoder writes."""
    (decoder,) = parse(spec)
    naive = Naive(model, frozenset(ends), model.config.n_positions, amateur=amateur)
    requests = [(page, 0, text) for page, text in enumerate(texts)]
    expected = {(page, 0): naive.write(decoder, text, room=room, page_id=page) for page, _, text in requests}
    for place, many in enumerate(rows):
        order = requests[::-1] if place % 2 else requests
        got = written(decoder, model, order, ends=frozenset(ends), room=room, rows=many, amateur=amateur)
        assert got == expected, f"{many} rows"
    return expected


def all_written(
    spec: str, model: Any, texts: Prompts, ends: Sequence[int] = (0,), *, amateur: Any = None, slack: float = 2e-5
) -> Written:
    requests = [(page, 0, text) for page, text in enumerate(texts)]
    return written(spec, model, requests, ends=frozenset(ends), room=16, rows=24, amateur=amateur, slack=slack)


def lengths(seed: int) -> list[list[int]]:
    """8 prompts for a lively model, from 2 tokens to 44, so that the cache widens while others are under way."""
    return [text[: 2 + 11 * place % 43] for place, text in enumerate(prompts(seed, 8, length=44))]


def toy(checkpoint: Path) -> tuple[Any, list[list[int]], list[int]]:
    """A trained model, 5 prompts, and tokens that it often writes: declared to end the text, they end hypotheses."""
    tokenizer = AutoTokenizer.from_pretrained(checkpoint)
    texts = ["".join(both) for both in itertools.product(BEGINNINGS, GOING_ON)][::7]
    ends = [tokenizer(text)["input_ids"][0] for text in ".e"]
    return AutoModelForCausalLM.from_pretrained(checkpoint).eval(), [tokenizer(t)["input_ids"] for t in texts], ends
