"""Measure the share of a run's tokens that a replay confirms, for honest runs and for runs of another origin.

    python benchmarks/replay.py [--model FOLDER] [--prompts 6] [--tokens 48] [--into docs/submit.md]

The toy, or a named model, continues the first sentences of the sample wiki's articles under several decoders. Every
completion is replayed with that model by one pass over its text (`newwiki bundle check --spot`). `chosen` is the share
of tokens that the decoder chooses itself, `within` the share that it chooses if logits move by the tolerance, and
`confirmed` the sum of both. `least` is the smallest share of a single completion. `passes` compares them with the
requirements of `newwiki bundle check` (`flows/bundles/replay.py`). `cost` is the time of the replay as a share of the
time of generating the same completions just before, in batches of 16.

The other origins are texts of the same checkpoint after one and after 20 small steps of training on the articles, texts
that are copied from the articles, and texts that were drawn with another seed.
"""

import argparse
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import page_tables
import sample_texts
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from flows.bundles.replay import DEMANDS
from newwiki.decoding.grammar import parse
from newwiki.models.backend import Writing
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.records import Completion, Prompt
from newwiki.text.words import split_words

DECODERS = ("greedy", "sample", "sample:top_k=50,temperature=0.8", "sample:top_p=0.9")
BATCH = 16
HEADS = ["run", "dtype", "tokens", "chosen", "within", "confirmed", "least", "passes", "cost"]

Texts = dict[str, list[Completion]]


@dataclass(frozen=True)
class Bench:
    """A model in every dtype, with its prompts and settings."""

    models: dict[str, HuggingFaceModel]
    prompts: Sequence[Prompt]
    writing: Writing

    def written(self, model: HuggingFaceModel, **changes: Any) -> tuple[Texts, float]:
        """Return by decoder the texts that the model writes, and the seconds taken."""
        writing, start = replace(self.writing, **changes), time.perf_counter()
        requests = [(prompt, sample) for prompt in self.prompts for sample in range(2)]
        texts = {
            spec: [one for batch in model.complete(requests, parse(spec)[0], writing) for one in batch]
            for spec in DECODERS
        }
        return texts, time.perf_counter() - start

    def row(self, name: str, dtype: str, texts: Texts, generating: float | None = None) -> list[str]:
        """Replay the texts under their decoders with the first seed, and return the row of the table."""
        demand, of_page, start = DEMANDS[dtype], {one.page_id: one for one in self.prompts}, time.perf_counter()
        verdicts = [
            verdict
            for spec, written in texts.items()
            for verdict in self.models[dtype].replay(
                [(of_page[one.page_id], one) for one in written], parse(spec)[0], self.writing, demand.tolerance
            )
        ]
        took = time.perf_counter() - start
        total, exact = sum(one.total for one in verdicts), sum(one.exact for one in verdicts)
        within = sum(one.within for one in verdicts)
        least = min(one.confirmed / one.total for one in verdicts)
        passes = (exact + within) / total >= demand.replayed and least >= demand.each
        shares = [f"{share:.2%}" for share in (exact / total, within / total, (exact + within) / total, least)]
        cost = f"{took / generating:.2f}" if generating else ""
        row = [name, dtype, f"{total:,}", *shares, "yes" if passes else "no", cost]
        print(", ".join(row), file=sys.stderr, flush=True)
        return row


def measured(
    bench: Bench, further: Mapping[int, Mapping[str, HuggingFaceModel]], articles: Mapping[int, str]
) -> list[list[str]]:
    """Return the rows of the table; `further` has the models after a number of training steps."""
    rows = []
    for dtype, model in bench.models.items():
        rows.append(bench.row("honest", dtype, *bench.written(model)))
        rows.append(bench.row("honest, one completion a batch", dtype, bench.written(model, batch_size=1)[0]))
    threads = torch.get_num_threads()
    torch.set_num_threads(1 if threads > 1 else 2)
    other_threads = {dtype: bench.written(model)[0] for dtype, model in bench.models.items()}
    torch.set_num_threads(threads)
    rows += [bench.row("honest, another number of threads", dtype, texts) for dtype, texts in other_threads.items()]
    texts = bench.written(bench.models["float32"])[0]
    rows += [bench.row("honest in float32", dtype, texts) for dtype in bench.models if dtype != "float32"]
    for dtype, model in bench.models.items():
        rows.append(bench.row("another seed", dtype, without_greedy(bench.written(model, seed=1)[0])))
        rows.append(bench.row("copied from the articles", dtype, copied(bench, model, articles)))
    for steps, models in further.items():
        for dtype, model in models.items():
            name = f"a checkpoint after {steps} more {'step' if steps == 1 else 'steps'}"
            rows.append(bench.row(name, dtype, bench.written(model)[0]))
    return rows


def without_greedy(texts: Texts) -> Texts:
    """Remove the texts of greedy search, which has no seed."""
    return {spec: written for spec, written in texts.items() if spec != "greedy"}


def copied(bench: Bench, model: HuggingFaceModel, articles: Mapping[int, str]) -> Texts:
    most, made = bench.writing.max_new_tokens, []
    for prompt in bench.prompts:
        ids = tuple(model.tokens(articles[prompt.page_id].removeprefix(prompt.text))[:most])
        if len(ids) == most:
            text = model.text(ids)
            words = len(split_words(text))
            made.append(Completion(prompt.page_id, 0, text, most, words, "length", truncated=True, token_ids=ids))
    return dict.fromkeys(DECODERS, made)


def trained_further(checkpoint: Path, folder: Path, texts: Sequence[str], steps: int) -> Path:
    """Copy a checkpoint and train it with AdamW at a learning rate of 1e-4 on the beginnings of texts."""
    shutil.copytree(checkpoint, folder)
    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    for _ in range(steps):
        for text in texts:
            tokens = torch.tensor([tokenizer(text)["input_ids"][:128]])
            model(input_ids=tokens, labels=tokens).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    model.save_pretrained(folder)
    return folder


def loaded(checkpoint: Path) -> dict[str, HuggingFaceModel]:
    return {dtype: HuggingFaceModel(str(checkpoint), dtype=dtype, device="cpu") for dtype in DEMANDS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", help="a checkpoint's folder; without one the toy is trained")
    parser.add_argument("--prompts", type=int, default=6)
    parser.add_argument("--tokens", type=int, default=48)
    parser.add_argument("--into", type=Path, help="a page to write the table into")
    asked = parser.parse_args()
    texts = sample_texts.articles()
    some = {page: text for page, text in enumerate(texts) if len(split_words(text)) > asked.tokens}
    articles = dict([*some.items()][: asked.prompts])
    prompts = [Prompt(page, " ".join(split_words(text)[:12])) for page, text in articles.items()]
    known = nullcontext(Path(asked.model)) if asked.model else sample_texts.toy_checkpoint(200)
    with known as checkpoint, TemporaryDirectory() as folder:
        further = {
            steps: loaded(trained_further(checkpoint, Path(folder) / str(steps), [*some.values()][:20], steps))
            for steps in (1, 20)
        }
        bench = Bench(loaded(checkpoint), prompts, Writing(max_new_tokens=asked.tokens, batch_size=BATCH))
        lines = page_tables.table(HEADS, measured(bench, further, articles))
    print(lines)
    if asked.into:
        page = asked.into.read_text("utf-8")
        asked.into.write_text(page_tables.written_into(page, "bench-replay", {"shares": lines}), "utf-8")


if __name__ == "__main__":
    main()
