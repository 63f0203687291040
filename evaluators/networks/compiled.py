"""Run the transformer of an embedding model with OpenVINO, which is faster than torch on many CPUs."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from threading import local
from typing import Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError

_PRECISIONS = {"float32": "f32", "bfloat16": "bf16"}
_TRACED, _TRIED = (2, 7), (3, 12)  # chunks and tokens
_INSTEAD = "choose --embedder-backend torch"
_NEAR = {"float32": 0.9999, "bfloat16": 0.99}


class CompiledTransformer:
    """Replaces the first module of a sentence-transformers model: adds `token_embeddings` in float32.

    Chunks are token ids [chunks, length] without padding. Each calling thread has one core, so the numbers do not
    depend on the number of threads. `transformer` is in float32 on the CPU. Raises TerminalError if OpenVINO is not
    installed, does not support this `dtype` here, cannot run the model, or gives other embeddings than torch.
    """

    def __init__(self, transformer: torch.nn.Module, dtype: str, threads: int) -> None:
        core = silent_openvino().Core()
        if dtype == "bfloat16" and not has_bfloat16():
            raise TerminalError("OpenVINO does not support bfloat16 on this CPU; choose --embedder-dtype float32")
        hints = {
            "INFERENCE_PRECISION_HINT": _PRECISIONS[dtype],
            "NUM_STREAMS": threads,
            "INFERENCE_NUM_THREADS": threads,
            "ENABLE_CPU_PINNING": False,  # it would pin parallel processes to the same cores
        }
        self._model = core.compile_model(_converted(transformer), "CPU", hints)
        self._of_thread = local()
        if not self._agrees(transformer, _NEAR[dtype]):
            raise TerminalError(f"OpenVINO computes other embeddings with this model than torch; {_INSTEAD}")

    def __call__(self, features: Mapping[str, Tensor]) -> dict[str, Tensor]:
        if not hasattr(self._of_thread, "request"):
            self._of_thread.request = self._model.create_infer_request()
        [states] = self._of_thread.request.infer([features["input_ids"].numpy()]).values()
        return {**features, "token_embeddings": torch.from_numpy(states)}

    def _agrees(self, transformer: torch.nn.Module, least: float) -> bool:
        """Check that the trace also holds for another shape, by the cosine of both embeddings of each token."""
        tokens = torch.arange(_TRIED[0] * _TRIED[1]).reshape(_TRIED)
        with torch.inference_mode():
            theirs = _OfTokens(transformer)(tokens)
        mine = self({"input_ids": tokens})["token_embeddings"]
        return mine.shape == theirs.shape and bool((torch.cosine_similarity(mine, theirs, dim=2) > least).all())


class _OfTokens(torch.nn.Module):
    """Token ids → last hidden states. There is no padding, so there is no mask, which would cost time."""

    def __init__(self, transformer: torch.nn.Module) -> None:
        super().__init__()
        self._transformer = transformer

    def forward(self, input_ids: Tensor) -> Tensor:
        states: Tensor = self._transformer({"input_ids": input_ids})["token_embeddings"]
        return states


def has_bfloat16() -> bool:
    """Tell whether this CPU has bfloat16 instructions for OpenVINO. Raises TerminalError if it is not installed."""
    return "BF16" in silent_openvino().Core().get_property("CPU", "OPTIMIZATION_CAPABILITIES")


def silent_openvino() -> Any:
    """Import the package without openvino_telemetry, by which it would send an event to its makers.

    Raises TerminalError if it is not installed.
    """
    telemetry = sys.modules.get("openvino_telemetry")
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]  # so its import fails
    try:
        import openvino
    except ImportError as error:
        raise TerminalError(
            "--embedder-backend openvino needs a package: pip install 'newwiki-eval[openvino]'"
        ) from error
    finally:
        del sys.modules["openvino_telemetry"]
        if telemetry:
            sys.modules["openvino_telemetry"] = telemetry
    return openvino


def _converted(transformer: torch.nn.Module) -> Any:
    """Convert the model to OpenVINO's format. OpenVINO's own `convert_model` would send events to its makers."""
    from openvino import PartialShape, Type
    from openvino.frontend import FrontEndManager, OpConversionFailure
    from openvino.frontend.pytorch.ts_decoder import TorchScriptPythonDecoder

    with warnings.catch_warnings(action="ignore"):  # torch's, that a trace may hold for its own shape only
        traced = TorchScriptPythonDecoder(
            _OfTokens(transformer).eval(), example_input=(torch.ones(_TRACED, dtype=torch.long),)
        )
    frontend = FrontEndManager().load_by_framework("pytorch")
    read = frontend.load(traced)
    [tokens] = read.get_inputs()
    read.set_partial_shape(tokens, PartialShape([-1, -1]))
    read.set_element_type(tokens, Type.i64)
    try:
        return frontend.convert(read)
    except OpConversionFailure as error:
        raise TerminalError(f"OpenVINO does not support an operation of this embedding model; {_INSTEAD}") from error
