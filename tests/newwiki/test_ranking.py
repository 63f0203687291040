from collections.abc import Sequence
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from newwiki.ranking import by_rank, considered, last_rank, ranks
from newwiki.snapshot import Judged, Selection, Verdict

DAY = datetime(2015, 9, 1, tzinfo=UTC)


def judged(page_ids: Sequence[int], verdict: Verdict) -> list[Judged]:
    return [Judged(page_id=page_id, title=f"Page {page_id}", created_at=DAY, verdict=verdict) for page_id in page_ids]


def test_the_ranks_are_those_of_splitmix64() -> None:
    """The first outputs of SplitMix64 from the state 0 are the finaliser of n times the golden ratio's 64 bits.

    Its published first output is e220a8397b1dcdaf. Ours is finaliser(finaliser(page id) xor finaliser(seed)), and the
    finaliser of 0 is 0, so that seed 0 leaves the finaliser applied twice, by Python's own integers here.
    """

    def finaliser(bits: int) -> int:
        bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        bits = (bits ^ bits >> 27) * 0x94D049BB133111EB % 2**64
        return bits ^ bits >> 31

    assert finaliser(0x9E3779B97F4A7C15) == 0xE220A8397B1DCDAF
    assert ranks([1, 2, 81_000_000], 0).tolist() == [finaliser(finaliser(n)) for n in (1, 2, 81_000_000)]
    assert ranks([7], -3).tolist() == [finaliser(finaliser(7) ^ finaliser(2**64 - 3))]


@given(st.integers(1, 3000), st.integers(-5, 5))
def test_every_page_has_its_place_in_the_order(largest: int, seed: int) -> None:
    order = list(by_rank(largest, seed, -1))
    assert sorted(order) == list(range(1, largest + 1))
    found = ranks(order, seed).tolist()
    assert found == sorted(found)


def test_an_order_that_is_sorted_in_slices_is_the_same_order() -> None:
    order = list(by_rank(250_000, 3, -1))
    assert len(set(order)) == 250_000
    found = ranks(order, 3).tolist()
    assert found == sorted(found)


def test_a_wiki_that_has_grown_keeps_the_order_of_its_pages() -> None:
    before, now = list(by_rank(500, 0, -1)), list(by_rank(900, 0, -1))
    assert [page_id for page_id in now if page_id <= 500] == before


def test_a_walk_goes_on_beyond_where_it_was() -> None:
    order = list(by_rank(500, 0, -1))
    (rank,) = ranks([order[199]], 0).tolist()
    assert list(by_rank(500, 0, rank)) == order[200:]


def test_every_page_is_among_the_first_as_often_as_any_other() -> None:
    """400 walks, the first 5 of 20: each page about 100 times; 43.82 is the 99.9 % point of chi-square, 19 degrees."""
    counts = dict.fromkeys(range(1, 21), 0)
    for seed in range(400):
        for page_id in list(by_rank(20, seed, -1))[:5]:
            counts[page_id] += 1
    assert sum((count - 100) ** 2 / 100 for count in counts.values()) < 43.82


def test_pages_are_considered_up_to_the_one_that_fills_the_sample() -> None:
    order = list(by_rank(12, 0, -1))
    pages = judged(order[0::2], "selected") + judged(order[1::2], "few_words")
    selection = Selection(sample=3)
    assert {page.page_id for page in considered(pages, selection)} == set(order[:5])
    assert last_rank(order[0::2], selection) == ranks([order[4]], 0)[0]


def test_all_are_considered_where_the_sample_is_not_full() -> None:
    pages = judged([1, 2, 3], "selected") + judged([4, 5], "redirect")
    assert considered(pages, Selection(sample=4)) == pages
    assert considered([], Selection(sample=4)) == []
