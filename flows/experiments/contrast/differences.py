"""Test each decoder against contrastive decoding, paired by prompt."""

from collections.abc import Iterator, Mapping, Sequence

from flows.experiments import directions
from flows.experiments.contrast.numbers import ReadRun
from flows.experiments.contrast.result_tables import ContrastDifference, ContrastVariant


def differences(
    variants: Sequence[ContrastVariant], runs: Mapping[str, ReadRun], metrics: Sequence[str], seed: int
) -> Iterator[ContrastDifference]:
    """Yield the differences of one model, whose `runs` are keyed by decoder, from its first variant.

    The differences have no verdict yet, because `judged` corrects over all models together.
    """
    main = variants[0].decoder
    for part in dict.fromkeys(variant.part for variant in variants):
        others = [variant.decoder for variant in variants if variant.part == part and variant.decoder != main]
        compared = [(decoder, metric) for decoder in others for metric in metrics]
        if compared:
            yield from _part_differences((variants[0].model, part), compared, main, runs, seed)


def judged(uncorrected: Sequence[ContrastDifference]) -> list[ContrastDifference]:
    """Return the differences with verdicts, after Holm's correction over all models, decoders and metrics of a part.

    The family is a part because the headline and the sentences of the answer each describe a part.
    """
    parts = dict.fromkeys(difference.part for difference in uncorrected)
    by_part = {
        part: iter(directions.judged([difference for difference in uncorrected if difference.part == part]))
        for part in parts
    }
    return [next(by_part[difference.part]) for difference in uncorrected]


def _part_differences(
    who: tuple[str, str],
    compared: Sequence[tuple[str, str]],
    main: str,
    runs: Mapping[str, ReadRun],
    seed: int,
) -> Iterator[ContrastDifference]:
    pages = sorted({page for run in runs.values() for means in run.prompt_means.values() for page in means})
    pairs = [(runs[decoder].prompt_means[metric], runs[main].prompt_means[metric]) for decoder, metric in compared]
    paired = directions.paired_differences(pairs, pages, seed)
    for (decoder, metric), difference in zip(compared, paired, strict=True):
        yield ContrastDifference(
            model=who[0], part=who[1], decoder=decoder, against=main, metric=metric, **vars(difference)
        )
