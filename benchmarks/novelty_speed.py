"""Measure the time and memory of comparing a month's articles with each other and with an older snapshot.

    python benchmarks/novelty_speed.py [ARTICLES]

The benchmark makes articles of about 800 words, 3,000 by default, and as many older ones. One in ten repeats an earlier
article except for a rewritten passage. It prints the seconds of each part and the peak memory of the process.
"""

import random
import resource
import sys
import time

from newwiki.novelty import NEAR_DUPLICATE, Index, Sketch, Sketcher

WORDS = 800
REWRITTEN = 80


def made_texts(count: int, chance: random.Random) -> list[str]:
    vocabulary = [f"word{number}" for number in range(20_000)]
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    texts: list[list[str]] = []
    for number in range(count):
        words = chance.choices(vocabulary, weights, k=WORDS)
        if number % 10 == 9:
            start = chance.randrange(WORDS - REWRITTEN)
            words = texts[-1][:start] + words[:REWRITTEN] + texts[-1][start + REWRITTEN :]
        texts.append(words)
    return [" ".join(words) for words in texts]


def twins(sketches: list[Sketch], others: list[Sketch]) -> int:
    index = Index(others)
    return sum(any(similarity >= NEAR_DUPLICATE for _, similarity in index.similar(sketch)) for sketch in sketches)


def main() -> None:
    count = int(sys.argv[1]) if sys.argv[1:] else 3000
    chance = random.Random(0)
    new, old = made_texts(count, chance), made_texts(count, chance)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    sketcher, clock = Sketcher(), time.perf_counter
    start = clock()
    sketches = [sketcher.sketch(text) for text in new]
    sketched = clock()
    index = Index(sketches)
    repeated = sum(
        any(similarity >= NEAR_DUPLICATE for _, similarity in similar) for similar in index.each_with_earlier()
    )
    compared = clock()
    known = twins(sketches, [sketcher.sketch(text) for text in old])
    done = clock()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"{count} articles of {WORDS} words, of which {count // 10} repeat an earlier one: {repeated} found")
    print(f"sketching {sketched - start:.1f} s; with each other {compared - sketched:.1f} s")
    print(f"sketching {count} older ones and comparing with them {done - compared:.1f} s: {known} found")
    print(f"peak memory {peak / 1024:.0f} MiB, of which the texts and libraries were {before / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
