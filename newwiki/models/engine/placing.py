"""Assign slots when rows continue, branch or leave: few copies, and no gaps."""

from collections.abc import Sequence


def rearranged(
    places: Sequence[Sequence[int]], parents: Sequence[Sequence[int]]
) -> tuple[list[list[int]], dict[int, int]]:
    """Return new slots for each stream's rows, and the copies {to: from} that fill them.

    `places` holds the slots of each stream's rows, `parents` the row in its stream that each new row continues. A
    parent's first child stays in place; the slots in use are 0 … n - 1 before and after.
    """
    origins = [[slots[parent] for parent in rows] for slots, rows in zip(places, parents, strict=True)]
    count = sum(map(len, origins))
    content: dict[int, int] = {}
    unplaced: list[tuple[int, int, int]] = []
    new: list[list[int]] = [[-1] * len(rows) for rows in origins]
    for stream, rows in enumerate(origins):
        for row, origin in enumerate(rows):
            if origin < count and origin not in content:
                content[origin] = origin
                new[stream][row] = origin
            else:
                unplaced.append((stream, row, origin))
    gaps = iter(slot for slot in range(count) if slot not in content)
    moves = {}
    for (stream, row, origin), slot in zip(unplaced, gaps, strict=True):
        new[stream][row] = slot
        moves[slot] = origin
    return new, moves
