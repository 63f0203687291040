"""How fast completions are written: our engine against transformers' `generate()`, on one model in one run.

    python benchmarks/generate_speed.py [--prompts 8] [--longest 64] [--rounds 3]

The model has GPT-2 small's shape and random weights (GPT-2 XL's on a GPU), and 20 completions of each prompt are
sampled with top_k=50. In the workload `mixed` each completion ends at a length of its own, uniform from a twelfth of
the longest to the longest, as texts do; in `equal` all are the longest. Only tokens of completions count: not what
`generate()` pads a row with that has ended before the others of its batch.

The contenders take turns, each turn in a process of its own, so that its peak memory is its own; building the model
and a short warm-up are not timed. A number is a median over rounds, and a `×` the median of the ratios within each
round, so that a busy machine slows both sides. `of limit` is the share of the roofline: of what the machine's best
measured rates of operations and of reading memory allow at that batch size, whichever allows less.
"""

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

TURN = Path(__file__).with_name("generate_turn.py")
WORKLOADS = ("mixed", "equal")
Result = dict[str, float]


class Contender(NamedTuple):
    title: str
    dtype: str = "float32"
    at_once: int | None = None  # prompts in each call of generate(); the engine has none


ONE = Contender("generate(), 1 prompt at once", at_once=1)
BATCHES = (Contender("generate(), 2 prompts at once", at_once=2), Contender("generate(), 4 prompts at once", at_once=4))
CONTENDERS = (ONE, *BATCHES, Contender("engine, float32"), Contender("engine, bfloat16", "bfloat16"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prompts", type=int, default=8)
    parser.add_argument("--longest", type=int, default=64, help="tokens of the longest completion")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, help="fewer layers than the shape has, for a first look")
    options = parser.parse_args()
    size = [f"--prompts={options.prompts}", f"--longest={options.longest}"]
    size += [f"--layers={options.layers}"] if options.layers else []
    console = Console(width=118, highlight=False)
    machine: list[Result] = []
    results: dict[str, dict[Contender, list[Result]]] = {of: {one: [] for one in CONTENDERS} for of in WORKLOADS}
    for number in range(1, options.rounds + 1):
        load = os.getloadavg()[0]
        console.print(f"round {number} of {options.rounds}; the load before is {load:.1f} on {os.cpu_count()} cores")
        machine.append(_turn([*size, "--machine"]))
        for workload in WORKLOADS:
            for one in CONTENDERS:
                results[workload][one].append(_turn([*size, f"--workload={workload}", *_flags(one)]))
    best = {what: max(one[what] for one in machine) for what in machine[0]}
    for workload in WORKLOADS:
        console.print()
        console.print(_table(workload, results[workload], best))
    console.print(f"\n{_roofline(results['mixed'], best)}")


def _flags(one: Contender) -> list[str]:
    return [f"--dtype={one.dtype}", *([f"--at-once={one.at_once}"] if one.at_once else [])]


def _turn(flags: Sequence[str]) -> Result:
    """This process stays small and without torch: a process' peak memory begins with that of its parent."""
    ran = subprocess.run([sys.executable, str(TURN), *flags], check=True, stdout=subprocess.PIPE, text=True)
    result: Result = json.loads(ran.stdout)
    return result


def _table(workload: str, results: dict[Contender, list[Result]], machine: Result) -> Table:
    speeds = {one: [result["speed"] for result in of_one] for one, of_one in results.items()}
    best_batch = max(BATCHES, key=lambda one: median(speeds[one]))
    table = Table(title=f"{workload} lengths", title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("")
    for heading in ("tokens/s", "(range)", "× 1 prompt", "× best batch", "peak MB", "of limit"):
        table.add_column(heading, justify="right")
    for one, of_one in results.items():
        table.add_row(
            one.title + (" (best)" if one is best_batch else ""),
            f"{median(speeds[one]):,.0f}",
            f"({min(speeds[one]):,.0f} to {max(speeds[one]):,.0f})",
            f"{_ratio(speeds[one], speeds[ONE]):.2f}",
            f"{_ratio(speeds[one], speeds[best_batch]):.2f}",
            f"{median(result['peak'] for result in of_one):,.0f}",
            f"{median(speeds[one]) / min(_limits(of_one[0], machine, one.dtype)):.0%}",
        )
    return table


def _ratio(speeds: Sequence[float], others: Sequence[float]) -> float:
    return median(speed / other for speed, other in zip(speeds, others, strict=True))


def _limits(result: Result, machine: Result, dtype: str) -> tuple[float, float]:
    """Tokens a second that the rate of operations allows, and the rate of reading."""
    read = (result["weights"] / result["rows"] + result["cached"]) * (4 if dtype == "float32" else 2)
    return machine[dtype] / result["operations"], machine["read"] / read


def _roofline(results: dict[Contender, list[Result]], machine: Result) -> str:
    first = results[ONE][0]
    lines = [
        f"The machine reads {machine['read'] / 1e9:,.1f} GB/s, and multiplies 96 rows with a matrix at "
        f"{machine['float32'] / 1e9:,.0f} GFLOP/s in float32 and {machine['bfloat16'] / 1e9:,.0f} in bfloat16.",
        f"A token takes {first['operations'] / 1e6:,.0f} MFLOP of the model: 2 for each of its "
        f"{first['weights'] / 1e6:,.0f} million weights, and attention.",
    ]
    for one, of_one in results.items():
        by_operations, by_reading = _limits(of_one[0], machine, one.dtype)
        rows = f"{of_one[0]['rows']:.0f} rows"
        lines.append(
            f"  limit of {one.title + ', ' + rows:42} {by_operations:8,.0f} tokens/s by operations, "
            f"{by_reading:8,.0f} by reading"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
