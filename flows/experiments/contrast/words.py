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
    verdicts = {
        model: _model_verdict(
            [difference for difference in apart if difference.model == model and difference.part == DECODERS]
        )
        for model in dict.fromkeys(variant.model for variant in variants)
    }
    return (
        next(iter(verdicts.values()))
        if len(verdicts) == 1
        else "; ".join(f"{name}: {text}" for name, text in verdicts.items())
    )


def sentence(variants: Sequence[ContrastVariant], apart: Sequence[ContrastDifference]) -> str:
    """Return the answer as one sentence per model, from the differences behind the verdict."""
    models = list(dict.fromkeys(variant.model for variant in variants))
    sentences = [
        _answer(
            model, [difference for difference in apart if difference.model == model and difference.part == DECODERS]
        )
        for model in models
    ]
    return ". ".join(sentences)


def words(
    variants: Sequence[ContrastVariant],
    numbers: Sequence[ContrastNumber],
    apart: Sequence[ContrastDifference],
    left_out: Sequence[str],
    judges: Sequence[str],
) -> list[str]:
    """Return a sentence for each part, and sentences about the sources and the limits of the numbers."""
    several = len({variant.model for variant in variants}) > 1
    sentences = [
        f"{model}: {sentence}" if several else sentence
        for model in dict.fromkeys(variant.model for variant in variants)
        for sentence in _differing(
            [variant for variant in variants if variant.model == model],
            [difference for difference in apart if difference.model == model],
        )
    ]
    sentences += judges
    sentences += _lengths(numbers)
    sentences += _whole(numbers)
    sentences += _lacking(numbers)
    if left_out:
        remedies = dict.fromkeys(_REMEDIES[name] for name in left_out)
        sentences.append(f"not at hand, and so not in the answer: {', '.join(left_out)}; {'; '.join(remedies)}")
    return sentences


def judges(database: Database, evaluators: Mapping[str, str], runs: Sequence[Run]) -> list[str]:
    """Name the model behind each coherence metric, and say if that model also writes texts in this experiment."""
    sentences = []
    for metric, evaluator_id in evaluators.items():
        [(name, sha256)] = database.rows("who_judged", evaluator_id)
        if sha256:
            own = ", which writes here, too, and finds its own texts likely" * any(
                run.model_sha256 == sha256 for run in runs
            )
            sentences.append(f"{metric} is by {name} (weights {sha256[:8]}){own}")
    return sentences


def _model_verdict(apart: Sequence[ContrastDifference]) -> str:
    if not apart:
        return "contrastive decoding alone"
    decisive = _decisive(apart)
    if all(difference.verdict == statistics.TOO_FEW for difference in decisive):
        return f"{statistics.TOO_FEW} to tell decoders apart"
    verdicts = ", ".join(f"{difference.metric} {difference.verdict}" for difference in decisive)
    return f"{decoder_words(decisive[0].decoder)} beside contrastive decoding: {verdicts}"


def _decisive(apart: Sequence[ContrastDifference]) -> list[ContrastDifference]:
    """Return the differences of contrastive search, or else of the first other decoder, without the number of words."""
    decoders = list(dict.fromkeys(difference.decoder for difference in apart))
    named = next((decoder for decoder in decoders if decoder.startswith(SEARCH)), decoders[0])
    return [difference for difference in apart if difference.decoder == named and difference.metric != "words"]


def _answer(model: str, apart: Sequence[ContrastDifference]) -> str:
    decisive = _decisive(apart) if apart else []
    if not decisive:
        return f"{model} wrote under contrastive decoding alone, which is compared with nothing"
    decoder = decoder_words(decisive[0].decoder)
    if all(difference.verdict == statistics.TOO_FEW for difference in decisive):
        prompts = max(difference.prompts for difference in decisive)
        return (
            f"{prompts} prompts are too few to tell whether the texts of {model} differ under {decoder} and "
            f"contrastive decoding; at least {statistics.FEWEST} are needed"
        )
    shown = [
        f"{difference.verdict} {metric_words.in_sentence(difference.metric)}, {apart_words(difference)}"
        for difference in decisive
        if difference.verdict in ("higher", "lower")
    ]
    unknown = [
        metric_words.in_sentence(difference.metric)
        for difference in decisive
        if difference.verdict not in ("higher", "lower")
    ]
    if not shown:
        return (
            f"No difference is shown between {decoder} and contrastive decoding of {model}, by {' or '.join(unknown)}"
        )
    rest = f"; no difference is shown by {' or '.join(unknown)}" if unknown else ""
    return f"Beside contrastive decoding, {decoder} gives texts of {model} {' and '.join(shown)}{rest}"


