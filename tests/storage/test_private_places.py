"""No path or address of a machine leaves it in a pushed folder, a bundle or an export."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.evaluating.run_identity import stored_identity
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.private_places import PUBLIC_ID, public_decoder, public_name, public_versions
from newwiki.records import Run
from storage import runs
from storage.admitted import PART_KEYS
from storage.comparison import contenders
from storage.database import Database
from storage.export_runs import export_runs
from storage.public_rows import public_columns, public_row
from storage.push import gather, push
from storage.shared import GatheredParts, SharedFolder
from tests.storage.machines import BLEU

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
        connection.execute("update completions set served_by = ? where run_id = 'run-a'", [f"/srv/{MARK}/m fp_1"])
    return database


def decoded(file: Path) -> bytes:
    content = file.read_bytes()
    rows = parquet.read_table(io.BytesIO(content)).to_pylist() if file.suffix == ".parquet" else []
    return content + repr(rows).encode()


def test_what_is_pushed_or_exported_holds_no_private_place(first: Database, tmp_path: Path) -> None:
    database = marked(first)
    push(database, SharedFolder((tmp_path / "shared").as_uri()), print)
    for form in ("jsonl", "datasets"):
        export_runs(database, contenders(database, ["run-a"]), form, tmp_path / form)
    files = [file for file in tmp_path.rglob("*") if file.is_file() and file.parts[len(tmp_path.parts)] in
             ("shared", "jsonl", "datasets")]  # fmt: skip
    assert len(files) > 20
    assert [file for file in files if MARK.encode() in decoded(file)] == []


def test_what_is_bundled_holds_no_private_place_and_the_same_run(first: Database) -> None:
    database, parts = marked(first), GatheredParts("a")
    gather(database, parts, ["run-a"], print)
    assert MARK not in repr([rows.to_pylist() for _, rows in parts.held.values()])
    [row] = [rows.to_pylist()[0] for part, (_, rows) in parts.held.items() if part.table == "runs"]
    assert (row["run_id"], row["model"]) == ("run-a", "model")
    assert json.loads(row["versions"])["adapter_base"] == "base"
    assert runs.status(database, "run-a") == "complete"


def contrastive(folder: str, *, hashed: str = "amateur", **versions: str) -> dict[str, Any]:
    """What a run says whose decoder reads an amateur in this folder."""
    [decoder] = parse(f"contrastive-decoding:amateur={folder}")
    return {
        "decoder": decoder.canonical,
        "decoder_parameters": json.dumps(dict(decoder.parameters), sort_keys=True),
        "versions": json.dumps({f"{hashed}_sha256": "ab", **versions}),
    }


def test_id_of_a_run_rests_on_the_name_and_weights_of_its_amateur_and_not_on_the_folder(
    run_of: Callable[..., Run],
) -> None:
    def id_of(said: dict[str, Any]) -> str:
        return stored_identity(run_of("run", **said), "content", [1]).run_id(1)

    private = contrastive(f"/home/{MARK}/small", **{PUBLIC_ID: "public names"})
    leaving = public_row(private)
    assert MARK not in repr(leaving)
    assert json.loads(leaving["decoder_parameters"])["amateur"] == "small"
    assert id_of(private) == id_of(leaving) == id_of(contrastive("small"))
    assert id_of(private) != id_of(contrastive("other"))
    assert id_of(contrastive(f"/home/{MARK}/small")) != id_of(private), "the ids of earlier versions stay"


@pytest.mark.parametrize(
    ("changes", "remedy"),
    [
        (contrastive(f"/home/{MARK}/small"), "evaluate again with a relative path"),
        (contrastive(f"/home/{MARK}/small", hashed="other", **{PUBLIC_ID: ""}), "evaluate again with a relative path"),
        ({"backend": "file", "model": f"/home/{MARK}/model"}, "score the file again"),
        ({"backend": "file", "decoder": f"by:/home/{MARK}/model"}, "score the file again"),
    ],
)
def test_run_whose_id_rests_on_a_private_path_is_not_shared_and_the_remedy_is_told(
    first: Database, tmp_path: Path, changes: dict[str, Any], remedy: str
) -> None:
    with first.write() as connection:
        for name, value in changes.items():
            connection.execute(f"update runs set {name} = ? where run_id = 'run-a'", [value])  # noqa: S608
    notes: list[str] = []
    push(first, SharedFolder((tmp_path / "shared").as_uri()), notes.append)
    assert [note for note in notes if "run-a" in note and remedy in note]
    assert not [*(tmp_path / "shared").rglob("run_id=run-a")]
    with pytest.raises(UsageError, match=remedy):
        gather(first, GatheredParts("a"), ["run-a"], print)


def test_scores_of_an_evaluator_whose_id_rests_on_a_private_path_are_left_out_and_told(
    first: Database, tmp_path: Path
) -> None:
    with first.write() as connection:
        connection.execute("update evaluators set model = ? where name = 'bleu'", [f"/home/{MARK}/model"])
    notes: list[str] = []
    push(first, SharedFolder((tmp_path / "shared").as_uri()), notes.append)
    assert [note for note in notes if f"evaluator {BLEU.evaluator_id} (bleu)" in note and "private path" in note]
    files = [file for file in (tmp_path / "shared").rglob("*") if file.is_file()]
    assert files
    assert [file for file in files if MARK.encode() in decoded(file)] == []
    gather(first, GatheredParts("a"), ["run-a"], notes.append)
    assert "scores are left out" in notes[-1]


@pytest.mark.parametrize(
    ("decoder", "public"),
    [
        ("greedy", "greedy"), ("sample:top_k=20,top_p=0.9", "sample:top_k=20,top_p=0.9"),
        ("contrastive-decoding:alpha=0.1,amateur=/a/b,num_beams=5",
         "contrastive-decoding:alpha=0.1,amateur=b,num_beams=5"),
        ("contrastive-decoding:amateur=org/small", "contrastive-decoding:amateur=org/small"),
        ("mine:file=C:\\a\\b,other=[~/a/c,../d]", "mine:file=b,other=[c,d]"), ("mine:/a/b", "mine:b"), ("/a/b", "b"),
        ("mine:file=/a/b=c/d", "mine:file=d"), ("top_p 0.9 / greedy", "top_p 0.9 / greedy"),
    ],
)  # fmt: skip
def test_parameters_of_a_decoder_keep_names_and_lose_folders(decoder: str, public: str) -> None:
    assert public_decoder(decoder) == public
    assert public_decoder(public) == public


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from(["", "gliner:", "k=", "http:", "b=["]),
            st.sampled_from(
                [f"/home/{MARK}/x", f"~/{MARK}/x=y", f"../{MARK}/x", f"C:\\{MARK}\\x", f"/{MARK}:x/y", "org/x"]
            ),
        ),
        max_size=3,
    )
)
def test_no_folder_stands_anywhere_in_a_decoder(parameters: list[tuple[str, str, str]]) -> None:
    decoder = f"mine:{','.join(f'{name}={sign}{path}' for name, sign, path in parameters)}"
    public = public_decoder(decoder)
    assert MARK not in public
    assert public_decoder(public) == public
    said = json.dumps({f"{place}{name}": f"{sign}{path}" for place, (name, sign, path) in enumerate(parameters)})
    assert MARK not in public_row({"decoder_parameters": said})["decoder_parameters"]


# Columns of text that hold no path, in any table that is shared: ids and hashes, words of the wiki, of judges and of
# evaluators, and what is chosen from a list.
NO_PATH = {
    "answer", "backend", "claim", "column_name", "comment", "completion", "content_sha256", "criteria",
    "criterion", "date", "definition", "detail", "direction", "dtype", "evaluator_id", "evidence",
    "evidence_title", "extractor_version", "finish_reason", "first", "first_sentence", "headings",
    "hole_templates", "host", "instance_of", "judge", "judge_kind", "kind", "kinds", "knowledge_cutoff_from",
    "label", "language", "licence", "licence_url", "metric", "model_sha256", "name", "nearest_snapshot_id",
    "nearest_title", "no_answer", "origin", "parameter", "parameters", "permalink", "pitfalls", "process",
    "prompt_sheet", "prompt_template", "prose", "protocol", "route", "rubric_sha256", "run_a", "run_b", "run_id",
    "said", "scope", "sha1", "sha256", "snapshot_id", "source", "status", "structure_version", "table_name",
    "taken", "template", "templates", "text", "text_sha256", "thinking", "title", "topic", "unit", "value",
    "verdict", "version", "wiki", "wikibase_item", "wikitext", "written",
}  # fmt: skip


def test_every_column_of_text_that_is_shared_is_known_to_hold_paths_or_none(database: Database) -> None:
    """A new column stands in `NO_PATH`, or `public_columns` takes the paths out of it."""
    unknown = set[str]()
    for table in (*PART_KEYS, "judgements", "rubrics"):
        columns = {name: kind for name, kind, _ in database.rows("columns", table)}
        text = {name for name, kind in columns.items() if "varchar" in kind or kind == "json"}
        unknown |= {f"{table}.{name}" for name in text - public_columns(columns).keys() - NO_PATH}
    assert unknown == set()


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
