"""Measure how fast completions are written: the engine, transformers' `generate()`, CTranslate2, OpenVINO GenAI, vLLM.

    python benchmarks/generate_speed.py [--prompts 4] [--longest 96] [--rounds 3] [--only engine generate] [--shape …]

The model has GPT-2 small's shape and random weights (GPT-2 XL's on a GPU, or another that is named). Each prompt gets
20 completions, sampled with top_k=50. In the workload `mixed` each completion ends at its own length, uniform from a
twelfth of the longest to the longest, as texts do. In `equal` all have the longest length. Only tokens of completions
count, and not the padding with which `generate()` fills a row that has ended before the others of its batch.
`generate_contenders.py` describes how each contender runs. CTranslate2 and OpenVINO GenAI read the same weights, which
are converted first (`converted_models.py`). Nothing else needs these packages: pip install -c constraints.txt -e
'.[bench]'. vLLM has an environment of its own, which `.ci/vllm` makes (build/vllm). Contenders that cannot take part
are listed.

The contenders take turns, each in a process of its own, so that its peak memory is its own. Building or loading the
model and a short warm-up are not timed. All contenders except the engine are tried with 1, 2 and 4 prompts at once, and
the fastest number in the first round is kept. The engine uses the batch size that `--batch-size auto` chooses. Numbers
are medians over rounds, and a `×` is the median of the ratios within the rounds. `others` is the share of the processor
that other processes used meanwhile; above a few percent a row is unreliable. `of limit` is the share of the roofline.
The roofline is the lower of two bounds: the machine's best measured rate of operations (at any number of rows), and its
best rate of reading memory (with the contender's rows). At the end `step_parts.py` shows where the engine's time goes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

HERE = Path(__file__).parent
WORKLOADS = ("mixed", "equal")
MOST_AT_ONCE = 4
Result = dict[str, Any]  # numbers by name, see generate_turn.py


class Contender(NamedTuple):
    name: str
    dtype: str
    title: str
    at_once: tuple[int, ...] = (1, 2, MOST_AT_ONCE)  # numbers of prompts to try
    package: str = ""  # the package required in addition to the project's own dependencies
    source: str = "pip install -c constraints.txt -e '.[bench]'"  # what installs the package
    takes_gpu: bool = False


GENERATE = Contender("generate", "float32", "generate(), float32")
CTRANSLATE2 = Contender("ctranslate2", "float32", "CTranslate2, float32", package="ctranslate2")
CTRANSLATE2_INT8 = Contender("ctranslate2", "int8", "CTranslate2, int8", package="ctranslate2")
CONTENDERS = (
    GENERATE,
    Contender("generate", "bfloat16", "generate(), bfloat16"),
    CTRANSLATE2,
    CTRANSLATE2_INT8,
    Contender("openvino", "float32", "OpenVINO GenAI, float32", package="openvino_genai"),
    Contender("openvino", "bfloat16", "OpenVINO GenAI, bfloat16", package="openvino_genai"),
    Contender("vllm", "float32", "vLLM, float32", package="vllm", source=".ci/vllm", takes_gpu=True),
    Contender("vllm", "bfloat16", "vLLM, bfloat16", package="vllm", source=".ci/vllm", takes_gpu=True),
    Contender("engine", "float32", "engine, float32", at_once=(0,)),
    Contender("engine", "bfloat16", "engine, bfloat16", at_once=(0,)),
)
BASES = {"× generate()": GENERATE, "× CT2": CTRANSLATE2, "× CT2 int8": CTRANSLATE2_INT8}
Turns = dict[Contender, dict[int, list[Result]]]  # the turns of one workload, by prompts at once


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=4, help="best a multiple of 4, so that all batches are full")
    parser.add_argument("--longest", type=int, default=96, help="tokens of the longest completion")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=sorted({one.name for one in CONTENDERS}))
    parser.add_argument("--shape", help="gpt2, gpt2-xl or llama-1b; gpt2-xl on a GPU, gpt2 elsewhere")
    parser.add_argument("--layers", type=int, help="fewer layers than the shape has, for a first look")
    options = parser.parse_args()
    shape = [f"--{name}={getattr(options, name)}" for name in ("shape", "layers") if getattr(options, name)]
    size = [f"--prompts={options.prompts}", f"--longest={options.longest}", *shape]
    console = Console(width=118, highlight=False)
    asked = [one for one in CONTENDERS if not options.only or one.name in options.only]
    with tempfile.TemporaryDirectory() as folder:
        machine = [_run("generate_turn.py", "--machine", *size)]
        here = [one for one in asked if _takes_part(one, machine[0], Path(folder), shape, console)]
        turns: dict[str, Turns] = {
            workload: {one: {at_once: [] for at_once in one.at_once} for one in here} for workload in WORKLOADS
        }
        for number in range(1, options.rounds + 1):
            load = os.getloadavg()[0]
            console.print(
                f"round {number} of {options.rounds}; the load before is {load:.1f} on {os.cpu_count()} cores"
            )
            machine += [_run("generate_turn.py", "--machine", *size)] if number > 1 else []
            for one in here:
                for workload in WORKLOADS:
                    of_one = turns[workload][one]
                    for at_once in one.at_once if number == 1 else [_best(of_one)]:
                        flags = [f"--contender={one.name}", f"--dtype={one.dtype}", f"--at-once={at_once}"]
                        flags += [f"--workload={workload}", f"--models={folder}"]
                        of_one[at_once].append(_run("generate_turn.py", *flags, *size))
    best = _fastest(machine)
    for workload, of_all in turns.items():
        console.print()
        console.print(_table(workload, of_all, best))
        console.print(_tried(of_all))
    console.print(f"\n{_roofline(turns['equal'], best)}")
    for one in here:
        if one.name == "engine":
            console.print(f"\n{_run('step_parts.py', f'--dtype={one.dtype}', *size)['text']}")


def _takes_part(one: Contender, machine: Result, folder: Path, shape: Sequence[str], console: Console) -> bool:
    """Return whether a contender can take part, and convert its model; otherwise print the reason."""
    if not one.package:
        return True
    if not find_spec(one.package):
        reason = f"{one.source} has it"
    elif machine["device"] != "cpu" and not one.takes_gpu:
        reason = "it would run on the processor here, the others on the GPU"
    elif one.dtype == "bfloat16" and not machine["bfloat16_in_hardware"]:
        reason = "this processor has no bfloat16"
    else:
        command = [sys.executable, str(HERE / "converted_models.py"), one.name, one.dtype, str(folder), *shape]
        ran = subprocess.run(command, capture_output=True, text=True)
        reason = f"its conversion failed: {ran.stderr.strip().splitlines()[-1]}" if ran.returncode else ""
    if reason:
        console.print(f"{one.title} is left out: {reason}", markup=False)
    return not reason


def _run(program: str, *flags: str) -> Result:
    """Run a program in a process and return its result.

    This process stays small and does not import torch, because a process's peak memory begins with that of its parent.
    """
    command = [sys.executable, str(HERE / program), "--json", *flags]
    result: Result = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    return result


def _best(of_one: dict[int, list[Result]]) -> int:
    """Return the number of prompts at once that was fastest in the first round."""
    return max(of_one, key=lambda at_once: of_one[at_once][0]["speed"])


def _speeds(of_one: dict[int, list[Result]]) -> list[float]:
    return [result["speed"] for result in of_one[_best(of_one)]]


def _fastest(machine: Sequence[Result]) -> Result:
    """Return the best rates of all rounds, because on a shared machine few turns are undisturbed."""
    rates = {
        dtype: {rows: max(one["rates"][dtype][rows] for one in machine) for rows in of_rows}
        for dtype, of_rows in machine[0]["rates"].items()
    }
    return machine[0] | {"read": max(one["read"] for one in machine), "rates": rates}


def _table(workload: str, turns: Turns, machine: Result) -> Table:
    bases = {heading: _speeds(turns[base]) for heading, base in BASES.items() if base in turns}
    table = Table(title=f"{workload} lengths", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("rows", "tokens/s", "(range)", *bases, "peak MB", "of limit", "others"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one, of_one in turns.items():
        results, speeds = of_one[_best(of_one)], _speeds(of_one)
        limits = _limits(results[0], machine, one.dtype)
        others = [result["others"] for result in results if result["others"] is not None]
        table.add_row(
            one.title,
            str(results[0]["rows"]),
            f"{median(speeds):,.0f}",
            f"({min(speeds):,.0f} to {max(speeds):,.0f})",
            *(f"{_ratio(speeds, base):.2f}" for base in bases.values()),
            f"{median(result['peak'] for result in results):,.0f}",
            f"{median(speeds) / min(limits):.0%}" if limits else "-",
            f"{median(others):.0%}" if others else "-",
        )
    return table


def _tried(turns: Turns) -> str:
    """Return the speeds of the first round by the number of prompts at once, as text."""
    lines = ["First round, by prompts at once, tokens/s:"]
    for one, of_one in turns.items():
        if len(of_one) > 1:
            speeds = ", ".join(f"{at_once}: {results[0]['speed']:,.0f}" for at_once, results in of_one.items())
            lines.append(f"  {one.title}: {speeds}")
    return "\n".join(lines[len(lines) == 1 :])


def _ratio(speeds: Sequence[float], others: Sequence[float]) -> float:
    return median(speed / other for speed, other in zip(speeds, others, strict=True))


def _limits(result: Result, machine: Result, dtype: str) -> tuple[float, float] | None:
    """Return the tokens per second that the rate of operations and the rate of reading allow.

    Return None if the dtype was not measured.
    """
    if dtype not in machine["rates"]:
        return None
    read = (machine["weights"] / result["rows"] + machine["cached"]) * (4 if dtype == "float32" else 2)
    return max(machine["rates"][dtype].values()) / machine["operations"], machine["read"] / read


def _roofline(turns: Turns, machine: Result) -> str:
    lines = [
        f"The machine reads {machine['read'] / 1e9:,.1f} GB/s. It multiplies rows with the weights of all linear layers"
        " in turn at, in GFLOP/s:"
    ]
    for dtype, of_rows in machine["rates"].items():
        rates = ", ".join(f"{rows} rows {rate / 1e9:,.0f}" for rows, rate in of_rows.items())
        lines.append(f"  {dtype}: {rates}")
    lines += [
        f"A token takes {machine['operations'] / 1e6:,.0f} MFLOP of the model: 2 for each of its "
        f"{machine['weights'] / 1e6:,.0f} million weights, and attention.",
        "Limits in tokens/s:",
    ]
    for one, of_one in turns.items():
        result = of_one[_best(of_one)][0]
        if limits := _limits(result, machine, one.dtype):
            by_operations, by_reading = limits
            title = f"{one.title}, {result['rows']} rows"
            lines.append(f"  {title:40}{by_operations:8,.0f} by operations{by_reading:8,.0f} by reading")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
