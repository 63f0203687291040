"""No format in which anything leaves this machine holds a private path: a name stays, the folder does not.

A new command that shares something, or a new `--format` of its file, fails `test_every_outgoing_format_is_tried` until
it is listed here.
"""

import gzip
import io
import json
import shutil
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import pyarrow.parquet as parquet
import pytest

import newwiki
from evaluators.scoring import evaluator_id_of
from flows import cli
from flows.bundles.keys import make_pair
from flows.evaluating.generate import load_model, plan
from flows.evaluating.run_identity import stored_identity
from flows.listing import listing
from newwiki.decoding.grammar import parse
from newwiki.private_places import PUBLIC_ID
from newwiki.records import Fingerprint
from newwiki.request import EvaluationRequest
from storage import runs, snapshots
from storage.database import Database
from tests.flows.conftest import Run

pytestmark = pytest.mark.slow

MARK = "secret-marker"
# By command, the arguments that make it write all that it can write; `{out}` is a new path.
OUTGOING: dict[str, str] = {
    "bundle check": "bundle check {shared}/runs.newwiki --key {shared}/key.pub --receipt {out} --sign {key}",
    "export every-eval-ever":
        "export every-eval-ever {runs} --organization mine --relationship third_party --model-id a/b --instances"
        " --out {out}",
    "export hub-results": "export hub-results {contrastive} --dataset a/b --model-id a/b --out {out}",
    "export results": "export results {runs} --out {out}",
    **{f"export runs --format {form}": f"export runs {{runs}} --format {form} --out {{out}}"
       for form in ("parquet", "jsonl", "datasets")},
    **{f"export snapshot --format {form}": f"export snapshot latest --format {form} --out {{out}}"
       for form in ("manifest", "parquet", "jsonl", "datasets")},
    "export task": "export task latest --metrics rep_4 --out {out}",
    "bundle keygen": "bundle keygen --out {key}-2",
    "sync push": "sync push {out}",
    "site": "site --out {out}",
    "bundle submit": "bundle submit {runs} --key {key} --out {out}",
}  # fmt: skip
TAKES_IN = {"sync pull"}


@dataclass(frozen=True)
class Private:
    """A database in a folder of the name MARK, as are the models of its runs and the key of its user."""

    folder: Path
    greedy: str
    contrastive: str

    @property
    def database(self) -> Path:
        return self.folder / "newwiki.duckdb"


