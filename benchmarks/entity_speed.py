"""Measure how fast named entities are found, before and after, and where a scoring spends its time.

    python benchmarks/entity_speed.py [--articles FILE.json] [--pages 60] [--rounds 3] [--entities NAME]

The file is a JSON list of texts; without it, the sample wiki's articles are used. Each page has 11 texts of 120 words,
cut from other articles, and its reference is the whole article. Two contenders take turns on the same texts:

before   one process, one `nlp.pipe` over all texts, with the components that entities depend on
after    this project's tagger: equal texts once, in one process per core, matrices multiplied by NumPy

Both must find equal entities. A ratio compares turns of the same round. The first round includes the start of the
processes; the table shows it apart. At the end, the core metrics score all texts once, and the table shows how the time
divides among models and evaluators.
"""

import argparse
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table
from score_speed import Texts, _articles, _ours

from evaluators.entities import DEFAULT_TAGGER, load_entity_pipeline, load_tagger
from evaluators.installed_pipelines import load_pipeline
from evaluators.scoring import select
from evaluators.spacy_pipeline import documents
from flows.scoring.loaded_evaluators import LoadedEvaluators
from newwiki.quiet import silence_transformers
from newwiki.settings import Settings

if TYPE_CHECKING:
    from spacy.language import Language

SYSTEMS, WORDS = 11, 120
Finder = Callable[[Sequence[str]], list[list[str]]]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--articles", type=Path)
    parser.add_argument("--pages", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--entities", default=DEFAULT_TAGGER)
    options = parser.parse_args()
    silence_transformers()
    work = _work(_articles(options.articles), options.pages)
    console = Console()
    console.print(_compared(work, options.entities, options.rounds))
    console.print(_shares(work, options.entities))


def _work(articles: Sequence[str], pages: int) -> Texts:
    chance = random.Random(0)
    words = [article.split(" ") for article in articles]
    references = [articles[page % len(articles)] for page in range(pages)]

    def text(page: int, system: int) -> str:
        whole = words[(page + 7 * system + 1) % len(words)]
        start = chance.randrange(len(whole) - WORDS)
        return " ".join(whole[start : start + WORDS])

    return Texts(references, [[text(page, system) for system in range(SYSTEMS)] for page in range(pages)])


def _compared(work: Texts, entities: str, rounds: int) -> Table:
    tagger = load_tagger(entities)
    pipeline = entities.removeprefix("spacy:")
    nlp = load_pipeline(pipeline)
    nlp.select_pipes(enable=load_entity_pipeline(pipeline).pipe_names)
    texts = [text for texts in work.completions for text in texts]
    ways: dict[str, Finder] = {"before": lambda texts: _alone(nlp, texts), "after": tagger.tag}
    ratios = []
    for number in range(rounds):
        turns = {way: _timed(ways[way], texts) for way in sorted(ways, reverse=number % 2 == 0)}
        (before, found_before), (after, found_after) = turns["before"], turns["after"]
        if found_before != found_after:
            raise SystemExit("the entities differ")
        ratios.append((before, after, before / after))
    table = Table(title=f"{len(texts)} texts by {tagger.model}, equal entities", title_justify="left")
    for heading in ("", "before, s", "after, s", "before / after"):
        table.add_column(heading, justify="right" if heading else "left")
    for name, rows in (("first round, with the start of processes", ratios[:1]), ("later rounds", ratios[1:])):
        if rows:
            table.add_row(name, *(f"{median(column):.2f}" for column in zip(*rows, strict=True)))
    return table


def _timed(find: Finder, texts: Sequence[str]) -> tuple[float, list[list[str]]]:
    start = time.perf_counter()
    found = find(texts)
    return time.perf_counter() - start, found


def _alone(nlp: "Language", texts: Sequence[str]) -> list[list[str]]:
    with documents(nlp, texts) as read:
        return [
            [text[entity.start_char : entity.end_char] for entity in document.ents]
            for text, document in zip(texts, read, strict=True)
        ]


def _shares(work: Texts, entities: str) -> Table:
    loaded = LoadedEvaluators(select("core"), Settings(entities=entities))
    whole = _ours(work, loaded)
    table = Table(title=f"Core metrics of these texts and {len(work.references)} articles: {whole:.1f} s")
    table.add_column("model or evaluator")
    table.add_column("seconds", justify="right")
    table.add_column("share", justify="right")
    for name, seconds in sorted(loaded.seconds.items(), key=lambda entry: -entry[1]):
        table.add_row(name, f"{seconds:.2f}", f"{seconds / whole:.0%}")
    table.add_row("database, counts and the rest", f"{whole - sum(loaded.seconds.values()):.2f}", "")
    return table


if __name__ == "__main__":
    main()
