"""An adapter's configuration from somebody else is read, or refused by one error, in bounded time."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from newwiki.errors import NewWikiError, TerminalError
from newwiki.models import merging
from newwiki.models.adapters import described
from newwiki.models.checkpoint import Trust, find
from newwiki.models.merging import require_bounded

SOUND = {"peft_type": "LORA", "base_model_name_or_path": "nowhere/model", "r": 8, "target_modules": ["c_attn"]}
NAMES = [f"transformer.h.{layer}.attn.{module}" for layer in range(12) for module in ("c_attn", "c_proj")]

_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@pytest.fixture(scope="module")
def adapter(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adapters") / "adapter"
    folder.mkdir()
    (folder / "adapter_model.safetensors").touch()
    return folder


def write(folder: Path, **changes: Any) -> None:
    (folder / "adapter_config.json").write_text(json.dumps({**SOUND, **changes}))


@given(
    name=st.sampled_from([*SOUND, "revision", "rank_pattern", "modules_to_save", "layer_replication"]), value=_VALUES
)
@example(name="rank_pattern", value={"\n": None})
def test_a_hostile_configuration_is_read_or_refused(adapter: Path, name: str, value: Any) -> None:
    write(adapter, **{name: value})
    try:
        described(adapter, "it")
    except NewWikiError as error:
        message = str(error)
    else:
        message = ""
    assert "\n" not in message
    assert len(message) < 1_000


@pytest.mark.parametrize("base", [["a"], 5, "a" * 5_000, "a\0b", {}, True])
def test_an_invalid_base_name_is_refused(adapter: Path, base: Any) -> None:
    write(adapter, base_model_name_or_path=base)
    with pytest.raises(TerminalError, match=r"is not a valid adapter configuration .*base_model_name_or_path"):
        find(str(adapter), "main", Trust())


def test_an_adapter_on_itself_or_in_a_circle_is_refused(adapter: Path, tmp_path: Path) -> None:
    write(adapter, base_model_name_or_path=str(adapter))
    with pytest.raises(TerminalError, match=r"is another adapter, '.*adapter', which newwiki does not merge"):
        find(str(adapter), "main", Trust())
    other = tmp_path / "other"
    other.mkdir()
    (other / "adapter_model.safetensors").touch()
    write(other, base_model_name_or_path=str(adapter))
    write(adapter, base_model_name_or_path=str(other))
    with pytest.raises(TerminalError, match=r"is another adapter, '.*other', which newwiki does not merge"):
        find(str(adapter), "main", Trust())


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"[" * 100_000,
        b'{"peft_type": "LORA", "peft_type": "IA3"}',
        b'{"r": NaN}',
        b"\xff",
        b" " * 2_000_000,
    ],
)
def test_an_invalid_configuration_file_is_refused(adapter: Path, content: bytes) -> None:
    (adapter / "adapter_config.json").write_bytes(content)
    with pytest.raises(TerminalError, match=r"the adapter_config\.json of 'it' is not a valid adapter configuration"):
        described(adapter, "it")


@pytest.mark.parametrize("changes", [{"r": 10**9}, {"rank_pattern": {"a": 10**9}}, {"megatron_config": {"a": 1}}])
def test_what_would_take_all_memory_or_import_code_is_refused(adapter: Path, changes: dict[str, Any]) -> None:
    write(adapter, **changes)
    with pytest.raises(TerminalError, match="is not a valid adapter configuration"):
        described(adapter, "it")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        {"target_modules": r"(\w+\.?)+!"},
        {"modules_to_save": [r"(.+.+)+!"]},
        {"rank_pattern": {r"([a-z.]+[\w.]+)+!": 8}},
        {"a_field_to_come": {"deep": [r"(.|.)+!"]}},
    ],
)
def test_a_regular_expression_that_never_ends_is_refused(
    words: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "SECONDS", 1.0)
    began = time.monotonic()
    with pytest.raises(TerminalError, match="a regular expression that takes more than 1 s to match"):
        require_bounded(words, NAMES, "it")
    assert time.monotonic() - began < 30


@pytest.mark.slow
def test_an_invalid_regular_expression_is_refused() -> None:
    for words in ("(", "[", "*", "(" * 10_000):
        with pytest.raises(TerminalError, match="a regular expression that is invalid"):
            require_bounded({"target_modules": words}, NAMES, "it")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words", ["all-linear", r".*\.(q_proj|v_proj)", r"^.*(attn|mlp).*$", ["c_attn", "c_proj"], r"^(?!.*visual).*attn.*"]
)
def test_the_usual_patterns_are_accepted(words: Any) -> None:
    require_bounded({"target_modules": words, "peft_version": "0.21.2"}, NAMES, "it")
