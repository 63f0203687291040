"""Measure the time, size and speed of an index of a million sentences, compared with two other packages.

    pip install rank_bm25==0.2.2
    python benchmarks/evidence_speed.py [--sentences 1000000] [--queries 1000] [--into docs/evidence.md]

The sentences are invented. They have 8 to 32 words out of half a million, with frequencies by Zipf's law. A page has 40
sentences, and its title is two rare words. A query consists of half of the words of a sentence in another order, with
three other words. It is asked with the title of its page, as in a text about that page, and with a title that no page
has.

Every step is a separate process, which makes the sentences before the clock starts. The project's index is built and
queried. bm25s and rank_bm25's BM25Okapi, which hold everything in memory, index the same words; all return the best
five. Seconds are processor time of all threads, so that other work on the machine hardly affects them. Waiting for the
disk is not included.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from page_tables import table, written_into

from evaluators.claims.bm25 import K1, TOP, B, words
from evaluators.claims.evidence_index import EvidenceIndex
from evaluators.claims.index_builder import PageText, build

VOCABULARY, PAGE = 500_000, 40
RANKED = 20  # queries for rank_bm25, which takes seconds for each
SYLLABLES = [first + second for first in "bdfgklmnprstvz" for second in "aeiou"]


def word(rank: int) -> str:
    """Return a unique word for each rank; more common words are shorter."""
    syllables = []
    while rank >= 0:
        rank, one = divmod(rank, len(SYLLABLES))
        syllables.append(SYLLABLES[one])
        rank -= 1
    return "".join(syllables)


def made_pages(count: int) -> Iterator[tuple[str, list[str]]]:
    chance = np.random.default_rng(0)
    vocabulary = [word(rank) for rank in range(VOCABULARY)]
    shares = np.cumsum(1 / (np.arange(VOCABULARY) + 2.7))
    for start in range(0, count, PAGE):
        lengths = chance.integers(8, 33, min(PAGE, count - start))
        ranks = np.searchsorted(shares, chance.random(lengths.sum()) * shares[-1]).tolist()
        sentences = []
        for length in lengths.tolist():
            said, ranks = [vocabulary[rank] for rank in ranks[:length]], ranks[length:]
            sentences.append(f"{' '.join(said).capitalize()}.")
        first, second = chance.integers(VOCABULARY // 10, VOCABULARY, 2).tolist()
        yield f"{vocabulary[first].capitalize()} {vocabulary[second].capitalize()}", sentences


def made_queries(count: int, queries: int) -> list[tuple[str, str]]:
    """Return claims with the titles of the pages that they are about."""
    chance = random.Random(1)
    asked = set(chance.sample(range(count), min(queries, count)))
    found, place = [], 0
    for title, sentences in made_pages(count):
        for sentence in sentences:
            if place in asked:
                said = words(sentence)
                kept = chance.sample(said, len(said) // 2) + [word(int(chance.paretovariate(0.3))) for _ in range(3)]
                found.append((" ".join(kept), title))
            place += 1
    return found


def built(count: int, folder: Path) -> dict[str, Any]:
    pages: list[PageText] = list(made_pages(count))
    before, start = peak(), time.process_time()

    @contextmanager
    def stretch(title: str, unit: str) -> Iterator[Callable[[int, int], None]]:
        yield lambda done, total: None

    manifest = build(pages, folder, [], stretch)
    return {"build": time.process_time() - start, "bytes": manifest.size, "memory": peak() - before}


def asked(count: int, folder: Path) -> dict[str, Any]:
    claims = json.loads((folder.parent / "queries.json").read_text())
    start = time.process_time()
    index = EvidenceIndex.open(folder)
    opened = time.process_time() - start
    start = time.process_time()
    near = index.passages_of_texts([([claim], title) for claim, title in claims])
    near_rate = len(claims) / (time.process_time() - start)
    start = time.process_time()
    far = index.passages_of_texts([([claim], "") for claim, _ in claims])
    return {
        "open": opened,
        "near": near_rate,
        "far": len(claims) / (time.process_time() - start),
        "memory": peak(),
        "found": [[one.text for one in found] for [found] in far[:RANKED]],
        "own": sum(found[0].title == title for [found], (_, title) in zip(near, claims, strict=True)) / len(claims),
    }


def by_bm25s(count: int, folder: Path) -> dict[str, Any]:
    import bm25s

    sentences, claims = given(count, folder)
    before, start = peak(), time.process_time()
    package = bm25s.BM25(k1=K1, b=B, method="lucene", backend="numpy")
    package.index([words(one) for one in sentences], show_progress=False)
    seconds = time.process_time() - start
    start = time.process_time()
    found, _ = package.retrieve([words(claim) for claim, _ in claims], k=TOP, show_progress=False)
    far = len(claims) / (time.process_time() - start)
    best = [[sentences[place] for place in places] for places in found[:RANKED].tolist()]
    return {"build": seconds, "far": far, "memory": peak() - before, "found": best}


def by_rank_bm25(count: int, folder: Path) -> dict[str, Any]:
    from rank_bm25 import BM25Okapi

    sentences, claims = given(count, folder)
    before, start = peak(), time.process_time()
    package = BM25Okapi([words(one) for one in sentences], k1=K1, b=B)
    seconds = time.process_time() - start
    start = time.process_time()
    best = [package.get_top_n(words(claim), sentences, n=TOP) for claim, _ in claims[:RANKED]]
    far = min(RANKED, len(claims)) / (time.process_time() - start)
    return {"build": seconds, "far": far, "memory": peak() - before, "found": best}


def given(count: int, folder: Path) -> tuple[list[str], list[tuple[str, str]]]:
    sentences = [sentence for _, own in made_pages(count) for sentence in own]
    return sentences, json.loads((folder.parent / "queries.json").read_text())


def peak() -> float:
    """Return the peak memory of this process in MiB, including mapped files."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


