"""No path or address of a machine leaves it in a pushed folder, a bundle or an export."""

import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.private_places import public_name, public_versions
from storage import runs
from storage.comparison import contenders
from storage.database import Database
from storage.export_runs import export_runs
from storage.push import gather, push
from storage.shared import GatheredParts, SharedFolder

MARK = "secret-marker"
PRIVATE = {
    "adapter_base": f"/home/{MARK}/base",
    "base_url": f"http://{MARK}.internal:8000/v1",
    "reported": json.dumps({"id": "m", "root": f"/srv/{MARK}/m", "meta": [f"https://user:pass@{MARK}.internal"]}),
    "a_field_to_come": f"~/{MARK}/x",
}


def marked(database: Database) -> Database:
    """A run whose model, base and server lie where nobody else is to know."""
    with database.write() as connection:
        connection.execute(
            "update runs set model = ?, versions = ? where run_id = 'run-a'",
            [f"/home/{MARK}/model", json.dumps({"torch": "2", **PRIVATE})],
        )
    return database


def decoded(file: Path) -> bytes:
    content = file.read_bytes()
    rows = parquet.read_table(io.BytesIO(content)).to_pylist() if file.suffix == ".parquet" else []
    return content + repr(rows).encode()


def test_what_is_pushed_or_exported_holds_no_private_place(first: Database, tmp_path: Path) -> None:
    database = marked(first)
    push(database, SharedFolder((tmp_path / "shared").as_uri()), print)
    for form in ("parquet", "jsonl", "datasets"):
        export_runs(database, contenders(database, ["run-a"]), form, tmp_path / form)
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.parts[len(tmp_path.parts)] in
             ("shared", "parquet", "jsonl", "datasets")]  # fmt: skip
    assert len(files) > 20
    assert [file for file in files if MARK.encode() in decoded(file)] == []


def test_what_is_bundled_holds_no_private_place_and_the_same_run(first: Database) -> None:
    database, parts = marked(first), GatheredParts("a")
    gather(database, parts, ["run-a"])
    assert MARK not in repr([rows.to_pylist() for _, rows in parts.held.values()])
    [row] = [rows.to_pylist()[0] for part, (_, rows) in parts.held.items() if part.table == "runs"]
    assert (row["run_id"], row["model"]) == ("run-a", "model")
    assert json.loads(row["versions"])["adapter_base"] == "base"
    assert runs.status(database, "run-a") == "complete"


@pytest.mark.parametrize(
    ("name", "public"),
    [
        ("gpt2", "gpt2"), ("org/model", "org/model"), ("/a/b/c", "c"), ("/a/b/", "b"), ("~/m", "m"), ("../m", "m"),
        ("./x/m", "m"), ("C:\\Users\\me\\m", "m"), ("/", "unnamed"), ("model.gguf", "model.gguf"), ("", ""),
    ],
)  # fmt: skip
def test_a_name_is_kept_and_its_place_is_not(name: str, public: str) -> None:
    assert public_name(name) == public


@given(
    st.recursive(
        st.sampled_from(
            [f"/home/{MARK}/x", f"~/{MARK}/x", f"https://{MARK}.internal/v1", f"C:\\{MARK}\\x", "plain", 1]
        ),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
            | inner.map(json.dumps).filter(lambda text: text[0] in "[{")
        ),
        max_leaves=6,
    )
)
def test_no_place_stands_anywhere_in_the_versions(value: Any) -> None:
    public = public_versions(json.dumps({"x": value, "torch": "2"}))
    assert MARK not in public
    assert public_versions(public) == public
    assert json.loads(public)["torch"] == "2"
