"""Nothing that a judge can see or compute tells which run is first; without the secret nobody can."""

import hashlib
import math

import numpy as np

from newwiki.judging.blinding import Blinding, exported_by_earlier_version
from newwiki.judging.judgement import Pair, Run

# A secret that is always the same, so that chance never fails the test; any other does as well.
SECRET, OTHER = (hashlib.sha256(name).digest() for name in (b"secret", b"other"))
JUDGES = ["Ada", "Bob", "batch 1", "", "Zoë", "x" * 80]
PAIRS = 600


def pair(page_id: int) -> Pair:
    return Pair(
        run_a="aaaa0123", run_b="bbbb4567", page_id=page_id, title=f"Arve {page_id}", first_sentence="It is a river.",
        sample_a=page_id % 3, sample_b=page_id % 5, text_a=f"one {page_id}", text_b=f"other {page_id % 7}",
    )  # fmt: skip


def seen_by(blinding: Blinding, one: Pair, judge: str, row: int) -> list[str]:
    """Everything that stands in a file or on a page, and what anyone can compute from it and the runs."""
    name = blinding.pair_id(one, judge)
    return [
        name, one.title, judge, f"{one.title}{judge}", str(row), str(one.page_id), f"{name}{judge}", one.text_a,
        one.text_a + one.text_b, f"{one.run_a}\n{one.run_b}\n{one.page_id}", f"{one.sample_a} {one.sample_b}",
        exported_by_earlier_version(one, judge),
    ]  # fmt: skip


def bits(texts: list[str]) -> bytes:
    """As bits: of each text its sha256, its end and its length; so that the parity of a number or a name is one."""
    said = b"".join(hashlib.sha256(text.encode()).digest() + text.encode()[-8:].rjust(8, b"\0") for text in texts)
    return said + bytes(len(text) & 255 for text in texts) + bytes.fromhex(texts[0]) + bytes.fromhex(texts[-1])


def telling(rows: list[bytes], first: list[Run]) -> int:
    """How many bits agree with the order of texts more than chance lets the most extreme of all, in one test of a
    thousand. By Hoeffding a bit that says nothing agrees with half of n orders to within d but for
    2 exp(-2 d² / n)."""
    found = np.unpackbits(np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), -1), axis=1)
    found = found[:, found.min(axis=0) < found.max(axis=0)]
    agreeing = (found == np.array([[run == "b"] for run in first])).sum(axis=0)
    bound = math.sqrt(len(rows) / 2 * math.log(2 * found.shape[1] / 0.001))
    assert bound < 0.06 * len(rows), "a bit that tells one order of nine must be found"
    assert abs(first.count("b") - len(rows) / 2) < bound
    assert found.shape[1] > 2500
    return int((abs(agreeing - len(rows) / 2) >= bound).sum())


def test_nothing_that_a_judge_sees_or_computes_tells_the_first_run() -> None:
    """The order that earlier versions drew, which was the parity of a pair's name, is found out by the same test."""
    blinding, rows, first, earlier = Blinding(SECRET), list[bytes](), list[Run](), list[Run]()
    for judge in JUDGES:
        for row, one in enumerate(blinding.shuffled([pair(page) for page in range(PAIRS)])):
            rows.append(bits(seen_by(blinding, one, judge, row)))
            first.append(blinding.first(one, judge))
            earlier.append("b" if int(exported_by_earlier_version(one, judge)[-1], 16) % 2 else "a")
    assert telling(rows, first) == 0
    assert telling(rows, earlier) > 0


def test_order_differs_by_secret_and_judge_and_stays_otherwise() -> None:
    pairs = [pair(page) for page in range(200)]
    drawn = {
        (secret, judge): [(Blinding(secret).first(one, judge), Blinding(secret).pair_id(one, judge)) for one in pairs]
        for secret in (SECRET, OTHER)
        for judge in ("Ada", "Bob")
    }
    assert drawn[SECRET, "Ada"] == [
        (Blinding(SECRET).first(one, "Ada"), Blinding(SECRET).pair_id(one, "Ada")) for one in pairs
    ]
    for key, other in ((key, other) for key in drawn for other in drawn if key < other):
        assert 60 < sum(one[0] == two[0] for one, two in zip(drawn[key], drawn[other], strict=True)) < 140
        assert not {name for _, name in drawn[key]} & {name for _, name in drawn[other]}
    assert Blinding(SECRET).shuffled(pairs) == Blinding(SECRET).shuffled(pairs[::-1]) != Blinding(OTHER).shuffled(pairs)
    assert sorted(one.page_id for one in Blinding(SECRET).shuffled(pairs)) == [*range(200)]


def test_secret_is_not_shown() -> None:
    assert repr(Blinding(SECRET)) == "Blinding()"
