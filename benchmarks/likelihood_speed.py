"""Measure how fast articles are read: the engine against `for text: model(input_ids)` with log_softmax, on one model.

    python benchmarks/likelihood_speed.py [--articles 1000] [--of-gpt2 12] [--rounds 3]

The articles are pieces of the sample wiki's articles, with lengths uniform from 200 to 1,000 tokens. They are read by
the toy checkpoint (2 layers, 1,024 tokens in its vocabulary). A number of them is also read by a model of GPT-2 small's
shape with random weights (12 layers, 50,257 tokens; GPT-2 XL's on a GPU), in float32. Min-K%++ uses the whole
vocabulary's distribution at each token, so it has a separate row.

The contenders take turns, each in a process of its own, so that its peak memory is its own. Loading the model and a
short warm-up are not timed. A `×` is the median of the ratios of processor time within the rounds; other work on the
machine affects processor time less than elapsed time. `apart` is the largest difference of a token's log p from the
plain loop's.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console
from rich.table import Table

CONTENDERS = {"plain": "for text: model(input_ids)", "engine": "engine", "min_k": "engine, with Min-K%++"}
SHAPES = {"toy": "the toy checkpoint", "gpt2": "GPT-2 small's shape, random weights"}
LENGTHS = (200, 1000)  # tokens
BATCH = 16_384  # tokens per call, as in an evaluation
Turn = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--articles", type=int, default=1000, help="that the toy reads")
    parser.add_argument("--of-gpt2", type=int, default=12, help="of them that GPT-2's shape reads")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--turn", nargs=4, metavar=("SHAPE", "WHO", "TOY", "OUT"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    counts = {"toy": options.articles, "gpt2": options.of_gpt2}
    if options.turn:
        shape, who, toy, out = options.turn
        print(json.dumps(_turn(shape, who, Path(toy), Path(out), counts[shape])))
        return
    console = Console(width=118, highlight=False)
    with tempfile.TemporaryDirectory() as folder:
        _train(Path(folder))
        for shape, title in SHAPES.items():
            flags = [f"--articles={options.articles}", f"--of-gpt2={options.of_gpt2}"]
            turns: dict[str, list[Turn]] = {who: [] for who in CONTENDERS}
            for _ in range(options.rounds if counts[shape] else 0):
                for who, of_one in turns.items():
                    asked = ["--turn", shape, who, str(Path(folder) / "toy"), str(Path(folder) / who)]
                    ran = [sys.executable, __file__, *flags, *asked]
                    told = subprocess.run(ran, check=True, stdout=subprocess.PIPE, text=True)
                    of_one.append(json.loads(told.stdout))
            if counts[shape]:
                console.print(_table(f"{title}: {counts[shape]:,} articles", turns, Path(folder)))


def _train(folder: Path) -> None:
    """Train the toy in a separate process, because a turn's peak memory begins with that of its parent."""
    code = (
        "import sys; from pathlib import Path; from sample_texts import articles; from newwiki.sample import toy; "
        "toy.train(articles(), Path(sys.argv[1]), steps=20)"
    )
    subprocess.run([sys.executable, "-c", code, str(folder / "toy")], check=True, cwd=Path(__file__).parent)


def _turn(shape: str, who: str, toy: Path, out: Path, count: int) -> Turn:
    import torch
    from random_models import build, peak_megabytes, prepare
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from newwiki.quiet import silence_transformers

    silence_transformers()
    texts = _texts(AutoTokenizer.from_pretrained(toy), count)
    model = build() if shape == "gpt2" else AutoModelForCausalLM.from_pretrained(toy).eval()
    if who != "plain":
        prepare(model)
    _read(who, model, texts[-2:])
    wall, processor = time.perf_counter(), time.process_time()
    numbers = _read(who, model, texts)
    taken = {"wall": time.perf_counter() - wall, "processor": time.process_time() - processor}
    torch.save([torch.tensor(one) for one in numbers], out)
    return {**taken, "tokens": sum(map(len, numbers)), "peak": peak_megabytes()}


def _texts(tokenizer: Any, count: int) -> list[list[int]]:
    """Return the token ids of `count` pieces of articles, the longest first."""
    from sample_texts import articles

    chance = random.Random(0)
    stream = [token for text in articles() for token in tokenizer(text)["input_ids"]]
    lengths = [chance.randint(*LENGTHS) for _ in range(count)]
    starts = [chance.randrange(len(stream) - length) for length in lengths]
    cut = [stream[start : start + length] for start, length in zip(starts, lengths, strict=True)]
    return sorted(cut, key=len, reverse=True)


def _read(who: str, model: Any, texts: list[list[int]]) -> list[list[float]]:
    if who == "plain":
        return [_plainly(model, text) for text in texts]
    from newwiki.models.engine.likelihood import read_texts

    step = BATCH // LENGTHS[1]
    return [
        one.log_probabilities
        for start in range(0, len(texts), step)
        for one in read_texts(model, texts[start : start + step], 1024, bos=False, standardised=who == "min_k")
    ]


def _plainly(model: Any, text: list[int]) -> list[float]:
    import torch

    with torch.inference_mode():
        tokens = torch.tensor([text], device=model.device)
        numbers = model(input_ids=tokens).logits.log_softmax(dim=-1)[0, :-1].gather(1, tokens[0, 1:, None])[:, 0]
    found: list[float] = numbers.tolist()
    return found


def _table(title: str, turns: dict[str, list[Turn]], folder: Path) -> Table:
    import torch

    table = Table(title=title, title_justify="left", box=None, padding=(0, 2, 0, 0))
    table.add_column("", no_wrap=True)
    for heading in ("tokens/s", "of processor", "×", "× clock", "peak MB", "apart"):
        table.add_column(heading, justify="right", no_wrap=True)
    plain = torch.cat(torch.load(folder / "plain"))
    for who, of_one in turns.items():
        ratios = {
            what: median(other[what] / one[what] for one, other in zip(of_one, turns["plain"], strict=True))
            for what in ("processor", "wall")
        }
        table.add_row(
            CONTENDERS[who],
            f"{median(one['tokens'] / one['wall'] for one in of_one):,.0f}",
            f"{median(one['tokens'] / one['processor'] for one in of_one):,.0f}",
            f"{ratios['processor']:.2f}",
            f"{ratios['wall']:.2f}",
            f"{median(one['peak'] for one in of_one):,.0f}",
            f"{float((torch.cat(torch.load(folder / who)) - plain).abs().max()):.1g}",
        )
    return table


if __name__ == "__main__":
    main()
