"""Foreign JSON is either its value or one TerminalError, in bounded time."""

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.errors import TerminalError
from newwiki.foreign_json import MOST_DEPTH, read_json, read_object

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)
_HOSTILE = st.one_of(
    st.binary(),
    _VALUES.map(lambda value: json.dumps(value).encode()),
    st.integers(1, 100_000).map(lambda depth: b"[" * depth),
    st.integers(1, 100_000).map(lambda depth: b'{"a":' * depth + b"1" + b"}" * depth),
    st.integers(1, 100_000).map(lambda digits: b"9" * digits),
    st.integers(1, 9_999_999).map(lambda power: f"[1e{power}]".encode()),
    st.text(st.characters(), min_size=1).map(lambda key: f"{{{json.dumps(key)}: 1, {json.dumps(key)}: 1}}".encode()),
    st.sampled_from([b"", b"\xff", b'"\\ud800"', b"NaN", b"-Infinity", b"\xef\xbb\xbf{}", b"\x00", b"1e999"]),
)


@given(_HOSTILE)
def test_hostile_json_gives_a_value_or_an_error_in_bounded_time(content: bytes) -> None:
    began = time.monotonic()
    try:
        found = read_json(content, "'it'")
    except TerminalError as error:
        message = str(error)
    else:
        message = ""
        json.dumps(found, ensure_ascii=False, allow_nan=False).encode()  # raises for what should have been refused
    assert "\n" not in message
    assert len(message) < 400
    assert time.monotonic() - began < 5


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)  # fmt: skip
def test_what_json_writes_is_read_as_it_was(value: Any) -> None:
    assert read_json(json.dumps(value), "'it'") == read_json(json.dumps(value).encode(), "'it'") == value


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a": 1, "b": {"a": 1, "a": 2}}', "holds the key 'a' twice"),
        (b'{"a": 1, "\\u0061": 2}', "holds the key 'a' twice"),
        (b"[NaN]", "NaN is not a JSON number"),
        (b"[1e999]", "the number '1e999' is too large"),
        (b"9" * 65, "65 digits"),
        (b'"\\ud800"', "not Unicode"),
        (b"\xff", "not Unicode"),
        (b"[" * (MOST_DEPTH + 1) + b"]" * (MOST_DEPTH + 1), "nested too deeply"),
        (b"[" * 1_000_000, "nested too deeply"),
        (b"{'a': 1}", "not valid JSON"),
    ],
)
def test_the_error_names_the_source_and_the_fault(content: bytes, message: str) -> None:
    with pytest.raises(TerminalError, match=f"^'a.json' .*{message}"):
        read_json(content, "'a.json'")


def test_the_largest_and_the_deepest_are_read_and_no_more() -> None:
    deepest = "[" * MOST_DEPTH + "]" * MOST_DEPTH
    assert read_json(deepest, "'it'") == json.loads(deepest)
    assert read_json("12345", "'it'", most_bytes=5) == 12345
    with pytest.raises(TerminalError, match="too large: 6 bytes of JSON, but at most 5 are allowed"):
        read_json("123456", "'it'", most_bytes=5)


def test_an_object_is_required_where_one_is_read() -> None:
    assert read_object('{"a": []}', "'it'") == {"a": []}
    for other in ("[]", "1", "null", '"a"'):
        with pytest.raises(TerminalError, match="'it' is not a JSON object"):
            read_object(other, "'it'")
