"""What judges are asked: our rubric, and one of a user's own."""

from pathlib import Path

import pytest

from newwiki.errors import UsageError
from newwiki.judging.rubric import read_rubric

OWN = '[[criterion]]\nname = "style"\nquestion = "Which is of better style?"\nmeaning = ""\n'


def test_ours_asks_what_the_papers_ask() -> None:
    rubric = read_rubric()
    assert rubric.names == ("coherence", "fluency", "informativeness", "human")
    asked = rubric.question(
        rubric.criteria[0], "Arve\n\nArve is a river.", "It is long {first}.", "It is {second} short."
    )
    assert "Text A:\nIt is long {first}." in asked
    assert "Text B:\nIt is {second} short." in asked
    assert "Which text is more coherent?" in asked
    assert asked.endswith("Answer:")


def test_a_users_rubric_has_its_own_id_and_our_template(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(OWN)
    own = read_rubric(tmp_path / "own.toml")
    assert own.names == ("style",)
    assert own.sha256 != read_rubric().sha256
    assert own.template == read_rubric().template


def test_a_template_changes_what_a_model_is_asked_and_not_the_criteria(tmp_path: Path) -> None:
    template = "{prompt}\n1: {first}\n2: {second}\n{question} {meaning} A, B or tie?"
    (tmp_path / "own.toml").write_text(OWN)
    (tmp_path / "asked.toml").write_text(f'template = """{template}"""\n{OWN}')
    own, asked = read_rubric(tmp_path / "own.toml"), read_rubric(tmp_path / "asked.toml")
    assert asked.template == template
    assert asked.sha256 == own.sha256


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("criterion = []", "criterion: must not be empty|should have at least 1 item"),
        ("x", "is not valid TOML"),
        (OWN + "colour = 1\n", "has no key 'colour'"),
        ('[[criterion]]\nname = "a b"\nquestion = "q"\nmeaning = ""', "may hold letters, digits"),
        (OWN + OWN, "several criteria named style"),
        ('template = "{first}"\n' + OWN, "must contain each of these fields once: {prompt}, {first}"),
    ],
)
def test_a_rubric_that_is_wrong_is_refused_with_what_is_wrong(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "own.toml").write_text(text)
    with pytest.raises(UsageError, match=said):
        read_rubric(tmp_path / "own.toml")


def test_a_missing_rubric_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        read_rubric(tmp_path / "none.toml")
