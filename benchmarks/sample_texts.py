"""Texts for the benchmarks: the sample wiki's articles, and a toy checkpoint that is trained on them."""

import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from newwiki.decoding.stream import Stream
from newwiki.sample import toy
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose

WIKI = Path(__file__).parents[1] / "newwiki" / "sample" / "wiki.xml"
PROMPT_TOKENS = (8, 48)


def articles() -> list[str]:
    window, cutoff = Window.month("2026-08"), datetime(2026, 10, 1, tzinfo=UTC)
    pages = [page for batch in DumpSource(str(WIKI)).pages(window, cutoff, set()) for page in batch.pages]
    return [extract_prose(page.wikitext or "", load_language("en")) for page in pages]


@contextmanager
def toy_checkpoint(steps: int) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        toy.train(articles(), Path(folder) / "toy-gpt2", steps=steps)
        yield Path(folder) / "toy-gpt2"


def streams(texts: Sequence[Sequence[int]], count: int, longest: int) -> list[Stream]:
    """Return `count` completions, each with its own prompt and length.

    Prompts have 8 to 48 tokens from random places in the texts. Completions have half the longest length to the longest
    length.
    """
    chance = random.Random(0)
    long_enough = [tokens for tokens in texts if len(tokens) > PROMPT_TOKENS[1]]
    made = []
    for number in range(count):
        text, length = chance.choice(long_enough), chance.randint(*PROMPT_TOKENS)
        start = chance.randrange(len(text) - length)
        made.append(Stream(number, 0, tuple(text[start : start + length]), chance.randint(longest // 2, longest)))
    return made
