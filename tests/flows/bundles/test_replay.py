"""A run is replayed whatever it says of itself: honest ones pass, and texts of another origin fail."""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

import newwiki
from flows.bundles.opened import open_bundle
from flows.bundles.replay import Kind, Replayed
from flows.bundles.replay_runs import replay_runs
from flows.evaluating.run_identity import stored_identity
from flows.progress import Silent
from newwiki.bundle_requests import CheckRequest
from newwiki.errors import TerminalError
from newwiki.records import Run
from newwiki.text.words import split_words
from storage import snapshots
from storage.database import Database
from tests.flows.bundles.conftest import NUCLEUS, SHORT

pytestmark = pytest.mark.slow

_SCORES = ("scores", "run_scores", "scorings", "stored_summaries", "claims", "page_means", "page_gaps")
_DECODERS = (
    "sample:top_k=5,temperature=0.7",
    "sample:typical_p=0.6,repetition_penalty=1.3",
    "sample:presence_penalty=0.5,frequency_penalty=0.3,no_repeat_ngram_size=2",
    "beam:num_beams=2",
)

Text = tuple[str, list[int] | None]


@dataclass(frozen=True)
class Forger:
    """Somebody who changes a database and submits its runs with a key of his own."""

    path: Path
    key: Path

    def bundle(self, decoder: str, change: Callable[[Run], Run], text: Callable[[Mapping[str, Any]], Text]) -> Path:
        """The run of a decoder, changed and with other texts, as a bundle that is consistent in itself."""
        database = Database(self.path)
        with database.write() as connection:
            found = connection.execute("select * from runs where decoder like ?", [f"{decoder}%"]).to_arrow_table()
            [row] = found.to_pylist()
            was = Run(**{field.name: row[field.name] for field in fields(Run)})
            changed = change(was)
            articles = snapshots.articles(database, was.snapshot_id)[: was.prompts]
            of_page = {one.page_id: one for one in articles}
            if changed.decoder == was.decoder:
                [(sha256,)] = connection.execute("select content_sha256 from snapshots").fetchall()[:1]
                named = stored_identity(changed, sha256, [*of_page]).run_id(changed.numerics)
            else:
                named = was.run_id
            for table in _SCORES:
                connection.execute(f"delete from {table} where run_id = ?", [was.run_id])  # noqa: S608 (our own names)
            for name in ("dtype", "decoder", "versions", "numerics", "backend", "seed"):
                value = getattr(changed, name)
                connection.execute(f"update runs set {name} = ? where run_id = ?", [value, was.run_id])  # noqa: S608
            connection.execute("update completions set run_id = ? where run_id = ?", [named, was.run_id])
            connection.execute("update runs set run_id = ? where run_id = ?", [named, was.run_id])
            rows = connection.execute("select * from completions where run_id = ?", [named]).to_arrow_table()
            for one in rows.to_pylist():
                words, ids = text(one | {"article": of_page[one["page_id"]].completion})
                connection.execute(
                    "update completions set text = ?, words = ?, tokens = ?, token_ids = ?, finish_reason = 'length', "
                    "truncated = true where run_id = ? and page_id = ? and sample = ?",
                    [
                        words,
                        len(split_words(words)),
                        SHORT["max_new_tokens"],
                        ids,
                        named,
                        one["page_id"],
                        one["sample"],
                    ],
                )
            connection.execute("update completions set kept = null where run_id = ?", [named])
            keep_longest(connection, named, was.keep)
        return newwiki.submit(named, key=self.key, out=self.path.with_suffix(".newwiki"), db=self.path)


def keep_longest(connection: Any, run_id: str, keep: int) -> None:
    connection.execute(
        "update completions set kept = place <= ? from (select page_id as page, sample as number, row_number() over "
        "(partition by page_id order by words desc, sample) as place from completions where run_id = ?) "
        "where run_id = ? and page_id = page and sample = number",
        [keep, run_id, run_id],
    )


def every_run(path: Path) -> list[str]:
    with Database(path).read() as connection:
        rows = connection.execute("select run_id from runs where not starts_with(run_id, 'reference:')").fetchall()
    return [run_id for (run_id,) in rows]


@pytest.fixture
def forger(evaluated: Path, key: Path, tmp_path: Path) -> Forger:
    return Forger(Path(shutil.copy(evaluated, tmp_path / "forged.duckdb")), key)


@pytest.fixture(scope="session")
def copied(toy_checkpoint: Path) -> Callable[[Mapping[str, Any]], Text]:
    """The beginning of the article, as many tokens as a completion of it may have."""
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)

    def text(row: Mapping[str, Any]) -> Text:
        start = row["sample"] * 3  # so that the samples of a page differ
        ids = tokenizer(f" {row['article']}")["input_ids"][start : start + SHORT["max_new_tokens"]]
        return tokenizer.decode(ids), ids

    return text


def replayed(bundle: Path, *models: Path, spot: int = 20) -> list[Replayed]:
    request = CheckRequest(bundle=bundle, spot=spot, model=tuple(map(str, models)))
    return [*replay_runs(open_bundle(bundle), request, 7, Silent()).runs]


def says(**versions: str) -> Callable[[Run], Run]:
    return lambda run: replace(run, versions=json.dumps(json.loads(run.versions) | versions, sort_keys=True))


