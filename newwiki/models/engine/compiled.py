"""Writing to slots and attending to them on a CPU, compiled for its processor by Numba.

With one new token a row, torch's products reach a third of the memory's bandwidth, and its indexed writes less. Here
each row's keys and values are read once, from first to last and as far as the row goes; rows of one prompt read one
copy of it, which then comes from a cache of the processor. What a row gets is summed up in an order that nothing beside
it decides: neither the other rows, nor who shares its prompt, nor the number of threads changes a bit.

A function takes a pointer to a record, WRITE or ATTEND, of numbers and addresses. Several threads may call it with the
same one: each takes tasks, which are some of the rows, until none is left. bfloat16 is read as the upper half of a
float32, and summed up in float32.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, cfunc, from_dtype, njit, types
from numba.extending import intrinsic, overload

# New states [rows, groups, tokens, size] at `new`, so far apart in the first three dimensions, go to the `columns`
# [rows, tokens] of `slots` [slots, room, groups, size].
WRITE = np.dtype(
    [
        (name, np.int64)
        for name in ("taken", "tasks", "rows", "groups", "tokens", "size", "room", "columns", "slots", "new",
                     "row_apart", "group_apart", "token_apart")
    ]
)  # fmt: skip

# A query [rows, heads, tokens, size], so far apart in the first three dimensions, attends to `keys` [slots, room,
# groups, size] and `values` [slots, room, groups, value_size] up to the last of its `columns` [rows, tokens], under a
# `mask` [rows, 1, tokens, width]. The first `same` [rows] tokens of a row are read in another `place` [rows] than its
# own slot. `out` is [rows, tokens, heads, value_size]; each of `threads` has heads * (width + value_size) float32 of
# `scratch`.
ATTEND = np.dtype(
    [
        (name, np.int64)
        for name in ("taken", "threads", "tasks", "rows", "heads", "groups", "tokens", "size", "value_size", "room",
                     "width", "columns", "same", "place", "keys", "values", "mask", "query", "out", "scratch",
                     "row_apart", "head_apart", "token_apart")
    ]
    + [("scale", np.float64)]
)  # fmt: skip

_HIDDEN = np.float32(-1e30)  # what a mask adds to what is not to be seen, or less
_FAST = {"reassoc", "contract", "nsz", "arcp"}  # sums in vectors; NaN and infinity stay what they are


@intrinsic
def _take(typing: Any, work: Any, counter: Any) -> Any:
    """Counts up one of the first numbers of a record, and gives what it was, which no other thread gets."""

    def made(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        number = ir.IntType(64)
        numbers = builder.bitcast(given[0], number.as_pointer())
        return builder.atomic_rmw("add", builder.gep(numbers, [given[1]]), ir.Constant(number, 1), "seq_cst")

    return types.int64(work, types.int64), made


@intrinsic
def _at(typing: Any, address: Any, number: Any) -> Any:
    """A pointer to numbers of this type."""
    pointer = types.CPointer(number.dtype)

    def made(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.inttoptr(given[0], context.get_value_type(pointer))

    return pointer(address, number), made


@intrinsic
def _float_of(typing: Any, bits: Any) -> Any:
    return types.float32(types.uint32), lambda _, builder, __, given: builder.bitcast(given[0], ir.FloatType())


@intrinsic
def _bits_of(typing: Any, number: Any) -> Any:
    return types.uint32(types.float32), lambda _, builder, __, given: builder.bitcast(given[0], ir.IntType(32))


def _wide(number: Any) -> Any:
    """A number as float32."""


@overload(_wide, strict=False, inline="always")
def _wide_of(number: Any) -> Any:
    if number == types.float32:
        return lambda number: number
    return lambda number: _float_of(np.uint32(number) << np.uint32(16))


def _put(pointer: Any, place: Any, number: Any) -> None:
    """Writes a float32 as a number of the type that is pointed at, rounded to the nearest one and to even."""


@overload(_put, strict=False, inline="always")
def _put_of(pointer: Any, place: Any, number: Any) -> Any:
    if pointer.dtype == types.float32:

        def put(pointer: Any, place: Any, number: Any) -> None:
            pointer[place] = number

    else:

        def put(pointer: Any, place: Any, number: Any) -> None:
            bits = _bits_of(number)
            rounded = (bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)
            pointer[place] = np.uint16(rounded) if number == number else np.uint16(0x7FC0)

    return put


@njit(nogil=True, error_model="numpy")
def _write(work: Any, number: Any) -> None:
    one = carray(work, 1)[0]
    rows, groups, tokens, size = one.rows, one.groups, one.tokens, one.size
    columns, slots, new = _at(one.columns, np.int64), _at(one.slots, number), _at(one.new, number)
    each = -(-rows // one.tasks)
    while True:
        first = _take(work, 0) * each
        if first >= rows:
            break
        for row in range(first, min(first + each, rows)):
            for token in range(tokens):
                to = (row * one.room + columns[row * tokens + token]) * groups * size
                origin = row * one.row_apart + token * one.token_apart
                for group in range(groups):
                    for i in range(size):
                        slots[to + group * size + i] = new[origin + group * one.group_apart + i]


@njit(nogil=True, error_model="numpy")
def _attend(work: Any, number: Any) -> None:
    one = carray(work, 1)[0]
    rows, heads, groups, tokens, width = one.rows, one.heads, one.groups, one.tokens, one.width
    size, value_size = one.size, one.value_size
    columns, same, place = _at(one.columns, np.int64), _at(one.same, np.int64), _at(one.place, np.int64)
    query, keys, values = _at(one.query, number), _at(one.keys, number), _at(one.values, number)
    mask, out = _at(one.mask, number), _at(one.out, number)
    scratch = one.scratch + _take(work, 1) * heads * (width + value_size) * 4
    scores, sums = _at(scratch, np.float32), _at(scratch + heads * width * 4, np.float32)
    each = -(-rows // one.tasks)
    while True:
        first = _take(work, 0) * each
        if first >= rows:
            break
        for row in range(first, min(first + each, rows)):
            end = columns[(row + 1) * tokens - 1] + 1
            own, other, shared = row * one.room, place[row] * one.room, same[row]
            for token in range(tokens):
                hides = (row * tokens + token) * width
                begin = _first_seen(mask, hides, end)
                asked = row * one.row_apart + token * one.token_apart
                for column in range(begin, end):
                    at = ((other if column < shared else own) + column) * groups * size
                    _products(scores, column, width, query, asked, one.head_apart, heads, keys, at, groups, size)
                for head in range(heads):
                    _softmax(scores, head * width, np.float32(one.scale), mask, hides, begin, end)
                for i in range(heads * value_size):
                    sums[i] = np.float32(0)
                for column in range(begin, end):
                    at = ((other if column < shared else own) + column) * groups * value_size
                    _add(sums, scores, column, width, heads, values, at, groups, value_size)
                to = (row * tokens + token) * heads * value_size
                for i in range(heads * value_size):
                    _put(out, to + i, sums[i])


@njit(nogil=True)
def _first_seen(mask: Any, hides: Any, end: Any) -> Any:
    column = 0
    while column < end and _wide(mask[hides + column]) <= _HIDDEN:
        column += 1
    return column


@njit(nogil=True, fastmath=_FAST)
def _products(
    scores: Any, column: Any, width: Any, query: Any, asked: Any, apart: Any, heads: Any, keys: Any, at: Any,
    groups: Any, size: Any,
) -> None:  # fmt: skip
    """Of each head's query with its group's key of one column: scores[head, column]."""
    head = 0
    for group in range(groups):
        for _ in range(heads // groups):
            product = np.float32(0)
            for i in range(size):
                product += _wide(query[asked + head * apart + i]) * _wide(keys[at + group * size + i])
            scores[head * width + column] = product
            head += 1


@njit(nogil=True, fastmath=_FAST)
def _softmax(scores: Any, at: Any, scale: Any, mask: Any, hides: Any, begin: Any, end: Any) -> None:
    """In place, of one head's scores as they are scaled and masked."""
    largest = np.float32(-np.inf)
    for column in range(begin, end):
        scores[at + column] = scores[at + column] * scale + _wide(mask[hides + column])
        largest = max(largest, scores[at + column])
    total = np.float32(0)
    for column in range(begin, end):
        scores[at + column] = np.exp(scores[at + column] - largest)
        total += scores[at + column]
    for column in range(begin, end):
        scores[at + column] /= total


