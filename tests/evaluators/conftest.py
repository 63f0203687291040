import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from evaluators.analysis import Analysis, Analyst
from evaluators.embedding import Embedder, load_embedder
from evaluators.entities import load_tagger
from evaluators.tagger import Tagger


@pytest.fixture(scope="session")
def embedder() -> Embedder:
    """The real all-MiniLM-L6-v2, out of the offline package."""
    return load_embedder(dtype="float32")


@pytest.fixture(scope="session")
def rules() -> Tagger:
    return load_tagger("rules-v1")


@pytest.fixture(scope="session")
def analyst(rules: Tagger, embedder: Embedder) -> Analyst:
    return Analyst(rules, embedder)


@pytest.fixture(scope="session")
def counted() -> Callable[[str], Analysis]:
    """One text analysed without a model."""
    return lambda text: Analyst().analyse([text], frozenset())[0]


@pytest.fixture(scope="session")
def named(rules: Tagger) -> Callable[[str], Analysis]:
    """One text analysed with its entities by rules."""
    return lambda text: Analyst(rules).analyse([text], {"entities"})[0]


@pytest.fixture(scope="session")
def sample_texts(sample_wiki: Path) -> list[str]:
    """The articles of the sample wiki that have prose."""
    from newwiki.snapshot import Window
    from newwiki.sources.dump import DumpSource
    from newwiki.text.language import load_language
    from newwiki.text.prose import extract_prose

    source = DumpSource(str(sample_wiki))
    batches = source.pages(Window.month("2026-08"), datetime(2026, 10, 1, tzinfo=UTC), set())
    texts = [extract_prose(page.wikitext or "", load_language("en")) for batch in batches for page in batch.pages]
    return [text for text in texts if text]


@pytest.fixture
def hyphenated(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """textstat without its pronouncing dictionary, as 0.7.4 was: the syllables are hyphenation points."""
    monkeypatch.setattr("textstat.backend.counts._count_syllables.get_cmudict", lambda lang: None)
    _forget()
    yield
    _forget()


def _forget() -> None:
    """What textstat remembers of the texts that it has counted."""
    for name, module in [*sys.modules.items()]:
        if name.startswith("textstat."):
            for function in vars(module).values():
                getattr(function, "cache_clear", lambda: None)()


@pytest.fixture
def spacy_pipeline(tmp_path: Path) -> Path:
    """A real spaCy pipeline in a folder: it knows two cities by heart."""
    import spacy

    nlp = spacy.blank("en", meta={"name": "two_cities", "version": "1.0"})
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "GPE", "pattern": "New York"}, {"label": "GPE", "pattern": "Paris"}])
    nlp.to_disk(tmp_path / "two_cities")
    return tmp_path / "two_cities"
