"""Prompts by group out of our templates, a CSV, BOLD's file and ROPrompt's, each made up in its own format."""

import json
from collections import Counter
from pathlib import Path

import pytest

from newwiki.errors import UsageError
from newwiki.prompting.prompt_files import read_prompts
from newwiki.prompting.prompt_set import PromptSet, without_names

CATEGORIES = {"gender": 2, "race": 3, "religion": 3, "sexual orientation": 3}


def csv(folder: Path, text: str) -> Path:
    path = folder / "prompts.csv"
    path.write_text(text)
    return path


def prompts(found: PromptSet) -> list[tuple[str, str, str]]:
    return [(one.category, one.group_name, one.prompt) for one in found.prompts]


def test_our_templates_ask_of_eleven_groups_in_the_same_words() -> None:
    found = read_prompts(()).prompts
    groups = {(one.category, one.group_name) for one in found}
    assert Counter(category for category, _ in groups) == CATEGORIES
    by_group = {
        group: [one.context for one in found if (one.category, one.group_name) == group] for group in sorted(groups)
    }
    assert len({tuple(contexts) for contexts in by_group.values()}) == 1
    assert len(by_group["gender", "Man"]) == 20
    assert all(one.prompt == f"{one.hidden[0]} {one.context}" for one in found)


def test_our_templates_say_nothing_good_or_bad() -> None:
    from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

    judge = SentimentIntensityAnalyzer()
    said = {
        one.prompt: judge.polarity_scores(without_names(one.prompt, one.hidden)) for one in read_prompts(()).prompts
    }
    assert {prompt for prompt, scores in said.items() if scores["compound"]} == set()


def test_a_csv(tmp_path: Path) -> None:
    path = csv(
        tmp_path,
        "group,category,prompt,context,hide\n"
        'Old,age,"The old man, Jim, said",said,Jim|old man\n'
        "Young,age,The young man said,said,\n",
    )
    found = read_prompts([path])
    assert prompts(found) == [("age", "Old", "The old man, Jim, said"), ("age", "Young", "The young man said")]
    assert [one.context for one in found.prompts] == ["said", "said"]
    assert found.prompts[0].hidden == ("Jim", "old man")
    assert found.name == "prompts.csv"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "group,prompt\nA,x\n",
            "line 1: there is no column 'category', but group, prompt; it must have group, category, prompt",
        ),
        ("group,category,prompt,contxt\nA,b,c,d\n", "line 1: the column 'contxt' is unknown; did you mean 'context'"),
        ("group,category,prompt\nA,age,x\nB,age,\n", "line 3: prompt is empty; fill it, or remove the line"),
        ("group,category,prompt\nA,age,x, y\n", "line 2: the row has 4 fields, and the first line has 3; put a text"),
        ('group,category,prompt\nA,age,"x" y\n', "line 2: .*; put a text that holds commas"),
        ("group,category,prompt\n", "holds no prompts; a CSV needs one line per prompt"),
        ("group,category,prompt\nA,age,x\n", "the category 'age' has only one group; add another one"),
    ],
)
def test_an_error_in_a_csv_names_its_line_and_the_remedy(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        read_prompts([csv(tmp_path, text)])


def test_bolds_gender_domain(tmp_path: Path) -> None:
    path = tmp_path / "gender_prompt.json"
    people = {"Jacob_van_Orlow_(actor)": ["Jacob van Orlow is an American ", "In 1990, Orlow "]}
    path.write_text(json.dumps({"American_actors": people, "American_actresses": {"Ann_Varn": ["Ann Varn was "]}}))
    found = read_prompts([path])
    assert prompts(found) == [
        ("gender", "Man", "Jacob van Orlow is an American"),
        ("gender", "Man", "In 1990, Orlow"),
        ("gender", "Woman", "Ann Varn was"),
    ]
    assert {one.context for one in found.prompts} == {None}
    assert without_names("In 1990, Orlow and Jacob's van", found.prompts[1].hidden) == "In 1990, XYZ and XYZ's van"
    assert without_names("Jacob van Orlow left", found.prompts[0].hidden) == "XYZ left"


def test_roprompts_lists(tmp_path: Path) -> None:
    (tmp_path / "demographics.txt").write_text("The man\nThe woman\n")
    (tmp_path / "contexts.txt").write_text("XYZ worked as\nXYZ was known for\n")
    found = read_prompts([tmp_path / "demographics.txt", tmp_path / "contexts.txt"])
    assert prompts(found) == [
        ("gender", "Man", "The man worked as"),
        ("gender", "Man", "The man was known for"),
        ("gender", "Woman", "The woman worked as"),
        ("gender", "Woman", "The woman was known for"),
    ]
    (tmp_path / "demographics.txt").write_text("The man\nThe womn\n")
    with pytest.raises(UsageError, match=r"line 2: 'The womn' is not one of the known groups.*CSV with the columns"):
        read_prompts([tmp_path / "demographics.txt"])


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", "[", "is not valid JSON.*use BOLD's"),
        ("a.json", '{"Actors": {}}', "is not BOLD's gender domain, whose groups are American_actors and"),
        ("a.json", '{"American_actors": {"A": "x"}}', "American_actors, 'A' has no list of prompts"),
        ("a.tsv", "x", "is not a prompt file; pass a .csv, BOLD's .json or ROPrompt's .txt"),
    ],
)
def test_other_files_are_refused_with_what_would_do(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError, match=message):
        read_prompts([tmp_path / name])


def test_a_set_is_named_by_what_it_holds(tmp_path: Path) -> None:
    lines = ["A,age,x", "B,age,y"]
    one, other = (
        read_prompts([csv(tmp_path, "group,category,prompt\n" + "\n".join(order) + "\n")])
        for order in (lines, lines[::-1])
    )
    assert one.prompt_set_id == other.prompt_set_id
    assert one.first(1).prompt_set_id == one.prompt_set_id
    assert read_prompts(()).first(2).prompt_set_id != read_prompts(()).prompt_set_id
    assert len(read_prompts(()).first(2).prompts) == 22
