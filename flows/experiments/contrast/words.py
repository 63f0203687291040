"""State in sentences what the numbers show and what they do not."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from evaluators import statistics
from flows.experiments.contrast import metric_words
from flows.experiments.contrast.numbers import SET_METRICS, TEXT_METRICS
from flows.experiments.contrast.result_tables import ContrastDifference, ContrastNumber, ContrastVariant
from flows.experiments.contrast.variants import DECODERS, decoder_words
from flows.experiments.directions import CANNOT_TELL
from flows.presenting.numbers import estimate
from newwiki.records import Run
from storage.database import Database

SEARCH = "contrastive-search"
_REMEDIES = {
    "mauve": "`--embedder FOLDER` names an S-BERT model",
    "embedding_coherence": "`--embedder FOLDER` names an S-BERT model",
    "likelihood_coherence": "`--likelihood-model NAME` names whose likelihood it is (the paper has OPT-2.7B)",
}


def verdict(variants: Sequence[ContrastVariant], apart: Sequence[ContrastDifference]) -> str:
    """Return how contrastive search, or else the first other decoder, differs from contrastive decoding.

    If there are several models, each clause begins with a model's name.
    """
    told = {
        model: _of_model([one for one in apart if one.model == model and one.part == DECODERS])
        for model in dict.fromkeys(one.model for one in variants)
    }
    return next(iter(told.values())) if len(told) == 1 else "; ".join(f"{name}: {one}" for name, one in told.items())


def sentence(variants: Sequence[ContrastVariant], apart: Sequence[ContrastDifference]) -> str:
    """Return the answer as one sentence per model, from the differences behind the verdict."""
    models = list(dict.fromkeys(one.model for one in variants))
    told = [_answer(model, [one for one in apart if one.model == model and one.part == DECODERS]) for model in models]
    return ". ".join(told)


def words(
    variants: Sequence[ContrastVariant],
    numbers: Sequence[ContrastNumber],
    apart: Sequence[ContrastDifference],
    left_out: Sequence[str],
    judges: Sequence[str],
) -> list[str]:
    """Return a sentence for each part, and sentences about the sources and the limits of the numbers."""
    several = len({one.model for one in variants}) > 1
    told = [
        f"{model}: {sentence}" if several else sentence
        for model in dict.fromkeys(one.model for one in variants)
        for sentence in _differing(
            [one for one in variants if one.model == model], [one for one in apart if one.model == model]
        )
    ]
    told += judges
    told += _lengths(numbers)
    told += _whole(numbers)
    told += _lacking(numbers)
    if left_out:
        remedies = dict.fromkeys(_REMEDIES[name] for name in left_out)
        told.append(f"not at hand, and so not in the answer: {', '.join(left_out)}; {'; '.join(remedies)}")
    return told


def judges(database: Database, evaluators: Mapping[str, str], runs: Sequence[Run]) -> list[str]:
    """Name the model behind each coherence metric, and say if that model also writes texts in this experiment."""
    told = []
    for metric, evaluator_id in evaluators.items():
        [(name, sha256)] = database.rows("who_judged", evaluator_id)
        if sha256:
            own = ", which writes here, too, and finds its own texts likely" * any(
                one.model_sha256 == sha256 for one in runs
            )
            told.append(f"{metric} is by {name} (weights {sha256[:8]}){own}")
    return told


def _of_model(apart: Sequence[ContrastDifference]) -> str:
    if not apart:
        return "contrastive decoding alone"
    of_one = _decisive(apart)
    if all(one.verdict == statistics.TOO_FEW for one in of_one):
        return f"{statistics.TOO_FEW} to tell decoders apart"
    told = ", ".join(f"{one.metric} {one.verdict}" for one in of_one)
    return f"{decoder_words(of_one[0].decoder)} beside contrastive decoding: {told}"


def _decisive(apart: Sequence[ContrastDifference]) -> list[ContrastDifference]:
    """Return the differences of contrastive search, or else of the first other decoder, without the number of words."""
    decoders = list(dict.fromkeys(one.decoder for one in apart))
    named = next((one for one in decoders if one.startswith(SEARCH)), decoders[0])
    return [one for one in apart if one.decoder == named and one.metric != "words"]


def _answer(model: str, apart: Sequence[ContrastDifference]) -> str:
    of_one = _decisive(apart) if apart else []
    if not of_one:
        return f"{model} wrote under contrastive decoding alone, which is compared with nothing"
    decoder = decoder_words(of_one[0].decoder)
    if all(one.verdict == statistics.TOO_FEW for one in of_one):
        prompts = max(one.prompts for one in of_one)
        return (
            f"{prompts} prompts are too few to tell whether the texts of {model} differ under {decoder} and "
            f"contrastive decoding; at least {statistics.FEWEST} are needed"
        )
    shown = [
        f"{one.verdict} {metric_words.in_sentence(one.metric)}, {apart_words(one)}"
        for one in of_one
        if one.verdict in ("higher", "lower")
    ]
    unknown = [metric_words.in_sentence(one.metric) for one in of_one if one.verdict not in ("higher", "lower")]
    if not shown:
        return (
            f"No difference is shown between {decoder} and contrastive decoding of {model}, by {' or '.join(unknown)}"
        )
    rest = f"; no difference is shown by {' or '.join(unknown)}" if unknown else ""
    return f"Beside contrastive decoding, {decoder} gives texts of {model} {' and '.join(shown)}{rest}"


def apart_words(one: ContrastDifference) -> str:
    """Format the difference with its interval, in the unit of its metric."""
    write = partial(metric_words.formatted, one.metric, signed=True)
    return estimate(one.difference or 0.0, one.low, one.high, write)


def _differing(variants: Sequence[ContrastVariant], apart: Sequence[ContrastDifference]) -> Iterator[str]:
    """Yield for each part the metrics that differ from the papers' contrastive decoding, and the decoders concerned."""
    too_few = []
    for part in dict.fromkeys(one.part for one in apart):
        values = {one.decoder: one.value for one in variants if one.part == part}
        parameter = next(one.parameter for one in variants if one.part == part)
        of_part = [one for one in apart if one.part == part]
        if all(one.verdict == statistics.TOO_FEW for one in of_part):
            too_few.append(part)
            continue
        found = []
        for metric in TEXT_METRICS:
            for way in ("higher", "lower"):
                names = [values[one.decoder] for one in of_part if one.metric == metric and one.verdict == way]
                found += [f"{metric} is {way} under {', '.join(names)}"] if names else []
        named = part if parameter == "decoder" else f"{part} ({parameter})"
        yield f"{named}: beside contrastive decoding, {'; '.join(found) or f'{CANNOT_TELL} any of them apart'}"
    if too_few:
        prompts = max(one.prompts for one in apart if one.part in too_few)
        yield f"{', '.join(too_few)}: {prompts} prompts are too few; at least {statistics.FEWEST} are needed"


