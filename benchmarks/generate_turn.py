"""Run a contender's turn for `generate_speed.py`, which starts this script and reads the JSON that it prints."""

import argparse
import json
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import generate_contenders
import machine_speed
import random_models
import torch
from generate_contenders import COMPLETIONS, Write

WARM_UP = 3  # tokens
DTYPES = ("float32", "bfloat16")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true", help="as it always is")
    parser.add_argument("--machine", action="store_true", help="measure the machine instead")
    parser.add_argument("--contender", choices=sorted(generate_contenders.CONTENDERS))
    parser.add_argument("--dtype", choices=(*DTYPES, "int8"), default="float32")
    parser.add_argument("--at-once", type=int, help="prompts in a batch; the engine takes what `auto` would")
    parser.add_argument("--workload", choices=("mixed", "equal"))
    parser.add_argument("--models", type=Path, help="the folder of what was converted")
    parser.add_argument("--prompts", type=int, required=True)
    parser.add_argument("--longest", type=int, required=True)
    random_models.add_arguments(parser)
    options = parser.parse_args()
    print(json.dumps(_machine(options) if options.machine else _turn(options)))


def _machine(options: argparse.Namespace) -> dict[str, Any]:
    prompts = random_models.prompts(options.prompts)
    context = sum(map(len, prompts)) / len(prompts) + options.longest / 2
    shape = random_models.asked_for(options)
    model = random_models.build(shape=shape)
    operations, weights, cached = random_models.operations_and_values(model, context)
    del model
    return {
        "device": random_models.DEVICE,
        "bfloat16_in_hardware": torch.ops.mkldnn._is_mkldnn_bf16_supported(),
        "read": machine_speed.read_bandwidth(),
        "rates": {dtype: machine_speed.matrix_rates(getattr(torch, dtype), shape) for dtype in DTYPES},
        "operations": operations,
        "weights": weights,
        "cached": cached,
    }


def _turn(options: argparse.Namespace) -> dict[str, float | None]:
    prompts = random_models.prompts(options.prompts)
    setup = generate_contenders.Setup(
        dtype=options.dtype,
        at_once=options.at_once,
        prompts=options.prompts,
        length=max(map(len, prompts)) + options.longest,
        shape=random_models.asked_for(options),
        models=options.models,
    )
    rows, write = generate_contenders.CONTENDERS[options.contender](setup)
    first = prompts[: options.at_once or 1]
    write(first, [[WARM_UP] * COMPLETIONS] * len(first))
    shortest = max(1, options.longest // 12) if options.workload == "mixed" else options.longest
    return {"rows": rows, **_measured(write, prompts, _lengths(options.prompts, shortest, options.longest))}


def _measured(
    write: Write, prompts: Sequence[Sequence[int]], lengths: Sequence[Sequence[int]]
) -> dict[str, float | None]:
    start, busy, own = time.perf_counter(), random_models.busy_seconds(), time.process_time()
    written = write(prompts, lengths)
    seconds, own = time.perf_counter() - start, time.process_time() - own
    busy_after = random_models.busy_seconds()
    others = None
    if busy is not None and busy_after is not None:
        others = max(0.0, busy_after - busy - own) / (seconds * (os.cpu_count() or 1))
    return {"speed": written / seconds, "peak": random_models.peak_megabytes(), "others": others}


def _lengths(prompts: int, shortest: int, longest: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(2)
    lengths: list[list[int]] = torch.randint(
        shortest, longest + 1, (prompts, COMPLETIONS), generator=generator
    ).tolist()
    return lengths


if __name__ == "__main__":
    main()
