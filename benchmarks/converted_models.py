"""Convert the model of `generate_speed.py` for another program.

    python benchmarks/converted_models.py ctranslate2 int8 FOLDER [--layers 2]

A token's name is its number, because speed does not depend on words.
"""

import argparse
import tempfile
import warnings
from pathlib import Path
from typing import Any

import random_models
import torch
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from torch import Tensor
from transformers import DynamicCache, GPT2LMHeadModel, PreTrainedTokenizerFast
from transformers.cache_utils import DynamicLayer

from evaluators.networks.compiled import silent_openvino


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=("ctranslate2", "openvino", "vllm"))
    parser.add_argument("dtype")
    parser.add_argument("folder", type=Path)
    random_models.add_arguments(parser)
    options = parser.parse_args()
    model = random_models.build(shape=random_models.asked_for(options))
    if options.program == "ctranslate2":
        to_ctranslate2(model, options.dtype, ctranslate2_folder(options.folder, options.dtype))
    elif options.program == "vllm":
        model.save_pretrained(vllm_folder(options.folder))
    elif not openvino_folder(options.folder).exists():  # one file serves all dtypes
        to_openvino(model, openvino_folder(options.folder))


def ctranslate2_folder(models: Path, dtype: str) -> Path:
    return models / f"ctranslate2-{dtype}"


def openvino_folder(models: Path) -> Path:
    return models / "openvino"


def vllm_folder(models: Path) -> Path:
    return models / "vllm"


def token(number: int) -> str:
    return f"t{number}"


def tokenizer(size: int) -> PreTrainedTokenizerFast:
    words = WordLevel({token(number): number for number in range(size)}, unk_token=token(0))
    last = token(size - 1)
    return PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer(words), unk_token=token(0), bos_token=last, eos_token=last
    )


def to_ctranslate2(model: GPT2LMHeadModel, dtype: str, folder: Path) -> None:
    from ctranslate2.converters import TransformersConverter

    with tempfile.TemporaryDirectory() as saved:
        model.save_pretrained(saved)
        tokenizer(model.config.vocab_size).save_pretrained(saved)
        TransformersConverter(saved).convert(str(folder), quantization=dtype)


def to_openvino(model: GPT2LMHeadModel, folder: Path) -> None:
    """Convert to OpenVINO as optimum-intel would; that package requires other versions of torch and transformers.

    The cache is a state of the model, whose rows `beam_idx` reorders in each step.
    """
    openvino = silent_openvino()
    from openvino import PartialShape, Type, opset13
    from openvino._offline_transformations import apply_make_stateful_transformation
    from openvino.frontend import FrontEndManager
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder
    from openvino_tokenizers import convert_tokenizer

    layers, heads = model.config.n_layer, model.config.n_head
    size = model.config.n_embd // heads
    parts = [f"{layer}.{part}" for layer in range(layers) for part in ("key", "value")]
    past, present = [f"past_key_values.{part}" for part in parts], [f"present.{part}" for part in parts]
    rows, before, new = 2, 3, 4  # sizes in the trace, which is valid for any size
    example = (
        torch.ones(rows, new, dtype=torch.long),
        torch.ones(rows, before + new, dtype=torch.long),
        torch.arange(before, before + new).repeat(rows, 1),
        torch.arange(rows, dtype=torch.int32),
        *(torch.ones(rows, heads, before, size) for _ in past),
    )
    inputs = {
        "input_ids": (Type.i64, [-1, -1]),
        "attention_mask": (Type.i64, [-1, -1]),
        "position_ids": (Type.i64, [-1, -1]),
        "beam_idx": (Type.i32, [-1]),
        **{name: (Type.f32, [-1, heads, -1, size]) for name in past},
    }
    with warnings.catch_warnings(action="ignore"), torch.inference_mode():
        traced = TorchScriptPythonDecoder(WithFlatCache(model).eval(), example_input=example)
    frontend = FrontEndManager().load_by_framework("pytorch")
    read = frontend.load(traced)
    for place, (kind, shape) in zip(read.get_inputs(), inputs.values(), strict=True):
        read.set_element_type(place, kind)
        read.set_partial_shape(place, PartialShape(shape))
    converted = frontend.convert(read)
    for port, name in zip(converted.inputs, inputs, strict=True):
        port.get_tensor().set_names({name})
    for port, name in zip(converted.outputs, ["logits", *present], strict=True):
        port.get_tensor().set_names({name})
    apply_make_stateful_transformation(converted, dict(zip(past, present, strict=True)))
    batch = opset13.gather(opset13.shape_of(converted.input("input_ids")), opset13.constant([0]), opset13.constant(0))
    empty = opset13.concat([batch, *(opset13.constant([length]) for length in (heads, 0, size))], axis=0)
    for node in converted.get_ops():
        if node.get_type_name() == "ReadValue":
            node.set_arguments([opset13.broadcast(opset13.constant(0.0, dtype=Type.f32), empty)])
    converted.validate_nodes_and_infer_types()
    there, back = convert_tokenizer(tokenizer(model.config.vocab_size), with_detokenizer=True)
    for name, part in (("model", converted), ("tokenizer", there), ("detokenizer", back)):
        openvino.save_model(part, folder / f"openvino_{name}.xml", compress_to_fp16=False)
    model.config.save_pretrained(folder)


class WithFlatCache(torch.nn.Module):
    """The model as a function of tensors only.

    Keys and values [rows, heads, columns, size] of each layer are the last inputs. They are returned after the logits,
    with the new columns.
    """

    def __init__(self, model: GPT2LMHeadModel) -> None:
        super().__init__()
        self._model = model

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, position_ids: Tensor, beam_idx: Tensor, *past: Tensor
    ) -> tuple[Tensor, ...]:
        cache: Any = DynamicCache()
        cache.layers = [_filled(*(one.index_select(0, beam_idx) for one in past[at : at + 2])) for at in _pairs(past)]
        before, new = past[0].shape[2], input_ids.shape[1]
        seen = torch.arange(before + new)[None] <= (before + torch.arange(new))[:, None]
        output = self._model(
            input_ids=input_ids,
            attention_mask=seen[None, None] & attention_mask.bool()[:, None, None],
            position_ids=position_ids,
            past_key_values=cache,
        )
        return (output.logits, *(one for layer in cache.layers for one in (layer.keys, layer.values)))


def _pairs(past: tuple[Tensor, ...]) -> range:
    return range(0, len(past), 2)


def _filled(keys: Tensor, values: Tensor) -> DynamicLayer:
    layer = DynamicLayer()
    layer.keys, layer.values = keys, values
    layer.dtype, layer.device, layer.is_initialized = keys.dtype, keys.device, True
    return layer


if __name__ == "__main__":
    main()