STEPS: dict[str, Callable[[int, Path], dict[str, Any]]] = {
    "built": built, "asked": asked, "bm25s": by_bm25s, "rank_bm25": by_rank_bm25,
}  # fmt: skip


def measured(step: str, count: int, folder: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--step", step, "--folder", str(folder), "--sentences", str(count)]
    said: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)
    print(f"{step}: { ({name: one for name, one in said.items() if name != 'found'}) }", file=sys.stderr)
    return said


def shown(count: int, found: dict[str, dict[str, Any]]) -> str:
    ours = {**found["asked"], **found["built"]}
    heads = [f"{count:,} sentences", "built in", "memory to build", "on the disk", "queries a second", "memory to ask"]
    rows = [[
        "newwiki evidence", f"{ours['build']:.0f} s", f"{ours['memory']:,.0f} MiB", f"{ours['bytes'] / 1e6:,.0f} MB",
        f"{ours['near']:,.0f} with the page's title, {ours['far']:,.0f} without",
        f"{found['asked']['memory']:,.0f} MiB",
    ]]  # fmt: skip
    for name in ("bm25s", "rank_bm25"):
        one = found[name]
        rate = f"{one['far']:,.0f}" if one["far"] >= 10 else f"{one['far']:.2g}"
        rows.append([name, f"{one['build']:.0f} s", "", "", f"{rate} (no titles)", f"{one['memory']:,.0f} MiB"])
    return table(heads, rows)


def agreement(one: Sequence[Sequence[str]], other: Sequence[Sequence[str]]) -> float:
    """Return the share of the best five that two rankings have in common."""
    pairs = list(zip(one, other, strict=True))
    return sum(len(set(first) & set(second)) for first, second in pairs) / sum(len(set(first)) for first, _ in pairs)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sentences", type=int, default=1_000_000)
    parser.add_argument("--queries", type=int, default=1_000)
    parser.add_argument("--into", type=Path)
    parser.add_argument("--step", choices=STEPS)
    parser.add_argument("--folder", type=Path)
    given = parser.parse_args()
    if given.step:
        print(json.dumps(STEPS[given.step](given.sentences, given.folder)))
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "index"
        (Path(place) / "queries.json").write_text(json.dumps(made_queries(given.sentences, given.queries)))
        found = {step: measured(step, given.sentences, folder) for step in STEPS}
    for name in ("bm25s", "rank_bm25"):
        share = agreement(found["asked"]["found"], found[name]["found"])
        print(f"{share:.0%} of the best five are those of {name}")
    print(
        f"opened in {found['asked']['open']:.2f} s; {found['asked']['own']:.0%} of the first passages on the page asked"
    )
    lines = shown(given.sentences, found)
    print(lines)
    if given.into:
        given.into.write_text(written_into(given.into.read_text("utf-8"), "evidence", {"speed": lines}), "utf-8")


if __name__ == "__main__":
    main()
