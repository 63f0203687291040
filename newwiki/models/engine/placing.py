"""Which slot each row gets when rows go on, branch, or leave: few copies, and no gaps."""

from collections.abc import Sequence


def rearranged(
    places: Sequence[Sequence[int]], parents: Sequence[Sequence[int]]
) -> tuple[list[list[int]], dict[int, int]]:
    """New slots for each stream's rows, and the copies {to: from} that make them.

    `places` are the slots of each stream's rows, `parents` the rows' places in it from which its new rows go on. A
    parent's first child stays where it is; the slots in use are 0 … n - 1 before and after.
    """
    origins = [[slots[parent] for parent in of_one] for slots, of_one in zip(places, parents, strict=True)]
    count = sum(map(len, origins))
    content: dict[int, int] = {}
    homeless: list[tuple[int, int, int]] = []
    new: list[list[int]] = [[-1] * len(of_one) for of_one in origins]
    for stream, of_one in enumerate(origins):
        for row, origin in enumerate(of_one):
            if origin < count and origin not in content:
                content[origin] = origin
                new[stream][row] = origin
            else:
                homeless.append((stream, row, origin))
    gaps = iter(slot for slot in range(count) if slot not in content)
    moves = {}
    for (stream, row, origin), slot in zip(homeless, gaps, strict=True):
        new[stream][row] = slot
        moves[slot] = origin
    return new, moves