def apart_words(difference: ContrastDifference) -> str:
    """Format the difference with its interval, in the unit of its metric."""
    write = partial(metric_words.formatted, difference.metric, signed=True)
    return estimate(difference.difference or 0.0, difference.low, difference.high, write)


def _differing(variants: Sequence[ContrastVariant], apart: Sequence[ContrastDifference]) -> Iterator[str]:
    """Yield for each part the metrics that differ from the papers' contrastive decoding, and the decoders concerned."""
    too_few = []
    for part in dict.fromkeys(difference.part for difference in apart):
        values = {variant.decoder: variant.value for variant in variants if variant.part == part}
        parameter = next(variant.parameter for variant in variants if variant.part == part)
        part_differences = [difference for difference in apart if difference.part == part]
        if all(difference.verdict == statistics.TOO_FEW for difference in part_differences):
            too_few.append(part)
            continue
        clauses = []
        for metric in TEXT_METRICS:
            for way in ("higher", "lower"):
                names = [
                    values[difference.decoder]
                    for difference in part_differences
                    if difference.metric == metric and difference.verdict == way
                ]
                clauses += [f"{metric} is {way} under {', '.join(names)}"] if names else []
        named = part if parameter == "decoder" else f"{part} ({parameter})"
        yield f"{named}: beside contrastive decoding, {'; '.join(clauses) or f'{CANNOT_TELL} any of them apart'}"
    if too_few:
        prompts = max(difference.prompts for difference in apart if difference.part in too_few)
        yield f"{', '.join(too_few)}: {prompts} prompts are too few; at least {statistics.FEWEST} are needed"


def _lengths(numbers: Sequence[ContrastNumber]) -> list[str]:
    lengths = [
        number.mean
        for number in numbers
        if number.metric == "words" and number.mean is not None and not _is_human(number)
    ]
    if not lengths:
        return []
    return [
        f"by decoder texts have {min(lengths):.0f} to {max(lengths):.0f} words in the mean; diversity falls with length"
    ]


def _whole(numbers: Sequence[ContrastNumber]) -> list[str]:
    """Return sentences about the metrics of whole runs."""
    run_numbers = [number for number in numbers if number.metric in SET_METRICS and not _is_human(number)]
    sentences = []
    if run_numbers:
        names = ", ".join(dict.fromkeys(number.metric for number in run_numbers))
        sentences.append(f"{names}: of all texts of a run together, so there is no interval and nothing is tested")
    for reason in dict.fromkeys(number.no_number for number in run_numbers if number.no_number):
        reason_numbers = [number for number in run_numbers if number.no_number == reason]
        names = ", ".join(dict.fromkeys(number.metric for number in reason_numbers))
        sentences.append(f"{names} of {len(reason_numbers)} runs cannot be had: {reason}")
    mauve_values = [number.mean for number in run_numbers if number.metric == "mauve"]
    if mauve_values and not any(mean is not None for mean in mauve_values):
        sentences.append(
            "figures of mauve are left out, as no run has it; ask for more --prompts, or of a larger snapshot"
        )
    return sentences


def _lacking(numbers: Sequence[ContrastNumber]) -> list[str]:
    counts = []
    for metric in TEXT_METRICS:
        metric_numbers = [number for number in numbers if number.metric == metric and not _is_human(number)]
        lacking, texts = (
            sum(number.lacking for number in metric_numbers),
            sum(number.texts for number in metric_numbers),
        )
        counts += [f"{lacking:,} of {lacking + texts:,} by {metric}"] if lacking else []
    return [f"texts without a number, which are in no mean: {'; '.join(counts)}"] if counts else []


def _is_human(number: ContrastNumber) -> bool:
    return number.decoder == "reference"
