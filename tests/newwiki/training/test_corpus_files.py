"""Corpora of one's own: what is read, and what is refused with file, line and remedy."""

from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from newwiki.errors import UsageError
from newwiki.training.corpus_files import read_corpora

GOOD = 'label,text\nwos,"Water, and\nmore ""water""."\nscopus,Energy.\nwos,Water.\n'


def file(folder: Path, content: str | bytes, name: str = "corpora.csv") -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_texts_come_by_label_in_their_order(tmp_path: Path) -> None:
    assert read_corpora([file(tmp_path, GOOD)]) == {
        "wos": ['Water, and\nmore "water".', "Water."],
        "scopus": ["Energy."],
    }


def test_files_go_together_and_other_columns_are_not_read(tmp_path: Path) -> None:
    table = pa.table({"year": [2015, 2023], "text": ["Schools.", "Water."], "label": ["openalex", "wos"]})
    parquet.write_table(table, tmp_path / "more.parquet")
    excel = file(tmp_path, b"\xef\xbb\xbftext;label\r\n", "excel.csv")
    both = read_corpora([file(tmp_path, GOOD), tmp_path / "more.parquet"])
    assert {label: len(texts) for label, texts in both.items()} == {"wos": 3, "scopus": 1, "openalex": 1}
    with pytest.raises(UsageError, match=r"excel.csv', line 1: the columns are separated by semicolons"):
        read_corpora([excel])


def test_a_text_may_be_as_long_as_it_is(tmp_path: Path) -> None:
    assert read_corpora([file(tmp_path, f"label,text\na,{'x' * 200_000}\n")]) == {"a": ["x" * 200_000]}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("text\nWater.\n", "line 1: there is no column 'label', but text; it must have label, text"),
        ("", "is empty; its first line must be label, text"),
        ("label,text,text\na,b,c\n", "line 1: there are two columns 'text'"),
        (GOOD + ",Lost.\n", "line 6: label is empty; fill it, or remove the row"),
        (GOOD + "wos\n", "line 6: the row has 1 fields, and the first line has 2"),
        (GOOD + "wos,   \n", "line 6: text is empty; fill it"),
        (GOOD + "wos,Water, and more.\n", "line 6: the row has 3 fields, and the first line has 2; put a text"),
        (
            GOOD + 'wos,"Water\n',
            "line 6: unexpected end of data; put a text that holds commas, quotes or line breaks in quotes",
        ),
        (b"label,text\nwos,\xff\n", "is not UTF-8 (byte 0xff), but perhaps WINDOWS-1252"),
    ],
)
def test_a_bad_csv_is_refused_with_line_and_remedy(tmp_path: Path, content: str | bytes, told: str) -> None:
    path = file(tmp_path, content)
    with pytest.raises(UsageError) as refused:
        read_corpora([path])
    assert str(path) in str(refused.value)
    assert told in str(refused.value)


def test_a_bad_parquet_is_refused_with_row_and_remedy(tmp_path: Path) -> None:
    path = tmp_path / "corpora.parquet"
    for table, told in (
        (pa.table({"label": ["a", None], "text": ["b", "c"]}), "row 2: label is empty; fill it"),
        (pa.table({"label": ["a"], "text": [7]}), "row 1: text is of type int, not text; write the column as strings"),
        (pa.table({"label": ["a"]}), "there is no column 'text'"),
    ):
        parquet.write_table(table, path)
        with pytest.raises(UsageError, match=told):
            read_corpora([path])
    path.write_text(GOOD)
    with pytest.raises(UsageError, match=r"is not Parquet: .*; write it again, or pass a CSV"):
        read_corpora([path])


def test_an_invalid_text_file_is_refused(tmp_path: Path) -> None:
    for name, told in (("texts.jsonl", "is not a text file; pass a .csv or .parquet"), ("no.csv", "cannot read"),
                       ("no.parquet", "cannot read")):  # fmt: skip
        with pytest.raises(UsageError, match=told):
            read_corpora([tmp_path / name])
