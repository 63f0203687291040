"""One rule for names, whoever gives them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.errors import UsageError
from newwiki.names import LONGEST, require_name


@pytest.mark.parametrize(
    "name", ["gpt2", "meta-llama/Llama-3.1-8B", "Łukasz", "模型", "a b", "C:\\models\\x", "x" * LONGEST]
)
def test_usual_names_stay_as_they_are(name: str) -> None:
    assert require_name(name, "the model name") == name


@pytest.mark.parametrize(
    "name",
    [
        "", " ", "x ", " x", "Wikipedia", "WIKIPEDIA", "references", "reference:x", "Prompts:x", "file:x", "anchor:x",
        ".", "..", "a\u202eb", "a\u2066b", "a\u200bb", "a\0b", "\x1b[31mred", "a\nb", "a\tb", "\ud800", "\ue000",
        "e\u0301", "x" * (LONGEST + 1), "x" * 100_000, "\u2028", "\uff37ikipedia", "\ufdd0",
    ],
)  # fmt: skip
def test_hostile_names_are_refused_in_a_line(name: str) -> None:
    with pytest.raises(UsageError, match=r"the model name '.*choose another name") as refused:
        require_name(name, "the model name")
    said = str(refused.value)
    assert said.isprintable() and len(said) < 300


@given(st.text(st.characters(), max_size=LONGEST + 5))
def test_what_passes_is_printable_and_names_nothing_of_ours(name: str) -> None:
    try:
        require_name(name, "the name")
    except UsageError:
        return
    assert name.strip() == name != "" and len(name) <= LONGEST and unicodedata.normalize("NFC", name) == name
    assert not {unicodedata.category(character)[0] for character in name} & {"C"}
    assert not name.casefold().startswith(("reference:", "prompts:", "file:", "anchor:"))
