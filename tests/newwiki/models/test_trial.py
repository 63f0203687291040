"""The list of architectures is held to what it says of each: exact, through its own cache, or refused in words."""

import json
from pathlib import Path

import pytest

from newwiki.errors import UsageError
from newwiki.models import trial
from newwiki.models.trial import SLOTS, _Trial, try_checkpoint
from tests.newwiki.models.zoo import EXACT, SLOW, ZOO, Row, page_with_table, write

# What is tried of each architecture: a prompt past some windows whose text goes on past others, and one past all of
# them. A batch holds one text, or both.
_LENGTHS = ((9, 4), (18, 2))
_DECODERS = {"greedy": _Trial(1, (1, 2)), "beam:num_beams=3": _Trial(3, (1, None))}
# A beam search moves rows. It is tried where what is moved is of another kind; with the others, rows are moved when a
# model is loaded.
_BEAMS = {
    "GPT-2", "Llama, Llama 2", "Llama with dynamic NTK scaling", "Phi 3 and 4 with LongRoPE", "Mistral", "Gemma 3",
    "Gemma 3n", "DeepSeek V2", "LongCat Flash", "MPT",
    "Falcon-H1", "RWKV 4", "RecurrentGemma", "MiniMax Text 01 and M1", "Llama 4", "Qwen 3 Next", "Zamba 2",
    "DeepSeek V4", "GPT-Neo",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("row", ZOO, ids=lambda row: row.name)
def test_an_architecture_is_what_the_list_says(row: Row, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trial, "_LENGTHS", _LENGTHS)
    decoders = _DECODERS if row.name in _BEAMS else {"greedy": _DECODERS["greedy"]}
    monkeypatch.setattr(trial, "_DECODERS", decoders)
    found = {one.what: one for one in try_checkpoint(str(write(row, tmp_path)), {"tokenizer_json": "yes"})}
    if row.expected in (EXACT, SLOW):
        assert [one for one in found.values() if one.state != "ok"] == []
        assert (found["path"].words == SLOTS) == (row.expected == EXACT)
        assert {"token by token", "batches", *decoders} <= found.keys()
    else:
        (refused,) = found.values()
        assert refused.state == "problem" and row.expected in refused.words
        assert "\n" not in refused.words


def test_beams_are_tried_with_known_architectures() -> None:
    assert {row.name for row in ZOO} >= _BEAMS


def test_the_documentation_has_the_list() -> None:
    page = (Path(__file__).parents[3] / "docs" / "models.md").read_text("utf-8")
    assert page == page_with_table(page), "write it anew with: make catalogue"


_CODE = """
import torch
from transformers import GPT2Config, GPT2LMHeadModel

class Config(GPT2Config):
    model_type = "turned"

class Model(GPT2LMHeadModel):
    config_class = Config

    def forward(self, input_ids=None, attention_mask=None, position_ids=None, **rest):
        output = super().forward(
            input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids, **rest
        )
        rows = len(input_ids)
        if attention_mask is not None and attention_mask.dim() == 4:
            turned = CONDITION
            output.logits[turned] = output.logits[turned].flip(-1)
        return output
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("condition", "told"),
    [
        ("torch.full((rows,), rows > 3)", "depend on the batch"),
        ("position_ids[:, -1] > 15", "differ from those of generate()"),
    ],
)
def test_what_a_model_does_otherwise_is_found(condition: str, told: str, tmp_path: Path) -> None:
    """Only with more rows, or later in a text, than it is tried with when it is loaded."""
    write(next(row for row in ZOO if row.kind == "gpt2"), tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    code = {"AutoConfig": "code.Config", "AutoModelForCausalLM": "code.Model"}
    (tmp_path / "config.json").write_text(json.dumps({**config, "model_type": "turned", "auto_map": code}))
    (tmp_path / "code.py").write_text(_CODE.replace("CONDITION", condition))
    found = {one.what: one for one in try_checkpoint(str(tmp_path), {"trust_remote_code": "yes"})}
    assert found["greedy"].state == "problem"
    assert told in found["greedy"].words


@pytest.mark.slow
def test_windows_that_no_text_is_past_are_tried_short(tmp_path: Path) -> None:
    row = next(row for row in ZOO if row.kind == "mistral")
    write(row._replace(settings={"sliding_window": 4096}), tmp_path)
    found = {one.what: one.state for one in try_checkpoint(str(tmp_path), {})}
    assert found["greedy"] == found["greedy, with a shortened sliding_window"] == "ok"


def test_what_it_is_loaded_with_wrongly_is_a_misuse(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no dtype 'int3'"):
        try_checkpoint(str(tmp_path), {"dtype": "int3"})
