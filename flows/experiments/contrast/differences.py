"""What each decoder differs in from contrastive decoding, by prompts."""

from collections.abc import Iterator, Mapping, Sequence

from flows.experiments import directions
from flows.experiments.contrast.numbers import ReadRun
from flows.experiments.contrast.result_tables import ContrastDifference, ContrastVariant


def differences(
    variants: Sequence[ContrastVariant], runs: Mapping[str, ReadRun], metrics: Sequence[str], seed: int
) -> Iterator[ContrastDifference]:
    """Those of one model, whose `runs` are by decoder; the first variant is the one that others are set beside.

    They have no verdict yet, as this is for all models together (`judged`).
    """
    main = variants[0].decoder
    for part in dict.fromkeys(one.part for one in variants):
        others = [one.decoder for one in variants if one.part == part and one.decoder != main]
        asked = [(decoder, metric) for decoder in others for metric in metrics]
        if asked:
            yield from _of_part((variants[0].model, part), asked, main, runs, seed)


def judged(found: Sequence[ContrastDifference]) -> list[ContrastDifference]:
    """The same with verdicts, after Holm's correction over all models, decoders and metrics of a part, as the answer's
    headline and its sentences speak of a part."""
    parts = dict.fromkeys(one.part for one in found)
    by_part = {part: iter(directions.judged([one for one in found if one.part == part])) for part in parts}
    return [next(by_part[one.part]) for one in found]


def _of_part(
    who: tuple[str, str],
    asked: Sequence[tuple[str, str]],
    main: str,
    runs: Mapping[str, ReadRun],
    seed: int,
) -> Iterator[ContrastDifference]:
    pages = sorted({page for run in runs.values() for means in run.prompt_means.values() for page in means})
    pairs = [(runs[decoder].prompt_means[metric], runs[main].prompt_means[metric]) for decoder, metric in asked]
    found = directions.paired_differences(pairs, pages, seed)
    for (decoder, metric), one in zip(asked, found, strict=True):
        yield ContrastDifference(model=who[0], part=who[1], decoder=decoder, against=main, metric=metric, **vars(one))
