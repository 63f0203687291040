"""How well old articles are told from new ones, by scores and by who has read only the texts."""

import numpy as np
import pytest

from flows.experiments.leakage.blind_baseline import blind_scores, separation, set_beside

PLACES = ("Orlow", "Skarrow", "Varn", "Lumen", "Tesk", "Brae")


def texts(year: int | None, count: int = 40, seed: int = 0) -> list[str]:
    random = np.random.default_rng(seed)
    names = [" ".join(random.choice(PLACES, 6)) for _ in range(count)]
    return [f"{name} was built by {name[::-1]}{'' if year is None else f' in {year}'}." for name in names]


@pytest.mark.parametrize(
    ("old", "new", "auc"),
    [
        ([2.0, 3.0], [0.0, 1.0], 1.0),
        ([0.0, 1.0], [2.0, 3.0], 0.0),
        ([1.0, 1.0], [1.0, 1.0], 0.5),
        ([1.0, 3.0], [2.0, 0.0], 0.75),  # 1>0, 3>2, 3>0 of four
    ],
)
def test_the_area_by_hand(old: list[float], new: list[float], auc: float) -> None:
    assert separation(np.array(old), np.array(new), seed=0).auc == auc


def test_scores_that_tell_all_apart_have_an_interval_too() -> None:
    """Newcombe's score interval of 1 at 20 pairs: V(θ) by hand at its lower end."""
    found = separation(np.arange(20.0) + 100, np.arange(20.0), seed=0)
    assert (found.auc, found.high) == (1.0, 1.0)
    low = found.low
    variance = low * (1 - low) * (1 + 19 * ((1 - low) / (2 - low) + low / (1 + low))) / 400
    assert 1 - low == pytest.approx(1.959964 * variance**0.5, rel=1e-5)
    assert 0.8 < low < 0.9


def test_its_interval_holds_chance_where_there_is_nothing_to_tell() -> None:
    random = np.random.default_rng(3)
    held = 0
    for _ in range(100):
        found = separation(random.normal(size=40), random.normal(size=40), seed=0)
        held += found.low <= 0.5 <= found.high
    assert 88 <= held <= 100


def test_dates_in_the_texts_tell_all() -> None:
    blind = separation(*blind_scores(texts(1999), texts(2026, seed=1), seed=0), seed=0)
    assert blind.auc > 0.99


def test_texts_of_one_kind_tell_nothing() -> None:
    blind = separation(*blind_scores(texts(None), texts(None, seed=1), seed=0), seed=0)
    assert blind.low < 0.5 < blind.high


def test_what_the_texts_tell_is_taken_off_on_the_same_draws() -> None:
    random = np.random.default_rng(5)
    old, new = random.normal(1.0, size=30), random.normal(size=30)
    found = separation(old, new, seed=0)
    same = set_beside("toy", "min_k_percent", found, found)
    assert (same.difference_low, same.difference_high) == (0, 0)
    better = set_beside(
        "toy", "min_k_percent", found, separation(random.normal(size=30), random.normal(size=30), seed=0)
    )
    assert better.difference_low < found.auc - 0.5 < better.difference_high
