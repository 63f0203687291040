"""Rows that go on keep their content, whatever happens around them."""

from hypothesis import given
from hypothesis import strategies as st

from newwiki.models.engine.loop import rearranged


@st.composite
def placed(draw: st.DrawFn) -> tuple[list[list[int]], list[list[int]]]:
    """Streams of 1 to 5 rows in slots of any order, and the parents of up to 7 rows that each goes on with."""
    sizes = draw(st.lists(st.integers(1, 5), max_size=6))
    slots = iter(draw(st.permutations(range(sum(sizes)))))
    places = [[next(slots) for _ in range(size)] for size in sizes]
    return places, [draw(st.lists(st.integers(0, size - 1), max_size=7)) for size in sizes]


@given(placed())
def test_every_row_gets_its_parents_content_in_its_own_slot(
    given_: tuple[list[list[int]], list[list[int]]],
) -> None:
    places, parents = given_
    new, moves = rearranged(places, parents)
    content = {slot: (stream, row) for stream, slots in enumerate(places) for row, slot in enumerate(slots)}
    after = content | {to: content[origin] for to, origin in moves.items()}
    for stream, of_one in enumerate(parents):
        assert [after[slot] for slot in new[stream]] == [(stream, parent) for parent in of_one]
    used = [slot for slots in new for slot in slots]
    assert sorted(used) == list(range(len(used)))


@given(placed())
def test_no_slot_is_copied_that_could_have_stayed(given_: tuple[list[list[int]], list[list[int]]]) -> None:
    """A parent's first child stays in its slot, unless the slot is beyond those that are left."""
    places, parents = given_
    new, moves = rearranged(places, parents)
    many = sum(map(len, parents))
    for stream, of_one in enumerate(parents):
        for row, parent in enumerate(of_one):
            if of_one.index(parent) == row and places[stream][parent] < many:
                assert new[stream][row] == places[stream][parent]
    assert not set(moves) & set(moves.values())