@pytest.fixture(scope="module")
def private(published: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Private:
    """A run under greedy, one whose decoder reads a private amateur, and answers of a private model that judges."""
    folder = tmp_path_factory.mktemp("home") / MARK
    for name in ("model", "amateur"):
        shutil.copytree(toy_checkpoint, folder / name)
    path = Path(shutil.copy(published, folder / "newwiki.duckdb"))
    decoders = ["greedy", f"contrastive-decoding:amateur={folder / 'amateur'},num_beams=2"]
    newwiki.evaluate(
        str(folder / "model"), decoder=decoders, db=path, quiet=True, prompts=2, max_new_tokens=5, metrics="rep_4,bleu"
    )
    make_pair(folder / "key", path)
    database = Database(path)
    with database.read() as connection:
        named = dict(connection.execute("select split_part(decoder, ':', 1), run_id from runs").fetchall())
    _add_private_judge(database, sorted(named.values()))
    with database.write() as connection:
        connection.execute(
            "update runs set versions = json_merge_patch(versions, ?)",
            [json.dumps({"adapter_base": f"/home/{MARK}/base", "base_url": f"http://{MARK}.internal/v1"})],
        )
    return Private(folder, named["greedy"], named["contrastive-decoding"])


def _add_private_judge(database: Database, run_ids: Sequence[str]) -> None:
    judge = Fingerprint("", "pairwise_judge", "1", model=f"/home/{MARK}/judge", parameters={"base": f"~/{MARK}/x"})
    judge = replace(judge, evaluator_id=evaluator_id_of(judge))
    runs.register(database, [judge], [])
    with database.write() as connection:
        connection.execute("""insert into rubrics values ('r', '[{"name": "better", "question": "Which?"}]')""")
        connection.execute(
            "insert into judgements by name select ? as run_a, ? as run_b, min(page_id) as page_id, 0 as sample_a, "
            "0 as sample_b, ? as judge, 'model' as judge_kind, 'r' as rubric_sha256, 'better' as criterion, "
            "'a' as first, 'first' as answer, now() as judged_at, '' as origin from completions",
            [*run_ids, judge.evaluator_id],
        )


def test_every_outgoing_format_is_tried() -> None:
    shared = {name: one for name, one in cli.cli.commands.items() if listing(one).group == "share"}
    found = {form for name, one in shared.items() for form in _formats(name, one)}
    assert found - TAKES_IN == set(OUTGOING)


def _formats(name: str, command: click.Command) -> list[str]:
    if isinstance(command, click.Group):
        return [form for below, one in command.commands.items() for form in _formats(f"{name} {below}", one)]
    types = [one.type for one in command.params if one.name == "form" and one.required]
    choices = [one.choices for one in types if isinstance(one, click.Choice)]
    return [f"{name} --format {form}" for some in choices for form in some] or [name]


@pytest.fixture
def leave(private: Private, in_process: Run, tmp_path: Path) -> Callable[[str], list[Path]]:
    """Run a command of OUTGOING on a private database, and give the files that it has written."""

    def run(arguments: str) -> list[Path]:
        out = tmp_path / "out"
        filled = arguments.format(
            out=out, key=private.folder / "key", runs=f"{private.greedy} {private.contrastive}",
            contrastive=private.contrastive, shared=tmp_path,
        )  # fmt: skip
        ended = in_process(*filled.split(), "--db", str(private.database))
        assert ended.returncode == 0, ended.stderr
        return [out] if out.is_file() else [file for file in out.rglob("*") if file.is_file()]

    return run


@pytest.mark.parametrize("form", OUTGOING)
def test_no_outgoing_format_holds_a_private_path(
    form: str, private: Private, leave: Callable[[str], list[Path]], tmp_path: Path
) -> None:
    if form == "bundle check":
        leave(OUTGOING["bundle submit"])
        (tmp_path / "out").rename(tmp_path / "runs.newwiki")
        shutil.copy(private.folder / "key.pub", tmp_path / "key.pub")
    files = leave(OUTGOING[form])
    if form == "bundle keygen":
        files = [private.folder / "key-2.pub"]
    assert files
    assert [file.name for file in files if MARK.encode() in _bytes(file)] == []


def test_run_of_an_earlier_version_keeps_its_id_that_rests_on_the_path_of_its_amateur(
    private: Private, tmp_path: Path
) -> None:
    database = Database(shutil.copy(private.database, tmp_path / "newwiki.duckdb"))
    backend = load_model("hf", str(private.folder / "model"), {})
    [decoder] = parse(f"contrastive-decoding:amateur={private.folder / 'amateur'},num_beams=2")
    asked = EvaluationRequest(models=("x",), decoder=("greedy",), prompts=2, max_new_tokens=5)
    new = plan(database, backend, decoder, asked)
    assert new.run.run_id == private.contrastive
    versions = {name: value for name, value in json.loads(new.run.versions).items() if name != PUBLIC_ID}
    by_path = replace(new.run, versions=json.dumps(versions))
    with database.read():
        asked_of = snapshots.resolve(database, "latest")
        pages = [article.page_id for article in snapshots.articles(database, asked_of.snapshot_id)[:2]]
    run_id = stored_identity(by_path, asked_of.content_sha256, pages).run_id(by_path.numerics)
    assert run_id != private.contrastive
    runs.start(database, replace(by_path, run_id=run_id))
    again = plan(database, backend, decoder, asked).run
    assert (again.run_id, json.loads(again.versions)) == (run_id, versions)


def _bytes(file: Path) -> bytes:
    """The bytes, and what is packed in them."""
    content = file.read_bytes()
    if file.suffix == ".parquet":
        content += repr(parquet.read_table(io.BytesIO(content)).to_pylist()).encode()
    if zipfile.is_zipfile(file):
        with zipfile.ZipFile(file) as packed:
            content += b"".join(packed.read(name) for name in packed.namelist())
    return content + (gzip.decompress(content) if content.startswith(b"\x1f\x8b") else b"")
