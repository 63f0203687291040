"""What a revision says, in the shapes in which a MediaWiki 1.39 gives it."""

from pathlib import Path
from typing import Any

import pytest

from newwiki import sources
from newwiki.sources.api import is_hidden, wikitext

SLOT = {"contentmodel": "wikitext", "contentformat": "text/x-wiki"}


@pytest.mark.parametrize(
    ("revision", "hidden", "text"),
    [
        ({"revid": 7, "size": 4, "slots": {"main": {**SLOT, "content": "Text"}}}, False, "Text"),
        ({"revid": 7, "size": 0, "slots": {"main": {**SLOT, "content": ""}}}, False, ""),
        ({"revid": 7, "size": 4, "slots": {"main": {"texthidden": True}}}, True, None),
        ({"revid": 7, "size": 4, "texthidden": True, "suppressed": True}, True, None),
        ({"revid": 7, "size": 4, "sha1hidden": True}, True, None),
        ({"revid": 7, "size": 4, "sha1": "f39c"}, False, None),
    ],
)
def test_a_text_is_there_or_hidden_or_was_not_asked_for(
    revision: dict[str, Any], hidden: bool, text: str | None
) -> None:
    assert (is_hidden(revision), wikitext(revision)) == (hidden, text)


@pytest.mark.parametrize(
    ("mark", "file"),
    [
        ('"texthidden"', "api.py"),
        ('"sha1hidden"', "api.py"),
        ("fromisoformat(", "timestamps.py"),
        ("%Y-%m-%dT%H", "timestamps.py"),
        ("requests.Session(", "api.py"),
        ('"apihighlimits"', "api.py"),
        ('"|".join', "api.py"),
    ],
)
def test_each_kind_of_wiki_data_is_read_by_one_module(mark: str, file: str) -> None:
    code = Path(sources.__file__ or "").parent.glob("*.py")
    assert [path.name for path in code if mark in path.read_text("utf-8")] == [file]
