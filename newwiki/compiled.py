"""The operations of a CPU step for each row, compiled by Numba: write to slots, attend to them, and find the size of
the logits and the largest scores.

With one new token per row, torch's products reach a third of the memory's bandwidth, and its indexed writes less. Here
each row's keys and values are read once, from first to last and only as far as the row goes. Rows of one prompt read
one copy of it, which then comes from a processor cache. A row's sums have an order that depends on nothing else:
neither the other rows, nor who shares its prompt, nor the number of threads changes a bit.

A function takes a pointer to a record of numbers and addresses, WRITE, ATTEND, SIZES or LARGEST. Several threads may
call it with the same record: each takes tasks, which are some of the rows, until none is left. bfloat16 is read as the
upper half of a float32, and summed in float32. Everything is in one file, because Numba's disk cache notices a change
only in the file of the compiled function itself.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import carray, cfunc, from_dtype, njit, types
from numba.extending import intrinsic, overload

# New states [rows, groups, tokens, size] at `new`, with these strides of the first three dimensions, go to the
# `columns` [rows, tokens] of `slots` [slots, room, groups, size].
WRITE = np.dtype(
    [
        (name, np.int64)
        for name in ("taken", "tasks", "rows", "groups", "tokens", "size", "room", "columns", "slots", "new",
                     "row_apart", "group_apart", "token_apart")
    ]
)  # fmt: skip

# A query [rows, heads, tokens, size], with these strides of the first three dimensions, attends to `keys` [slots, room,
# groups, size] and `values` [slots, room, groups, value_size] up to the last of its `columns` [rows, tokens], under a
# `mask` [rows, 1, tokens, width]. The first `same` [rows] tokens of a row are read from another `place` [rows] than its
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

# For float32 `logits` [rows, vocabulary] with this row stride, computes `sizes` [rows]: the largest finite magnitude,
# or NaN if there is NaN.
SIZES = np.dtype(
    [(name, np.int64) for name in ("taken", "tasks", "rows", "vocabulary", "row_apart", "logits", "sizes")]
)

# For float32 scores [rows, vocabulary] with this row stride, finds the `count` largest of each row: values
# [rows, count] and tokens [rows, count]. Each thread has `apart` float32 of `scratch`; count <= apart <= vocabulary.
# The last token of a row with NaN among its scores is -1.
LARGEST = np.dtype(
    [
        (name, np.int64)
        for name in ("taken", "threads", "tasks", "rows", "vocabulary", "row_apart", "count", "apart", "scores",
                     "values", "tokens", "scratch")
    ]
)  # fmt: skip

_INFINITE = np.int32(0x7F800000)  # the bits of infinity
_HIDDEN = np.float32(-1e30)  # a mask adds this or less to hidden positions
_SMALLEST = np.float32(-87)  # e to this is nearly the smallest normal float32
_EXPF = tuple(map(np.float32, (1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)))
_FAST = {"reassoc", "contract", "nsz", "arcp"}  # allows vectorized sums, but preserves NaN and infinity


@intrinsic
def _take(typing: Any, work: Any, counter: Any) -> Any:
    """Increment one of the first numbers of a record atomically, and return its previous value."""

    def made(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        number = ir.IntType(64)
        numbers = builder.bitcast(given[0], number.as_pointer())
        return builder.atomic_rmw("add", builder.gep(numbers, [given[1]]), ir.Constant(number, 1), "seq_cst")

    return types.int64(work, types.int64), made


@intrinsic
def _at(typing: Any, address: Any, number: Any) -> Any:
    """Return a pointer to numbers of this type."""
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
    """Convert a number to float32."""


@overload(_wide, strict=False, inline="always")
def _wide_of(number: Any) -> Any:
    if number == types.float32:
        return lambda number: number
    return lambda number: _float_of(np.uint32(number) << np.uint32(16))


def _put(pointer: Any, place: Any, number: Any) -> None:
    """Write a float32 as a number of the pointer's type, rounded to nearest, ties to even."""


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
    task = carray(work, 1)[0]
    rows, groups, tokens, size = task.rows, task.groups, task.tokens, task.size
    columns, slots, new = _at(task.columns, np.int64), _at(task.slots, number), _at(task.new, number)
    each = -(-rows // task.tasks)
    while True:
        first = _take(work, 0) * each
        if first >= rows:
            break
        for row in range(first, min(first + each, rows)):
            for token in range(tokens):
                to = (row * task.room + columns[row * tokens + token]) * groups * size
                origin = row * task.row_apart + token * task.token_apart
                for group in range(groups):
                    for i in range(size):
                        slots[to + group * size + i] = new[origin + group * task.group_apart + i]


@njit(nogil=True, error_model="numpy")
def _attend(work: Any, number: Any) -> None:
    task = carray(work, 1)[0]
    rows, heads, groups, tokens, width = task.rows, task.heads, task.groups, task.tokens, task.width
    size, value_size = task.size, task.value_size
    columns, same, place = _at(task.columns, np.int64), _at(task.same, np.int64), _at(task.place, np.int64)
    query, keys, values = _at(task.query, number), _at(task.keys, number), _at(task.values, number)
    mask, out = _at(task.mask, number), _at(task.out, number)
    scratch = task.scratch + _take(work, 1) * heads * (width + value_size) * 4
    scores, sums = _at(scratch, np.float32), _at(scratch + heads * width * 4, np.float32)
    each = -(-rows // task.tasks)
    while True:
        first = _take(work, 0) * each
        if first >= rows:
            break
        for row in range(first, min(first + each, rows)):
            end = columns[(row + 1) * tokens - 1] + 1
            own, other, shared = row * task.room, place[row] * task.room, same[row]
            for token in range(tokens):
                hides = (row * tokens + token) * width
                begin = _first_seen(mask, hides, end)
                asked = row * task.row_apart + token * task.token_apart
                for column in range(begin, end):
                    at = ((other if column < shared else own) + column) * groups * size
                    _products(scores, column, width, query, asked, task.head_apart, heads, keys, at, groups, size)
                for head in range(heads):
                    _softmax(scores, head * width, np.float32(task.scale), mask, hides, begin, end)
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
    """Compute scores[head, column]: each head's query times its group's key of one column."""
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
    """Apply scale, mask and softmax to one head's scores, in place."""
    largest = np.float32(-np.inf)
    for column in range(begin, end):
        scores[at + column] = scores[at + column] * scale + _wide(mask[hides + column])
        largest = max(largest, scores[at + column])
    total = np.float32(0)
    for column in range(begin, end):
        scores[at + column] = _exp(scores[at + column] - largest)
        total += scores[at + column]
    for column in range(begin, end):
        scores[at + column] /= total


@njit(nogil=True, fastmath={"contract"})
def _exp(x: Any) -> Any:
    """Compute exp of a number that is 0 or less: 2^n · e^r with a polynomial for e^r (Cephes' expf, accurate to about
    1e-7 of the result). A call of the C library would prevent vectorization."""
    n = np.floor(max(x, _SMALLEST) * np.float32(1.44269504) + np.float32(0.5))
    r = x - n * np.float32(0.693359375) + n * np.float32(2.12194440e-4)
    power = np.float32(1.9875691500e-4)
    for coefficient in _EXPF:
        power = power * r + coefficient
    power = power * r * r + r + np.float32(1)
    scaled = power * _float_of(np.uint32(np.int32(n) + np.int32(127)) << np.uint32(23))
    return np.float32(0) if x < _SMALLEST else scaled


@njit(nogil=True, fastmath=_FAST)
def _add(
    sums: Any, weights: Any, column: Any, width: Any, heads: Any, values: Any, at: Any, groups: Any, size: Any
) -> None:
    """Add one column's values to sums[head, size], by their weights."""
    head = 0
    for group in range(groups):
        for _ in range(heads // groups):
            weight = weights[head * width + column]
            for i in range(size):
                sums[head * size + i] += weight * _wide(values[at + group * size + i])
            head += 1


@njit(nogil=True)
def _sizes(work: Any) -> None:
    """Find sizes by comparing bits: without the sign, they order like the numbers, then infinity, then NaN."""
    task = carray(work, 1)[0]
    each = -(-task.rows // task.tasks)
    while True:
        first = _take(work, 0) * each
        if first >= task.rows:
            break
        for row in range(first, min(first + each, task.rows)):
            logits = _at(task.logits + row * task.row_apart * 4, np.int32)
            largest, finite = np.int32(0), np.int32(0)
            for token in range(task.vocabulary):
                bits = np.int32(logits[token] & np.int32(0x7FFFFFFF))
                largest = max(largest, bits)
                finite = max(finite, bits if bits < _INFINITE else np.int32(0))
            _at(task.sizes, np.int32)[row] = largest if largest > _INFINITE else finite


@njit(nogil=True)
def _largest(work: Any) -> Any:
    """Find the largest scores. The scores of a row are folded into `apart` columns, each with its largest score. The
    `count`-th largest of these bounds the result from below, and shows which columns to search."""
    task = carray(work, 1)[0]
    rows, vocabulary, count, apart = task.rows, task.vocabulary, task.count, task.apart
    best = _at(task.scratch + _take(work, 1) * apart * 4, np.float32)
    each = -(-rows // task.tasks)
    while True:
        first = _take(work, 0) * each
        if first >= rows:
            break
        for row in range(first, min(first + each, rows)):
            scores = _at(task.scores + row * task.row_apart * 4, np.float32)
            values = _at(task.values + row * count * 4, np.float32)
            tokens = _at(task.tokens + row * count * 8, np.int64)
            for column in range(apart):
                best[column] = -np.inf
            numbers = 0
            for begin in range(0, vocabulary, apart):
                numbers += _fold(best, scores, begin, min(apart, vocabulary - begin))
            edge = _edge(best, apart, count)
            kept = 0
            if _not_below(best, apart, edge) > 4 * count:
                for token in range(vocabulary):
                    if scores[token] >= edge:
                        kept = _keep(values, tokens, kept, count, scores[token], token)
            else:
                for column in range(apart):
                    if best[column] >= edge:
                        for token in range(column, vocabulary, apart):
                            if scores[token] >= edge:
                                kept = _keep(values, tokens, kept, count, scores[token], token)
            if numbers < vocabulary:
                tokens[count - 1] = -1


@njit(nogil=True)
def _fold(best: Any, scores: Any, begin: Any, columns: Any) -> Any:
    """Fold scores into the largest of their columns; returns how many of them are not NaN."""
    numbers = np.int32(0)
    for column in range(columns):
        score = scores[begin + column]
        best[column] = score if score > best[column] else best[column]
        numbers += np.int32(score == score)
    return numbers


@njit(nogil=True)
def _edge(scores: Any, size: Any, count: Any) -> Any:
    """Return a number that at least `count` of the scores reach, and few more if they differ: by bisecting the range of
    all float32, in the order of their bits."""
    low, high = _INFINITE ^ np.int32(-1), _INFINITE + np.int32(1)  # the bit patterns of -inf, and after inf
    while high - low > 1:
        middle = np.int32((np.int64(low) + np.int64(high)) >> 1)
        above = _not_below(scores, size, _float_at(middle))
        if above >= count:
            low = middle
            if above <= count + count // 4:
                break
        else:
            high = middle
    return _float_at(low)


@njit(nogil=True)
def _float_at(place: Any) -> Any:
    bits = place if place >= 0 else place ^ np.int32(0x7FFFFFFF)
    return _float_of(np.uint32(bits))


@njit(nogil=True)
def _not_below(scores: Any, size: Any, edge: Any) -> Any:
    number = np.int32(0)
    for i in range(size):
        number += np.int32(scores[i] >= edge)
    return number


@njit(nogil=True)
def _keep(values: Any, tokens: Any, kept: Any, count: Any, value: Any, token: Any) -> Any:
    """Insert a score in order if it is among the `count` largest, and return how many there are."""
    place = kept
    if kept == count:
        place -= 1
        if not _goes_before(value, token, values[place], tokens[place]):
            return kept
    else:
        kept += 1
    while place and _goes_before(value, token, values[place - 1], tokens[place - 1]):
        values[place], tokens[place] = values[place - 1], tokens[place - 1]
        place -= 1
    values[place], tokens[place] = value, token
    return kept


@njit(nogil=True)
def _goes_before(value: Any, token: Any, other: Any, other_token: Any) -> Any:
    return value > other or (value == other and token < other_token)


def _compiled(record: np.dtype) -> Callable[[Any], Any]:
    """Return a decorator that compiles a function, with a disk cache if there is a place for it."""
    signature = types.void(types.CPointer(from_dtype(record)))

    def made(function: Any) -> Any:
        try:
            return cfunc(signature, cache=True)(function)
        except RuntimeError:  # Numba has found no writable folder
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


@_compiled(SIZES)
def sizes(work: Any) -> None:
    _sizes(work)


@_compiled(LARGEST)
def largest(work: Any) -> None:
    _largest(work)
