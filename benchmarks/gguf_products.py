"""Measure whether a GGUF checkpoint should be computed in int8 instead of the floats that its blocks become.

    python benchmarks/gguf_products.py MODEL.gguf [--llama-cpp PYTHON] [--tokens 64] [--rounds 3]

Two tables. The first compares the matrix products of the checkpoint's own shapes at several numbers of rows: float32 as
the engine packs it and plain, bfloat16, PyTorch's int8 weights with float activations (`_weight_int8pack_mm`), and int8
on both sides (`_int_mm`, with each row of the activations scaled to int8 anew, which is timed). The int8 products scale
whole rows of weights. Blocks of 32 weights with a scale each, as in Q8_0, need a product for each block and are
therefore slower. `error` is the largest deviation of the last layer's outputs, as a share of the largest output.

The second compares whole texts, greedy, with the same prompts and tokens: the engine at the batch size that it chooses
and with one row, and llama.cpp's server (`python -m llama_cpp.server` of another environment's PYTHON, pip install
'llama-cpp-python[server]==0.3.36'), which keeps the quantized blocks and writes one text at a time. The contenders take
turns; a `×` is the median of the ratios within the rounds.
"""

import argparse
import json
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median

import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional

from newwiki.decoding.grammar import parse
from newwiki.models.backend import Writing
from newwiki.models.engine.packed import PackedLinear
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Prompt