def _lengths(numbers: Sequence[ContrastNumber]) -> list[str]:
    lengths = [one.mean for one in numbers if one.metric == "words" and one.mean is not None and not _is_human(one)]
    if not lengths:
        return []
    return [
        f"by decoder texts have {min(lengths):.0f} to {max(lengths):.0f} words in the mean; diversity falls with length"
    ]


def _whole(numbers: Sequence[ContrastNumber]) -> list[str]:
    """Return sentences about the metrics of whole runs."""
    of_runs = [one for one in numbers if one.metric in SET_METRICS and not _is_human(one)]
    told = []
    if of_runs:
        names = ", ".join(dict.fromkeys(one.metric for one in of_runs))
        told.append(f"{names}: of all texts of a run together, so there is no interval and nothing is tested")
    for reason in dict.fromkeys(one.no_number for one in of_runs if one.no_number):
        of_reason = [one for one in of_runs if one.no_number == reason]
        names = ", ".join(dict.fromkeys(one.metric for one in of_reason))
        told.append(f"{names} of {len(of_reason)} runs cannot be had: {reason}")
    of_mauve = [one.mean for one in of_runs if one.metric == "mauve"]
    if of_mauve and not any(mean is not None for mean in of_mauve):
        told.append("figures of mauve are left out, as no run has it; ask for more --prompts, or of a larger snapshot")
    return told


def _lacking(numbers: Sequence[ContrastNumber]) -> list[str]:
    told = []
    for metric in TEXT_METRICS:
        of_metric = [one for one in numbers if one.metric == metric and not _is_human(one)]
        lacking, texts = sum(one.lacking for one in of_metric), sum(one.texts for one in of_metric)
        told += [f"{lacking:,} of {lacking + texts:,} by {metric}"] if lacking else []
    return [f"texts without a number, which are in no mean: {'; '.join(told)}"] if told else []


def _is_human(one: ContrastNumber) -> bool:
    return one.decoder == "reference"
