import math
from collections.abc import Mapping
from itertools import pairwise
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from evaluators.corpus import Corpus
from evaluators.sets.mauve import frontier_area, mauve, mauve_of
from newwiki.records import SetScore, Unscorable

# mauve-text 0.4.0 (faiss-cpu 1.15.1), compute_mauve(p_features, q_features, seed=s) on `features(shift)` as float32:
# the mean over s = 0 … 299. One seed is up to 0.14 from it.
GOLDEN = {0.0: 0.9576, 0.5: 0.2471}
Rows = NDArray[Any]
COUNTS = st.lists(st.integers(0, 5), min_size=4, max_size=4).filter(any)


def features(shift: float) -> tuple[Rows, Rows]:
    """400 unit rows of 16 each: standard normal, and the same moved along all axes."""
    random = np.random.default_rng(7)
    human, written = random.normal(size=(400, 16)), random.normal(size=(400, 16)) + shift
    return tuple(rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (human, written))


def corpus_of(human: Rows, written: Rows) -> Corpus:
    return Corpus(
        {(page, 0): ("a",) for page in range(len(written))},
        dict.fromkeys(range(len(human)), ("a",)),
        {(page, 0): {"embedding": row} for page, row in enumerate(written)},
        {page: {"embedding": row} for page, row in enumerate(human)},
    )


@pytest.mark.parametrize("shift", GOLDEN)
def test_mauve_is_within_a_point_of_the_authors_package(shift: float) -> None:
    human, written = features(shift)
    assert fmean(mauve_of(human, written, seed) for seed in range(100)) == pytest.approx(GOLDEN[shift], abs=0.01)


def test_mauve_is_within_a_point_of_the_package_where_that_is_installed() -> None:
    package = pytest.importorskip("mauve", reason="mauve-text is under the GPL and no requirement")
    human, written = (rows.astype(np.float32) for rows in features(0.5))
    theirs = fmean(
        package.compute_mauve(p_features=human, q_features=written, seed=seed, device_id=-1).mauve
        for seed in range(100)
    )
    assert fmean(mauve_of(human, written, seed) for seed in range(100)) == pytest.approx(theirs, abs=0.01)


@pytest.mark.by_hand("mauve")
def test_mauve_by_hand() -> None:
    # Half of the articles are in one place, half of the texts in another, and the rest in a third: P = (1/2, 1/2, 0),
    # Q = (0, 1/2, 1/2) and R = ((1 - λ)/2, 1/2, λ/2), so KL(Q|R) = -1/2 ln λ and KL(P|R) = -1/2 ln(1 - λ). The curve is
    # (λ^2.5, (1 - λ)^2.5), and the area below it 2.5 ∫ λ^1.5 (1 - λ)^2.5 dλ = 2.5 Γ(2.5) Γ(3.5) / Γ(6) = 15 π / 512,
    # as Γ(2.5) = 3/4 √π and Γ(3.5) = 15/8 √π. 25 straight lines lie a little above it.
    places = np.eye(16)[:3]
    human, written = places[[0] * 15 + [1] * 15], places[[1] * 15 + [2] * 15]
    found = mauve(corpus_of(human, written))
    assert found == SetScore(pytest.approx(15 * math.pi / 512, rel=0.01), pytest.approx(0))


def test_distributions_with_nothing_in_common_by_hand() -> None:
    # KL(Q|R) = -ln λ and KL(P|R) = -ln(1 - λ), so the curve is (λ^5, (1 - λ)^5), and the area below it
    # 5 ∫ λ^4 (1 - λ)^5 dλ = 5 · 4! 5! / 10! = 1/252. 25 straight lines lie a little above it.
    assert frontier_area(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == pytest.approx(1 / 252, rel=0.03)


def test_the_same_distribution_has_an_area_of_1() -> None:
    assert frontier_area(np.array([0.25, 0.75]), np.array([0.25, 0.75])) == pytest.approx(1)


@given(COUNTS, COUNTS)
def test_the_area_is_symmetric_and_that_of_a_plain_sum(some: list[int], others: list[int]) -> None:
    p, q = (np.array(counts) / sum(counts) for counts in (some, others))
    area = frontier_area(p, q)
    assert area == pytest.approx(frontier_area(q, p))
    curve = [(0.0, 1.0)]
    for step in range(25):
        mixed = 1e-6 + step / 24 * (1 - 2e-6)
        both = [mixed * b + (1 - mixed) * a for a, b in zip(p, q, strict=True)]
        divergences = (sum(x * math.log(x / r) for x, r in zip(of, both, strict=True) if x) for of in (q, p))
        curve.append(tuple(math.exp(-5 * divergence) for divergence in divergences))  # type: ignore[arg-type]
    curve.append((1.0, 0.0))
    expected = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(curve))
    assert area == pytest.approx(expected)
    assert 0 < area <= 1 + 1e-9


def test_mauve_of_a_run_is_the_mean_over_seeds_and_the_same_again() -> None:
    human, written = features(0.5)
    found = mauve(corpus_of(human, written))
    assert isinstance(found, SetScore)
    assert found.value == pytest.approx(fmean(mauve_of(human, written, seed) for seed in range(5)), rel=1e-6)
    assert found.spread is not None
    assert 0 < found.spread < 0.1
    assert mauve(corpus_of(human, written)) == found


def test_each_seed_takes_another_draw() -> None:
    human, written = features(0.5)
    parts: Mapping[tuple[int, int], dict[str, Rows]] = {
        (page, sample): {"embedding": rows[page]} for page in range(400) for sample, rows in enumerate((human, written))
    }
    both = Corpus(
        dict.fromkeys(parts, ("a",)),
        dict.fromkeys(range(400), ("a",)),
        parts,
        {page: {"embedding": row} for page, row in enumerate(human)},
    )
    found = mauve(both)
    assert isinstance(found, SetScore)
    assert 0.25 < found.value < 0.95, "each draw has about half of its texts from either"


@pytest.mark.parametrize("rows", [np.eye(16)[[0] * 30], np.eye(16)[[0, 1] * 15]])
def test_texts_that_are_all_alike_are_no_error(rows: Rows) -> None:
    assert mauve(corpus_of(rows, rows)) == SetScore(pytest.approx(1), pytest.approx(0))


def test_few_texts_have_no_mauve() -> None:
    few = Unscorable("fewer than 20 texts or articles that can be embedded")
    assert mauve(corpus_of(np.eye(16), np.eye(16))) == few
    unread = np.full((30, 16), np.nan)
    assert mauve(corpus_of(np.eye(30, 16), unread)) == few
    assert mauve(Corpus({}, {})) == Unscorable("no texts")