FORGERIES: dict[str, Callable[[Run], Run]] = {
    "nothing else": lambda run: run,
    "a GPU": says(device="cuda (NVIDIA H100)"),
    "half precision": lambda run: replace(run, dtype="bfloat16"),
    "other numerics": lambda run: replace(run, numerics=2),
    "another seed": lambda run: replace(run, seed=77),
    "an unknown decoder": lambda run: replace(run, decoder=f"own-{run.decoder}"),
    "an unknown backend": lambda run: replace(run, backend="served"),
}


@pytest.mark.parametrize(("decoder", "said"), [("greedy", "nothing else"), *(("sample", said) for said in FORGERIES)])
def test_texts_copied_from_articles_fail_whatever_the_run_says(
    decoder: str, said: str, forger: Forger, copied: Any, toy_checkpoint: Path
) -> None:
    with pytest.raises(TerminalError, match=r"the decoder chooses|stand in their articles|likely by"):
        replayed(forger.bundle(decoder, FORGERIES[said], copied), toy_checkpoint)


def test_copied_texts_without_token_ids_fail_as_well(forger: Forger, copied: Any, toy_checkpoint: Path) -> None:
    forged = forger.bundle("sample", lambda run: run, lambda row: (copied(row)[0], None))
    with pytest.raises(TerminalError, match="generated again, it is another text from character"):
        replayed(forged, toy_checkpoint)


def test_token_ids_of_another_text_are_refused(forger: Forger, copied: Any, toy_checkpoint: Path) -> None:
    """The ids are honest, and the texts are not."""
    forged = forger.bundle("sample", lambda run: run, lambda row: (copied(row)[0], row["token_ids"]))
    with pytest.raises(TerminalError, match="its token ids are not those of its text"):
        replayed(forged, toy_checkpoint)


def test_ten_completions_of_a_forged_run_cannot_hide_among_others(
    forger: Forger, copied: Any, toy_checkpoint: Path
) -> None:
    """A draw over the whole bundle may miss a small run; one draw of every run does not."""
    forged = forger.bundle("greedy", lambda run: run, copied)
    newwiki.submit(*every_run(forger.path), key=forger.key, out=forged, db=forger.path)
    for spot in (1, 2):
        with pytest.raises(TerminalError, match="the decoder chooses"):
            replayed(forged, toy_checkpoint, spot=spot)


@pytest.fixture(scope="module")
def other_checkpoint(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy with weights that a further step of training might have moved."""
    folder = Path(shutil.copytree(toy_checkpoint, tmp_path_factory.mktemp("moved") / "moved"))
    model = AutoModelForCausalLM.from_pretrained(folder)
    torch.manual_seed(0)
    with torch.no_grad():
        for weights in model.parameters():
            weights += 0.05 * weights.std() * torch.randn_like(weights) if weights.numel() > 1 else 0
    model.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def honest(published: Path, toy_checkpoint: Path, key: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """From a dtype and decoders to a bundle of their honest runs."""
    folder = tmp_path_factory.mktemp("honest")

    def submitted(dtype: str, *decoders: str, checkpoint: Path = toy_checkpoint, **asked: Any) -> Path:
        path = Path(shutil.copy(published, folder / "newwiki.duckdb"))
        short = {"prompts": 2, "samples": 2, "keep": 1, "max_new_tokens": 8, "metrics": "rep_4", **asked}
        newwiki.evaluate(str(checkpoint), decoder=[*decoders], db=path, quiet=True, dtype=dtype, **short)
        return newwiki.submit(*every_run(path), key=key, out=folder / "honest.newwiki", db=path)

    return submitted


def test_honest_runs_are_confirmed_token_by_token(honest: Any, toy_checkpoint: Path) -> None:
    found = replayed(honest("float32", *_DECODERS), toy_checkpoint)
    kinds: list[Kind] = [one.kind for one in found]
    assert sorted(kinds) == ["anew", "replay", "replay", "replay"]
    assert all(one.confirmed == one.looked_at > 0 and one.passed for one in found)
    assert all(one.completions == one.of for one in found), "dropped completions are drawn, too"


def test_honest_runs_in_half_precision_pass(honest: Any, toy_checkpoint: Path) -> None:
    found = replayed(honest("bfloat16", NUCLEUS, _DECODERS[3]), toy_checkpoint)
    assert all(one.passed and one.confirmed >= one.demanded * one.looked_at for one in found)


def test_run_of_a_slightly_different_checkpoint_fails(
    honest: Any, toy_checkpoint: Path, other_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The forger says that the texts are those of the other weights."""
    bundle = honest("float32", NUCLEUS, max_new_tokens=40)
    monkeypatch.setattr("flows.bundles.replay_runs._models", lambda of, asked: dict.fromkeys(of.runs, asked.model[0]))
    with pytest.raises(TerminalError, match="the decoder chooses"):
        replayed(bundle, other_checkpoint)
    assert all(one.passed for one in replayed(bundle, toy_checkpoint))


def test_scores_of_a_likelihood_run_are_those_of_the_model(
    published: Path, toy_checkpoint: Path, key: Path, tmp_path: Path
) -> None:
    """The forgeries of tests/bundles cover the other numbers of such a run."""
    path = Path(shutil.copy(published, tmp_path / "read.duckdb"))
    newwiki.evaluate(str(toy_checkpoint), likelihood_only=True, prompts=3, db=path, quiet=True)
    honest = newwiki.submit(*every_run(path), key=key, out=tmp_path / "read.newwiki", db=path)
    [found] = replayed(honest, toy_checkpoint, spot=2)
    assert (found.kind, found.completions, found.of, found.passed) == ("reading", 2, 3, True)
    assert found.confirmed == found.looked_at >= 6
