"""CSV files of people: every text comes back as it was written, and every other file is refused in a line."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.csv_files import read_csv
from newwiki.errors import UsageError
from newwiki.prompting.prompt_files import read_prompts
from newwiki.prompting.prompt_lists import read_prompt_list

_CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12) | st.text(
    ",;\"'\n\r\x85\u2028\u2029\x0b\x0c\x1c\t a\ufeff=", max_size=8
)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], list[list[str]]]:
    names = draw(st.lists(st.text("abc;_ü\n", min_size=1, max_size=5), min_size=2, max_size=4, unique=True))
    return names, draw(st.lists(st.lists(_CELLS, min_size=len(names), max_size=len(names)), max_size=5))


@given(tables(), st.sampled_from(["utf-8", "utf-8-sig"]), st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_table_of_texts_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, table: tuple[list[str], list[list[str]]], encoding: str, end: str
) -> None:
    names, rows = table
    path = tmp_path_factory.getbasetemp() / "table.csv"
    with path.open("w", encoding=encoding, newline="") as file:
        csv.writer(file, lineterminator=end, quoting=csv.QUOTE_ALL).writerows([names, *rows])
    assert [[row[name] for name in names] for row in read_csv(path, names)] == rows


@given(st.binary(max_size=60) | st.text('a,"\n\r;\0é', max_size=40).map(str.encode))
def test_any_bytes_are_read_as_a_table_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, held: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(held)
    refused, rows = "", []
    try:
        rows = list(read_csv(path))
    except UsageError as error:
        refused = str(error)
    assert refused.isprintable()
    assert len({tuple(row.cells) for row in rows}) <= 1


@pytest.mark.parametrize(
    ("held", "said"),
    [
        (b"", "is empty; its first line must be text, score"),
        (b"\n\n", "is empty; its first line must be text, score"),
        (b"text;score\na;1\n", "line 1: the columns are separated by semicolons; save the file with commas"),
        (b"text\tscore\na\t1\n", "line 1: the columns are separated by tabs"),
        (b"text,text,score\na,b,1\n", "line 1: there are two columns 'text'; rename or remove one of them"),
        (b"text,scores\na,1\n", "line 1: there is no column 'score', but text, scores; did you mean 'scores'"),
        (b"text,score,note\na,1,b\n", "line 1: the column 'note' is unknown"),
        (b'text,score\n"two\nlines",1\na\n', "line 4: the row has 1 fields, and the first line has 2"),
        (b'text,score\n"two\nlines",1\na,b,c\n', "line 4: the row has 3 fields"),
        (b'text,score\n"a" b,1\n', "line 2: .*write each quote in it twice"),
        (b'text,score\n"a,1\n', "line 2: unexpected end of data"),
        (b"text,score\na\0b,1\n", "line 2 holds a NUL character"),
        ("text,score\né,1\n".encode("latin-1"), "is not UTF-8 .byte 0xe9., but perhaps WINDOWS-1252.*iconv -f WINDOWS"),
        ("text,score\né,1\n".encode("utf-16"), "is not UTF-8 .byte 0xff., but perhaps UTF-16: save it as UTF-8"),
    ],
)
def test_an_invalid_table_is_refused_with_its_line(tmp_path: Path, held: bytes, said: str) -> None:
    (tmp_path / "bad.csv").write_bytes(held)
    with pytest.raises(UsageError, match=said):
        list(read_csv(tmp_path / "bad.csv", ("text", "score"), ()))


def test_field_longer_than_the_limit_of_csv_is_read(tmp_path: Path) -> None:
    (tmp_path / "long.csv").write_text(f"text,score\n{'x' * 200_000},1\n", "utf-8")
    [row] = read_csv(tmp_path / "long.csv")
    assert len(row["text"]) == 200_000


def test_line_breaks_in_prompts_stay(tmp_path: Path) -> None:
    rows = [("A", "age", "one\nline\x85and\u2028more"), ("B", "age", "two")]
    with (tmp_path / "prompts.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("group", "category", "prompt"), *rows])
    assert [one.prompt for one in read_prompts([tmp_path / "prompts.csv"]).prompts] == [row[2] for row in rows]
    (tmp_path / "list.txt").write_text("one\x85line\ntwo\u2028lines\x0cmore\n", "utf-8")
    assert [one.prompt for one in read_prompt_list(tmp_path / "list.txt").prompts] == [
        "one\x85line",
        "two\u2028lines\x0cmore",
    ]
