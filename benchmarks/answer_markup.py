"""Measure what Markdown does to the scores of an answer, and whether cleaning undoes it.

    python benchmarks/answer_markup.py ARTICLES.json... [--texts 60]

Each file is a JSON list of articles as plain text. The paragraphs of at least 25 words of an article are the reference,
and every second of them is the answer. The same answer is then written as a chat model writes: with an opening remark,
a title, a heading above each paragraph, bold names, a list, a table and a closing remark. It prints mean scores.
"""

import argparse
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from rich.console import Console
from rich.table import Table

from evaluators.analysis import Analyst
from evaluators.entities import load_tagger
from evaluators.scoring import needs_of, select
from newwiki.text.answers import CLEANING, prose_of_answer
from newwiki.text.language import load_language

METRICS = "flesch_reading_ease,gunning_fog,distinct_2,rep_4,entity_overlap,information_density"
HEADINGS = ["Overview", "Background", "Early history", "Development", "Reception", "Legacy", "Impact", "Later years"]
_NAME = re.compile(r"\b[A-Z][a-z]+(?: [A-Z][a-z]+)+")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("articles", type=Path, nargs="+")
    parser.add_argument("--texts", type=int, default=60)
    options = parser.parse_args()
    english = load_language("en")
    read = [_paragraphs(text) for file in options.articles for text in json.loads(file.read_text("utf-8"))]
    articles = [paragraphs for paragraphs in read if len(paragraphs) >= 6][: options.texts]
    references = ["\n\n".join(paragraphs) for paragraphs in articles]
    plain = ["\n\n".join(paragraphs[::2]) for paragraphs in articles]
    marked = [_as_chat(paragraphs[::2]) for paragraphs in articles]
    cleaned = [prose_of_answer(text, english) for text in marked]
    variants = {"plain prose": plain, "Markdown": marked, f"Markdown, {CLEANING}": cleaned}
    same = sum(one == other for one, other in zip(plain, cleaned, strict=True))
    table = Table(title=f"{len(plain)} answers; {same} are the plain prose again after cleaning")
    table.add_column("metric")
    scores = {name: _means(texts, references) for name, texts in variants.items()}
    for name in variants:
        table.add_column(name, justify="right")
    for metric in METRICS.split(","):
        table.add_row(metric, *(f"{scores[name][metric]:.4f}" for name in variants))
    Console().print(table)


def _paragraphs(article: str) -> list[str]:
    lines = (" ".join(line.split()) for line in article.split("\n"))
    return [line for line in lines if line.count(" ") >= 24 and line.endswith(".")]


def _as_chat(paragraphs: Sequence[str]) -> str:
    names = list(dict.fromkeys(_NAME.findall("\n".join(paragraphs)))) or ["The subject"]
    blocks = [f"Sure! Here is a Wikipedia-style article about {names[0]}:", f"# {names[0]}"]
    for number, paragraph in enumerate(paragraphs):
        bold = _NAME.sub(lambda name: f"**{name[0]}**", paragraph, count=2)
        blocks += [f"## {HEADINGS[number % len(HEADINGS)]}", bold]
    items = [f"- **{name}**: a name that matters in this article" for name in names[:5]]
    rows = [f"| {name} | {len(name)} |" for name in names[:5]]
    blocks[4:4] = ["\n".join(items), "\n".join(["| Name | Letters |", "|------|---------|", *rows])]
    return "\n\n".join([*blocks, "Let me know if you would like more details!"])


def _means(texts: Sequence[str], references: Sequence[str]) -> Mapping[str, float]:
    chosen = select(METRICS)
    analyst = Analyst(load_tagger("rules-v1"))
    analyses = analyst.analyse(texts, needs_of(chosen))
    beside = analyst.analyse(references, needs_of(chosen))
    values: dict[str, list[float]] = {}
    for evaluator in chosen:
        for analysis, reference in zip(analyses, beside, strict=True):
            value = evaluator.function(analysis, reference)
            scores = value if isinstance(value, Mapping) else {evaluator.metrics[0].name: value}
            for metric in set(scores) & set(METRICS.split(",")):
                values.setdefault(metric, []).append(float(scores[metric]))
    return {metric: mean(numbers) for metric, numbers in values.items()}


if __name__ == "__main__":
    main()