@njit(nogil=True, fastmath=_FAST)
def _add(
    sums: Any, weights: Any, column: Any, width: Any, heads: Any, values: Any, at: Any, groups: Any, size: Any
) -> None:
    """One column's values to sums[head, size], by their weights."""
    head = 0
    for group in range(groups):
        for _ in range(heads // groups):
            weight = weights[head * width + column]
            for i in range(size):
                sums[head * size + i] += weight * _wide(values[at + group * size + i])
            head += 1


def _compiled(record: np.dtype) -> Callable[[Any], Any]:
    """Keeps what it has compiled on disk, where there is a place for it."""
    signature = types.void(types.CPointer(from_dtype(record)))

    def made(function: Any) -> Any:
        try:
            return cfunc(signature, cache=True)(function)
        except RuntimeError:  # Numba has found no folder that it may write to
            return cfunc(signature)(function)

    return made


@_compiled(WRITE)
def write_float32(work: Any) -> None:
    _write(work, np.float32)


@_compiled(WRITE)
def write_bfloat16(work: Any) -> None:
    _write(work, np.uint16)


@_compiled(ATTEND)
def attend_float32(work: Any) -> None:
    _attend(work, np.float32)


@_compiled(ATTEND)
def attend_bfloat16(work: Any) -> None:
    _attend(work, np.uint16)
