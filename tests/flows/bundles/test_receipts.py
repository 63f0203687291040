"""Receipts: what a checker has confirmed of a bundle, signed, is shown as far as it goes and no further."""

import csv
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import newwiki
from flows.bundles import signature
from flows.bundles.keys import make_pair, read_private
from flows.bundles.opened import OpenedBundle, open_bundle
from flows.bundles.receipts import FORMAT, Receipt, read, verifications, written
from flows.progress import Silent
from flows.site.sources import gathered
from newwiki.errors import NewWikiError, UsageError
from newwiki.levels import CLAIMED, RECOMPUTED, REPLAYED, VERIFIED, Level
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from storage.verifications import levels as stored_levels
from tests.flows.bundles.conftest import NUCLEUS

pytestmark = pytest.mark.slow

NUMBER = 20_260_918


@pytest.fixture(scope="module")
def checker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("checkers") / "carol"
    make_pair(path, Path("newwiki.duckdb"))
    return path


@pytest.fixture(scope="module")
def receipt(bundle: Path, checker: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of a check that replayed four completions."""
    return _check(bundle, checker, toy_checkpoint, tmp_path_factory.mktemp("receipts") / "carol.receipt", NUMBER)


def _check(bundle: Path, key: Path, model: Path, path: Path, number: int | None) -> Path:
    newwiki.check(
        bundle, spot=4, model=[str(model)], number=number, sign=key, receipt=path, db=path.parent / "none.duckdb",
        quiet=True,
    )  # fmt: skip
    return path


def _opened(bundle: Path, receipt: Path) -> tuple[OpenedBundle, Receipt]:
    return open_bundle(bundle), read(receipt)


def _changed(receipt: Path, key: Path, path: Path, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """The receipt with other lines, signed again by this key."""
    lines = [json.loads(line) for line in receipt.read_bytes().split(b"\n")[:-3]]
    change(lines)
    dumped = [json.dumps(one, ensure_ascii=False, sort_keys=True, separators=(",", ":")) for one in lines]
    content = "".join(f"{one}\n" for one in dumped).encode()
    path.write_bytes(content + signature.sign(content, read_private(key), FORMAT))
    return path


def levels_of(*sources: Path, db: Path, **asked: Any) -> dict[str, Level]:
    """Return by decoder the levels of rep_4 that a site of these sources would show."""
    request = SiteRequest(sources=tuple(map(str, sources)), **asked)
    with gathered(request, Settings(db=str(db)), Silent()) as found, found.database.read() as connection:
        scored = "select decoder, run_id, evaluator_id from runs join scores using (run_id) where metric = 'rep_4'"
        rows = {*connection.execute(scored).fetchall()}
        levels = stored_levels(found.database, [run_id for _, run_id, _ in rows])
        return {
            decoder.partition(":")[0]: levels[run_id, evaluator_id].named(found.names)
            for decoder, run_id, evaluator_id in rows
        }


def test_a_receipt_says_what_was_confirmed_and_which_number_drew(bundle: Path, receipt: Path, checker: Path) -> None:
    opened, found = _opened(bundle, receipt)
    assert (found.head.bundle_sha256, found.head.number, found.head.number_from) == (opened.sha256, NUMBER, "given")
    texts = [one for one in found.lines if not one.evaluator_id]
    assert sorted(len(one.texts) for one in texts) == [3, 4], "four of each run, and all of a run that has three"
    assert {one.level for one in texts} == {REPLAYED}
    assert {one.run_id for one in found.lines} >= set(opened.runs)
    assert all(one.level == RECOMPUTED for one in found.lines if one.evaluator_id)
    rows = verifications(found, opened)
    assert {one.checker for one in rows} == {found.checker}
    assert {one.draw for one in rows if not one.evaluator_id} == {str(NUMBER)}


@pytest.fixture(scope="module")
def of_two_checkers(
    bundle: Path, receipt: Path, checker: Path, other_key: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with a bundle and the receipts of two checkers whom one number made draw the same completions."""
    folder = tmp_path_factory.mktemp("of-two-checkers")
    shutil.copy(bundle, folder)
    shutil.copy(receipt, folder / "a.receipt")
    _changed(receipt, other_key, folder / "b.receipt", lambda lines: None)
    return folder


def test_texts_that_two_checkers_replayed_are_counted_once(
    of_two_checkers: Path, receipt: Path, checker: Path, other_key: Path, tmp_path: Path
) -> None:
    keys = tuple(Path(f"{one}.pub") for one in (checker, other_key))
    counts = {len(one.texts) for one in read(receipt).lines if not one.evaluator_id}
    asked: dict[str, Any] = {"db": tmp_path / "none.duckdb", "recompute": False}
    found = levels_of(of_two_checkers, checker=keys, **asked)
    assert counts == {3, 4}
    for decoder in ("greedy", "sample"):
        words = found[decoder].words
        assert words.startswith("replayed (")
        assert "2 checkers, " in words
        assert all(f"number {NUMBER} of {name}" in words for name in ("carol", "mallory"))
        assert int(words.split("(")[1].split()[0]) in counts
    assert "1 checker, " in levels_of(of_two_checkers, checker=keys[:1], **asked)["greedy"].words
    assert {one.level for one in levels_of(of_two_checkers, **asked).values()} == {CLAIMED}


def test_a_site_shows_with_whose_number_how_many_texts_were_replayed(
    of_two_checkers: Path, checker: Path, tmp_path: Path
) -> None:
    made = newwiki.site(of_two_checkers, checker=[f"{checker}.pub"], recompute=False, out=tmp_path / "site", quiet=True)
    [file] = (made.parent / "data").glob("*/leaderboard.csv")
    with file.open(newline="") as stream:
        shown = {one["level_words"] for one in csv.DictReader(stream) if one["metric"] == "rep_4"}
    assert any(words.startswith("replayed (") and f"number {NUMBER} of carol" in words for words in shown), shown


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: lines[0].update(bundle_sha256="0" * 64),
        lambda lines: lines[1].update(total=lines[1]["total"] + 1),
        lambda lines: lines[1].update(level="verified"),
        lambda lines: lines[1].update(evaluator_id="none"),
        lambda lines: lines[-1].update(texts=[[1, 99]]),
        lambda lines: lines[-1].update(run_id="0" * 16),
        lambda lines: lines[0].update(format="newwiki bundle 1"),
    ],
)
def test_a_receipt_for_anything_else_does_not_count(
    change: Callable[[list[dict[str, Any]]], None], bundle: Path, receipt: Path, checker: Path, tmp_path: Path
) -> None:
    other = _changed(receipt, checker, tmp_path / "other.receipt", change)
    with pytest.raises(ValueError, match=r"."):
        verifications(read(other), open_bundle(bundle))


