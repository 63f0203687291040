"""How fast completions are written: our engine against transformers' `generate()`, on one model in one run.

    python benchmarks/generate_speed.py [--prompts 8] [--longest 32] [--rounds 3]

The model has GPT-2 small's shape and random weights (GPT-2 XL's on a GPU), and 20 completions of each prompt are
sampled with top_k=50. In the workload `mixed` each completion ends at a length of its own, uniform from a twelfth of
the longest to the longest, as texts do; in `equal` all are the longest. Only tokens of completions count: not what
`generate()` pads a row with that has ended before the others of its batch. The longer the completions, the further
`generate()` falls behind, as it copies its whole cache for each token: the default is short to be quick.

The contenders take turns, each turn in a process of its own, so that its peak memory is its own; building the model
and a short warm-up are not timed. Numbers are medians over rounds, and a `×` is the median of the ratios within the
rounds; of the static batches only the faster one goes on after the first round. `others` is the share of the processor
that other processes took meanwhile: with more than a few percent a row says little. `of limit` is the share of the
roofline: of what the machine's best measured rates of operations and of reading memory allow at that batch size,
whichever allows less.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from rich.console import Console
from rich.table import Table

TURN = Path(__file__).with_name("generate_turn.py")
WORKLOADS = ("mixed", "equal")
Result = dict[str, Any]  # numbers by name, see generate_turn.py


class Contender(NamedTuple):
    title: str
    dtype: str = "float32"
    at_once: int | None = None  # prompts in each call of generate(); the engine has none


ONE = Contender("generate(), 1 prompt at once", at_once=1)
BATCHES = (Contender("generate(), 2 prompts at once", at_once=2), Contender("generate(), 4 prompts at once", at_once=4))
CONTENDERS = (ONE, *BATCHES, Contender("engine, float32"), Contender("engine, bfloat16", "bfloat16"))
Turns = dict[Contender, list[dict[str, Result]]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=8, help="best a multiple of 4, so that all batches are full")
    parser.add_argument("--longest", type=int, default=32, help="tokens of the longest completion")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, help="fewer layers than the shape has, for a first look")
    options = parser.parse_args()
    size = [f"--prompts={options.prompts}", f"--longest={options.longest}"]
    size += [f"--layers={options.layers}"] if options.layers else []
    console = Console(width=118, highlight=False)
    machine: list[Result] = []
    turns: Turns = {one: [] for one in CONTENDERS}
    for number in range(1, options.rounds + 1):
        load = os.getloadavg()[0]
        console.print(f"round {number} of {options.rounds}; the load before is {load:.1f} on {os.cpu_count()} cores")
        machine.append(_turn([*size, "--machine"]))
        for one in CONTENDERS:
            if number == 1 or one not in BATCHES or one == _best_batch(turns):
                turns[one].append(_turn([*size, *_flags(one)]))
    best = {what: max(one[what] for one in machine) for what in machine[0]}
    for workload in WORKLOADS:
        results = {one: [turn[workload] for turn in of_one] for one, of_one in turns.items()}
        console.print()
        console.print(_table(workload, results, _best_batch(turns), best))
    console.print(f"\n{_roofline(turns, best)}")


def _flags(one: Contender) -> list[str]:
    return [f"--dtype={one.dtype}", *([f"--at-once={one.at_once}"] if one.at_once else [])]


def _turn(flags: Sequence[str]) -> dict[str, Any]:
    """This process stays small and without torch: a process' peak memory begins with that of its parent."""
    ran = subprocess.run([sys.executable, str(TURN), *flags], check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, Any] = json.loads(ran.stdout)
    return result


def _best_batch(turns: Turns) -> Contender:
    """The faster one in the first round, over both workloads."""
    return max(BATCHES, key=lambda one: sum(turns[one][0][workload]["speed"] for workload in WORKLOADS))


def _table(workload: str, results: dict[Contender, list[Result]], batch: Contender, machine: Result) -> Table:
    speeds = {one: [result["speed"] for result in of_one] for one, of_one in results.items()}
    table = Table(title=f"{workload} lengths", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("tokens/s", "(range)", "× 1 prompt", "× best batch", "peak MB", "of limit", "others"):
        table.add_column(heading, justify="right", no_wrap=True)
    for one, of_one in results.items():
        others = [result["others"] for result in of_one if result["others"] is not None]
        table.add_row(
            one.title + (" (best)" if one == batch else ""),
            f"{median(speeds[one]):,.0f}",
            f"({min(speeds[one]):,.0f} to {max(speeds[one]):,.0f})",
            f"{_ratio(speeds[one], speeds[ONE]):.2f}",
            f"{_ratio(speeds[one], speeds[batch]):.2f}",
            f"{median(result['peak'] for result in of_one):,.0f}",
            f"{median(speeds[one]) / min(_limits(of_one[0], machine, one.dtype)):.0%}",
            f"{median(others):.0%}" if others else "-",
        )
    return table


def _ratio(speeds: Sequence[float], others: Sequence[float]) -> float:
    """A contender that left has fewer rounds."""
    return median(speed / other for speed, other in zip(speeds, others, strict=False))


def _limits(result: Result, machine: Result, dtype: str) -> tuple[float, float]:
    """Tokens a second that the rate of operations allows, and the rate of reading."""
    read = (result["weights"] / result["rows"] + result["cached"]) * (4 if dtype == "float32" else 2)
    return machine[dtype] / result["operations"], machine["read"] / read


def _roofline(turns: Turns, machine: Result) -> str:
    shape = turns[ONE][0]["equal"]
    lines = [
        f"The machine reads {machine['read'] / 1e9:,.1f} GB/s, and multiplies 96 rows with a matrix at "
        f"{machine['float32'] / 1e9:,.0f} GFLOP/s in float32 and {machine['bfloat16'] / 1e9:,.0f} in bfloat16.",
        f"A token takes {shape['operations'] / 1e6:,.0f} MFLOP of the model: 2 for each of its "
        f"{shape['weights'] / 1e6:,.0f} million weights, and attention.",
        "Limits in tokens/s:",
    ]
    for one, of_one in turns.items():
        result = of_one[0]["equal"]
        by_operations, by_reading = _limits(result, machine, one.dtype)
        title = f"{one.title}, {result['rows']} rows"
        lines.append(f"  {title:40}{by_operations:8,.0f} by operations{by_reading:8,.0f} by reading")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
