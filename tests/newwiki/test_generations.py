import json
from pathlib import Path

import pytest

from newwiki.errors import UsageError
from newwiki.generations import Generation, read_generations


def read(tmp_path: Path, *rows: object) -> list[Generation]:
    file = tmp_path / "texts.jsonl"
    file.write_text("".join(f"{row if isinstance(row, str) else json.dumps(row)}\n" for row in rows))
    return read_generations(file)


def test_a_text_names_its_article_or_brings_its_own(tmp_path: Path) -> None:
    assert read(
        tmp_path,
        {"page_id": 7, "text": "One.", "sample": 3},
        {"title": "Orlow", "text": "Two."},
        {"prompt": "Orlow is", "reference": "a town.", "text": "a river."},
    ) == [
        Generation(1, "One.", page_id=7, sample=3),
        Generation(2, "Two.", title="Orlow"),
        Generation(3, "a river.", prompt="Orlow is", reference="a town."),
    ]


def test_an_empty_text_is_a_text_and_an_empty_line_is_none(tmp_path: Path) -> None:
    assert read(tmp_path, {"page_id": 7, "text": ""}, "", {"page_id": 8, "text": "x"}) == [
        Generation(1, "", page_id=7),
        Generation(3, "x", page_id=8),
    ]


def test_a_sample_log_of_the_harness_is_read_as_it_is(tmp_path: Path) -> None:
    """As lm-evaluation-harness 0.4 writes `samples_TASK_….jsonl` for a task of the kind generate_until."""
    log = {
        "doc_id": 0,
        "doc": {"title": "Orlow", "page_id": 40},
        "target": "a town.",
        "arguments": {"gen_args_0": {"arg_0": "Orlow is", "arg_1": {"until": ["\n"]}}},
        "resps": [["a river.\n"]],
        "filtered_resps": ["a river."],
        "doc_hash": "…",
    }
    expected = Generation(1, "a river.", page_id=40, title="Orlow", prompt="Orlow is", reference="a town.")
    assert read(tmp_path, log) == [expected]
    repeated = log | {"filtered_resps": [["a river.", "a hill."]], "doc": {}}
    assert [(one.text, one.names_an_article) for one in read(tmp_path, repeated)] == [
        ("a river.", False),
        ("a hill.", False),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1 is not valid JSON"),
        ('{"page_id": 1, "text": "x", "text": "y"}', "line 1 is not valid JSON: an object holds the key 'text' twice"),
        ("[1]", "line 1: not a JSON object"),
        ('{"page_id": 1}', "line 1: there is no text"),
        ('{"page_id": 1, "text": 5}', "line 1: there is no text"),
        ('{"page_id": "1", "text": "x"}', "line 1: page_id must be a whole number"),
        ('{"page_id": true, "text": "x"}', "line 1: page_id must be a whole number"),
        ('{"text": "x"}', "line 1: it is unknown what the text was generated for"),
        ('{"page_id": 1, "text": "\\ud800"}', "line 1 is not valid JSON: it holds text that is not Unicode"),
        ('{"prompt": "x", "text": "x"}', "line 1: it is unknown what the text was generated for"),
        ("[" * 100_000, "line 1 is nested too deeply"),
        ('{"page_id": ' + "1" * 5000 + ', "text": "x"}', "line 1 is not valid JSON: a number has 5,000 digits"),
        (f'{{"page_id": {1 << 70}, "text": "x"}}', "line 1: page_id must be from 0 to"),
        ('{"page_id": -1, "text": "x"}', "line 1: page_id must be from 0 to"),
        ('{"page_id": 1, "sample": NaN, "text": "x"}', "line 1: sample must be a whole number"),
    ],
)
def test_a_line_that_does_not_fit_is_named(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        read(tmp_path, line)


def test_missing_files_missing_texts_and_invalid_utf8_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        read_generations(tmp_path / "none.jsonl")
    with pytest.raises(UsageError, match="has no texts"):
        read(tmp_path)
    (tmp_path / "latin.jsonl").write_bytes(b'{"page_id": 1, "text": "\xe9"}')
    with pytest.raises(UsageError, match="not UTF-8"):
        read_generations(tmp_path / "latin.jsonl")


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    (tmp_path / "marked.jsonl").write_bytes(b'\xef\xbb\xbf{"page_id": 1, "text": "x"}')
    assert read_generations(tmp_path / "marked.jsonl") == [Generation(1, "x", page_id=1)]
