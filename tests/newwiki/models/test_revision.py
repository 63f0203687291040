from pathlib import Path

import pytest

from newwiki.models.checkpoint import split_revision


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("facebook/opt-2.7b@refs/pr/26", ("facebook/opt-2.7b", "refs/pr/26")),
        ("openai-community/gpt2", ("openai-community/gpt2", "main")),
    ],
)
def test_a_name_may_bring_its_revision(name: str, parts: tuple[str, str]) -> None:
    assert split_revision(name) == parts


def test_a_folder_may_have_the_sign_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "a@b").mkdir()
    assert split_revision(str(tmp_path / "a@b")) == (str(tmp_path / "a@b"), "main")
