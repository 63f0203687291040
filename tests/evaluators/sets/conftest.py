from collections.abc import Callable, Sequence

import pytest

from evaluators.corpus import Corpus, split_words


@pytest.fixture(scope="session")
def corpus() -> Callable[..., Corpus]:
    """Pages from 1, one text each, and their articles: the same texts where none are given."""

    def make(texts: Sequence[str], articles: Sequence[str] | None = None) -> Corpus:
        pages = range(1, len(texts) + 1)
        return Corpus(
            {(page, 0): split_words(text) for page, text in zip(pages, texts, strict=True)},
            {
                page: split_words(text)
                for page, text in zip(pages, texts if articles is None else articles, strict=True)
            },
        )

    return make
