"""Measure how far `rules-v1` and a spaCy pipeline agree, on real articles.

    python benchmarks/entity_agreement.py --articles FILE.json [--count 200] [--entities spacy:NAME] [--into PAGE.md]

The file is a JSON list of texts. Precision, recall and F1 compare the distinct surface forms of an article, with those
of the pipeline as the truth. The correlation is that of `entity_overlap` by both finders, over four texts of each
article: its first `WORDS` words, another article's, and two mixes of their sentences, each against the rest of the
article.
"""

import argparse
import json
import re
from collections.abc import Sequence
from pathlib import Path
from statistics import mean

from page_tables import table, written_into
from scipy.stats import pearsonr, spearmanr

from evaluators.entities import DEFAULT_TAGGER, STAND_IN, load_tagger
from evaluators.tagger import Tagger

WORDS = 120
_SHARES = (1.0, 0.5, 0.25, 0.0)  # of the article's own sentences


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--articles", type=Path, required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--entities", default=DEFAULT_TAGGER)
    parser.add_argument("--into", type=Path)
    options = parser.parse_args()
    texts: list[str] = [text for text in json.loads(options.articles.read_text("utf-8")) if len(text.split()) >= 500]
    texts = texts[: options.count]
    rules, pipeline = load_tagger(STAND_IN), load_tagger(options.entities)
    made = {"agreement": table([f"`{STAND_IN}` against `{pipeline.model}`", ""], _rows(texts, rules, pipeline))}
    print(made["agreement"])
    if options.into:
        page = written_into(options.into.read_text("utf-8"), "entity_agreement", made)
        options.into.write_text(page, "utf-8")


def _rows(texts: Sequence[str], rules: Tagger, pipeline: Tagger) -> list[list[str]]:
    found, true = ([set(mentions) for mentions in tagger.tag(texts)] for tagger in (rules, pipeline))
    shared = [len(ours & theirs) for ours, theirs in zip(found, true, strict=True)]
    precision = mean(both / max(1, len(ours)) for both, ours in zip(shared, found, strict=True))
    recall = mean(both / max(1, len(theirs)) for both, theirs in zip(shared, true, strict=True))
    f1 = mean(2 * b / max(1, len(o) + len(t)) for b, o, t in zip(shared, found, true, strict=True))
    by_rules, by_pipeline = (_overlaps(texts, tagger) for tagger in (rules, pipeline))
    within = mean(
        spearmanr(by_rules[start :: len(texts)], by_pipeline[start :: len(texts)]).statistic
        for start in range(len(texts))
        if len(set(by_rules[start :: len(texts)])) > 1 and len(set(by_pipeline[start :: len(texts)])) > 1
    )
    measured = {
        "articles": f"{len(texts)}",
        "distinct names per article, by the pipeline": f"{mean(map(len, true)):.1f}",
        f"distinct names per article, by `{STAND_IN}`": f"{mean(map(len, found)):.1f}",
        f"precision of `{STAND_IN}`": f"{precision:.3f}",
        "recall": f"{recall:.3f}",
        "F1": f"{f1:.3f}",
        "`entity_overlap`, mean by the pipeline": f"{mean(by_pipeline):.3f}",
        f"`entity_overlap`, mean by `{STAND_IN}`": f"{mean(by_rules):.3f}",
        "correlation of `entity_overlap` over all texts (Pearson)": f"{pearsonr(by_rules, by_pipeline).statistic:.3f}",
        "rank correlation within an article (Spearman, mean)": f"{within:.3f}",
    }
    return [[name, value] for name, value in measured.items()]


def _overlaps(texts: Sequence[str], tagger: Tagger) -> list[float]:
    """Return the entity overlap of each share's texts with the rests of the articles, share by share."""
    cut = [_sentences(text) for text in texts]
    rests = [set(mentions) for mentions in tagger.tag([rest for _, rest in cut])]
    overlaps = []
    for share in _SHARES:
        mixed = [_mixed(own, cut[(place + 1) % len(cut)][0], share) for place, (own, _) in enumerate(cut)]
        for mentions, rest in zip(tagger.tag(mixed), rests, strict=True):
            every = set(mentions) | rest
            overlaps.append(len(set(mentions) & rest) / len(every) if every else 0.0)
    return overlaps


def _sentences(text: str) -> tuple[list[str], str]:
    """Return the sentences of the first `WORDS` words, and the rest of the text."""
    sentences = re.split(r"(?<=[.!?])\s+", text)
    words, count = 0, 0
    while words < WORDS and count < len(sentences) - 1:
        words += len(sentences[count].split())
        count += 1
    return sentences[:count], " ".join(sentences[count:])


def _mixed(own: Sequence[str], others: Sequence[str], share: float) -> str:
    """Return the article's sentences, all but a share of them replaced, evenly spread, by another article's."""
    kept = {int(number / share) for number in range(round(len(own) * share))} if share else set[int]()
    other = iter([*others, *others, *own])
    return " ".join(sentence if place in kept else next(other) for place, sentence in enumerate(own))


if __name__ == "__main__":
    main()
