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
from newwiki.errors import NewWikiError, UsageError
from newwiki.levels import CLAIMED, RECOMPUTED, REPLAYED
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


def levels_of(site: Path, column: str = "level_words") -> dict[tuple[str, str], str]:
    """By decoder and metric, for the runs of a site."""
    found: dict[tuple[str, str], str] = {}
    for file in sorted((site.parent / "data").glob("*/leaderboard.csv")):
        with file.open(newline="") as stream:
            rows = [*csv.DictReader(stream)]
        found |= {(one["decoder"].partition(":")[0], one["metric"]): one[column] for one in rows}
    return found


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


def test_a_site_shows_with_whose_number_how_many_texts_were_replayed_each_counted_once(
    bundle: Path, receipt: Path, checker: Path, other_key: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    """Two checkers with one number drew the same completions, which are counted once."""
    folder = tmp_path / "bundles"
    folder.mkdir()
    shutil.copy(bundle, folder)
    shutil.copy(receipt, folder / "a.receipt")
    _check(bundle, other_key, toy_checkpoint, folder / "b.receipt", NUMBER)
    (tmp_path / "checkers").mkdir()
    for one in (checker, other_key):
        shutil.copy(f"{one}.pub", tmp_path / "checkers")
    shown = newwiki.site(folder, checker=[tmp_path / "checkers"], out=tmp_path / "site", quiet=True)
    found = levels_of(shown)
    counts = {len(one.texts): one for one in read(receipt).lines if not one.evaluator_id}
    assert sorted(counts) == [3, 4]
    for decoder in ("greedy", "sample"):
        words = found[decoder, "rep_4"]
        assert words.startswith("replayed (")
        assert "2 checkers, " in words
        assert all(f"number {NUMBER} of {name}" in words for name in ("carol", "mallory"))
        assert int(words.split("(")[1].split()[0]) in counts
    with_one = newwiki.site(folder, checker=[f"{checker}.pub"], out=tmp_path / "one", quiet=True)
    assert "1 checker, " in levels_of(with_one)["greedy", "rep_4"]
    assert set(levels_of(newwiki.site(folder, out=tmp_path / "no", quiet=True)).values()) == {RECOMPUTED}


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


def test_scores_are_computed_again_by_default_and_otherwise_claimed(bundle: Path, tmp_path: Path) -> None:
    made = newwiki.site(bundle, out=tmp_path / "made", quiet=True)
    assert set(levels_of(made, "level").values()) == {RECOMPUTED}
    believed = newwiki.site(bundle, recompute=False, out=tmp_path / "believed", quiet=True)
    assert set(levels_of(believed, "level").values()) == {CLAIMED}
    assert "claimed" in next(believed.parent.glob("snapshots/*.html")).read_text("utf-8")


def test_own_runs_stay_verified_beside_bundles(bundle: Path, evaluated: Path, key: Path, tmp_path: Path) -> None:
    only = newwiki.submit(NUCLEUS, key=key, out=tmp_path / "b.newwiki", db=evaluated)
    shown = newwiki.site(str(evaluated), only, db=evaluated, out=tmp_path / "site", quiet=True)
    assert set(levels_of(shown, "level").values()) == {"verified"}


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