def test_a_receipt_that_was_changed_after_it_was_signed_is_none(receipt: Path, tmp_path: Path) -> None:
    changed = tmp_path / "changed.receipt"
    for old, new in (
        (b'"confirmed":', b'"confirmed": '),
        (b"\n", b"\n\n"),
        (b"newwiki receipt 1", b"newwiki bundle 1"),
    ):
        changed.write_bytes(receipt.read_bytes().replace(old, new, 1))
        with pytest.raises(ValueError, match=r"."):
            read(changed)


def test_a_signature_of_a_bundle_is_none_of_a_receipt(bundle: Path, checker: Path, tmp_path: Path) -> None:
    """The same key signs the same bytes under another form."""
    content = written(open_bundle(bundle).sha256, [], read_private(checker)).split(b"ssh-ed25519")[0]
    forged = tmp_path / "forged.receipt"
    forged.write_bytes(content + signature.sign(content, read_private(checker)))
    with pytest.raises(ValueError, match="changed after it was signed"):
        read(forged)


def test_scores_are_computed_again_by_default(bundle: Path, tmp_path: Path) -> None:
    """Without it they are claimed, as test_texts_that_two_checkers_replayed_are_counted_once has it."""
    found = levels_of(bundle, db=tmp_path / "none.duckdb")
    assert {one.level for one in found.values()} == {RECOMPUTED}


def test_own_runs_stay_verified_beside_bundles(bundle: Path, evaluated: Path, key: Path, tmp_path: Path) -> None:
    only = newwiki.submit(NUCLEUS, key=key, out=tmp_path / "b.newwiki", db=evaluated)
    found = levels_of(evaluated, only, db=evaluated, recompute=False)
    assert {one.level for one in found.values()} == {VERIFIED}


def test_a_receipt_needs_a_key_and_a_file(bundle: Path, checker: Path, tmp_path: Path) -> None:
    for given in ({"sign": checker}, {"receipt": tmp_path / "a.receipt"}):
        with pytest.raises(UsageError, match="give both --receipt FILE and --sign KEY"):
            newwiki.check(bundle, db=tmp_path / "none.duckdb", quiet=True, **given)
    with pytest.raises(UsageError, match="the key itself"):
        newwiki.check(bundle, sign=checker, receipt=checker, db=tmp_path / "none.duckdb", quiet=True)
    with pytest.raises(UsageError, match="name the public keys of trusted checkers with --checker"):
        newwiki.site(bundle, receipt=[tmp_path / "a.receipt"], out=tmp_path / "site", quiet=True)


def test_no_receipt_is_left_of_a_check_that_failed(bundle: Path, checker: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.newwiki"
    broken.write_bytes(bundle.read_bytes()[:-10])
    with pytest.raises(NewWikiError):
        newwiki.check(broken, sign=checker, receipt=tmp_path / "a.receipt", db=tmp_path / "none.duckdb", quiet=True)
    assert not (tmp_path / "a.receipt").exists()
