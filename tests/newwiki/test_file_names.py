"""Names of files from names of anything: safe anywhere, and never the same for two."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from newwiki.file_names import file_name, folder_name, model_file_name

_hostile = some.text(some.one_of(some.characters(), some.sampled_from("./\\\\:-aA1\x00\u202e ")), max_size=300)
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


@given(_hostile)
def test_a_file_made_from_any_name_is_inside_its_folder(name: str) -> None:
    for made in (file_name(name), folder_name(name), model_file_name(name, "0" * 64)):
        assert re.fullmatch(r"[A-Za-z0-9._@+-]{1,80}", made)
        assert not _RESERVED.fullmatch(made) and not made.endswith(".")
        assert Path("/out", made).resolve() == Path("/out") / made


@given(_hostile, _hostile)
def test_names_that_differ_only_in_case_get_different_files(one: str, other: str) -> None:
    others = {other, one.upper(), f"{one} ", f"{one}.", file_name(one)} - {one}
    assert file_name(one) not in {file_name(name) for name in others}
    assert file_name(one) == file_name(one).lower()


@pytest.mark.parametrize("name", ["..", ".", "", "con", "NUL", "aux.txt", "com1", "a.", "a/b", "x" * 300, "ü" * 200])
def test_a_name_that_some_system_cannot_have_is_changed(name: str) -> None:
    assert file_name(name) != name and folder_name(name) != name


def test_a_plain_name_stays() -> None:
    assert file_name("enwiki-2026-10") == "enwiki-2026-10"
    assert folder_name("EleutherAI__pythia-1.4B") == "EleutherAI__pythia-1.4B"
