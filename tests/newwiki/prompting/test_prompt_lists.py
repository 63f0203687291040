"""Lists of prompts: one a line, named by what they hold."""

from pathlib import Path

import pytest

from newwiki.errors import UsageError
from newwiki.prompting.prompt_lists import read_prompt_list


def listed(folder: Path, text: str, name: str = "prompts.txt") -> Path:
    (folder / name).write_text(text)
    return folder / name


def test_a_prompt_a_line_each_once(tmp_path: Path) -> None:
    found = read_prompt_list(listed(tmp_path, "Schools need \n\nWater is\nSchools need\n"))
    assert [one.prompt for one in found.prompts] == ["Schools need", "Water is"]
    assert {(one.category, one.group_name, one.hidden) for one in found.prompts} == {("", "", ())}
    again = read_prompt_list(listed(tmp_path, "Water is\nSchools need\n", "other.txt"))
    assert again.prompt_set_id == found.prompt_set_id


def test_a_value_that_is_not_a_list_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"is not a prompt list; pass a .txt file with one prompt per line"):
        read_prompt_list(listed(tmp_path, "prompt\n", "prompts.csv"))
    with pytest.raises(UsageError, match="holds no prompts; write one per line"):
        read_prompt_list(listed(tmp_path, "\n \n"))
    with pytest.raises(UsageError, match="cannot read"):
        read_prompt_list(tmp_path / "none.txt")
