from collections.abc import Callable
from pathlib import Path

import pytest

from evaluators.analysis import Analysis, Analyst
from evaluators.embedding import Embedder, load_embedder
from evaluators.entities import Tagger, load_tagger


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


@pytest.fixture
def spacy_pipeline(tmp_path: Path) -> Path:
    """A real spaCy pipeline in a folder: it knows two cities by heart."""
    import spacy

    nlp = spacy.blank("en", meta={"name": "two_cities", "version": "1.0"})
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "GPE", "pattern": "New York"}, {"label": "GPE", "pattern": "Paris"}])
    nlp.to_disk(tmp_path / "two_cities")
    return tmp_path / "two_cities"
