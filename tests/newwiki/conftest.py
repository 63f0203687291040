from collections.abc import Callable

import pytest

from newwiki.text.language import Language, load_language
from newwiki.text.prose import extract_prose


@pytest.fixture(scope="session")
def english() -> Language:
    return load_language("en")


@pytest.fixture(scope="session")
def prose(english: Language) -> Callable[[str], str]:
    """Wikitext of an English page to its prose."""
    return lambda wikitext: extract_prose(wikitext, english)