ENGINE = "float32, as the engine packs it"
ROWS = (1, 20, 160)
TOPICS = ("a village", "a footballer", "a river", "an asteroid", "a film", "a beetle", "a lawyer", "a railway station")
PROMPTS = [Prompt(number, f"Lorn is {topic} in the north of the country. It") for number, topic in enumerate(TOPICS)]
WAIT = 60  # seconds for the server to load the model
Product = Callable[[torch.Tensor], torch.Tensor]
Call = Callable[[], object]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--llama-cpp", help="the python of an environment with llama-cpp-python[server]")
    parser.add_argument("--tokens", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    console = Console(width=100, highlight=False)
    model = HuggingFaceModel(str(options.model), dtype="float32")
    console.print(_products_table(model, options.rounds))
    with _server(options.llama_cpp, options.model) as address:
        console.print(_texts_table(model, address, options.tokens, options.rounds))


def _products_table(model: HuggingFaceModel, rounds: int) -> Table:
    layers = [module for module in model._model.modules() if isinstance(module, PackedLinear)]
    table = Table(title="all matrix products of a step, and their speed beside the engine's", title_justify="left")
    table.add_column("products")
    for rows in ROWS:
        table.add_column(f"{rows} rows", justify="right")
    table.add_column("error", justify="right")
    kinds = {
        ENGINE: _engine,
        "float32": _float32,
        "bfloat16": _bfloat16,
        "int8 weights": _int8_weights,
        "int8 both": _int8_both,
    }
    products = {name: [make(layer) for layer in layers] for name, make in kinds.items()}
    seconds: dict[tuple[str, int], list[float]] = {(name, rows): [] for name in products for rows in ROWS}
    inputs = {rows: [torch.randn(rows, layer.in_features) for layer in layers] for rows in ROWS}
    with torch.inference_mode():
        for _ in range(rounds + 1):  # the first round warms up
            for (name, rows), taken in seconds.items():
                taken.append(_timed(partial(_step, products[name], inputs[rows])))
        last = torch.randn(ROWS[-1], layers[-1].in_features)
        exact = products[ENGINE][-1](last)
        for name in products:
            ratios = [_ratio(seconds[ENGINE, rows][1:], seconds[name, rows][1:]) for rows in ROWS]
            error = ((products[name][-1](last).float() - exact).abs().amax() / exact.abs().amax()).item()
            table.add_row(name, *(f"{ratio:.2f}" for ratio in ratios), f"{error:.1e}")
    return table


def _step(products: list[Product], inputs: list[torch.Tensor]) -> None:
    for product, rows in zip(products, inputs, strict=True):
        product(rows)


def _engine(layer: PackedLinear) -> Product:
    return layer


def _float32(layer: PackedLinear) -> Product:
    weight = layer.unpacked().weight
    return lambda rows: functional.linear(rows, weight)


def _bfloat16(layer: PackedLinear) -> Product:
    short = layer.unpacked().weight.bfloat16()
    return lambda rows: functional.linear(rows.bfloat16(), short)


def _int8_weights(layer: PackedLinear) -> Product:
    integers, scales = _quantized(layer.unpacked().weight)
    short = scales[:, 0].bfloat16()
    return lambda rows: torch._weight_int8pack_mm(rows.bfloat16(), integers, short)


def _int8_both(layer: PackedLinear) -> Product:
    integers, scales = _quantized(layer.unpacked().weight)
    columns, across = integers.t().contiguous(), scales.t()

    def product(rows: torch.Tensor) -> torch.Tensor:
        row_integers, row_scales = _quantized(rows)
        return torch._int_mm(row_integers, columns).float() * row_scales * across

    return product


def _quantized(matrix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return int8 numbers and a scale for each row (rows × 1)."""
    scales = matrix.abs().amax(1, keepdim=True).clamp(min=1e-12) / 127
    return (matrix / scales).round().to(torch.int8), scales


def _texts_table(model: HuggingFaceModel, address: str | None, tokens: int, rounds: int) -> Table:
    calls: dict[str, Callable[[], list[str]]] = {
        "engine, float32, all texts at once": lambda: _written(model, tokens, None),
        "engine, float32, one text at a time": lambda: _written(model, tokens, 1),
    }
    if address:
        calls["llama.cpp's server, blocks of the file"] = lambda: [_served(address, p.text, tokens) for p in PROMPTS]
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    texts: dict[str, list[str]] = {}
    for _ in range(rounds):
        for name, call in calls.items():
            started = time.perf_counter()
            texts[name] = call()
            seconds[name].append(time.perf_counter() - started)
    first, *_ = calls
    table = Table(title=f"{len(PROMPTS)} greedy texts of {tokens} tokens", title_justify="left")
    for heading in ("", "tokens/s", "× the engine", "same texts"):
        table.add_column(heading, justify="right" if heading else "left")
    for name in calls:
        same = sum(one.strip() == other.strip() for one, other in zip(texts[first], texts[name], strict=True))
        speed = len(PROMPTS) * tokens / median(seconds[name])
        table.add_row(name, f"{speed:.0f}", f"{_ratio(seconds[first], seconds[name]):.2f}", f"{same} of {len(PROMPTS)}")
    return table


def _written(model: HuggingFaceModel, tokens: int, batch_size: int | None) -> list[str]:
    writing = Writing(max_new_tokens=tokens, batch_size=batch_size)
    batches = model.complete([(prompt, 0) for prompt in PROMPTS], parse("greedy")[0], writing)
    texts: Mapping[int, str] = {written.page_id: written.text for batch in batches for written in batch}
    return [texts[prompt.page_id] for prompt in PROMPTS]


def _served(address: str, prompt: str, tokens: int) -> str:
    body = json.dumps({"prompt": prompt, "max_tokens": tokens, "temperature": 0, "repeat_penalty": 1}).encode()
    request = urllib.request.Request(f"{address}/v1/completions", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        text: str = json.load(response)["choices"][0]["text"]
    return text


@contextmanager
def _server(python: str | None, model: Path) -> Iterator[str | None]:
    """Run llama.cpp's server on a free port, and yield its address."""
    if not python:
        yield None
        return
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    threads = str(torch.get_num_threads())
    command = [python, "-m", "llama_cpp.server", "--model", str(model), "--port", str(port), "--n_threads", threads]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        address = f"http://127.0.0.1:{port}"
        try:
            _wait_for(address)
            yield address
        finally:
            server.terminate()


def _wait_for(address: str) -> None:
    until = time.monotonic() + WAIT
    while True:
        try:
            urllib.request.urlopen(f"{address}/v1/models").close()
            return
        except OSError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def _timed(call: Call) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def _ratio(base: list[float], others: list[float]) -> float:
    """Return how many times as fast as the base."""
    return median(one / other for one, other in zip(base, others, strict=True))


if __name__ == "__main__":
    main()
