"""Build the papers' tables with intervals, the table of differences, and the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial
from typing import Any

from flows.experiments.contrast.figures import figures
from flows.experiments.contrast.metric_words import HEADS, formatted, in_sentence
from flows.experiments.contrast.numbers import METRICS, TEXT_METRICS
from flows.experiments.contrast.result_tables import ContrastDifference, ContrastNumber, ContrastVariant
from flows.experiments.contrast.variants import DECODERS, decoder_words
from flows.experiments.contrast.words import apart_words, sentence
from flows.experiments.directions import decoders_words, untold
from flows.experiments.experiment import Findings, Shown, Table
from flows.presenting.numbers import NONE, estimate, p_value
from storage import experiments
from storage.database import Database

_DECODERS = (
    "{model}By decoder, and of the articles (table 1 of both papers): means with 95 % intervals clustered by prompt; "
    "MAUVE with its spread over seeds. –: there is no number."
)
_ABLATIONS = (
    "{model}What is varied in contrastive decoding (Li et al. 2022, section 7), and k in contrastive search (Su and Xu "
    "2022, section 4): the same numbers."
)
_DIFFERENCES = (
    "{model}{what} less {against}, by prompts that have a number under both, with 95 % intervals; higher or lower "
    "where p is at most 0.05 after Holm's correction for {family}. In brackets: how many prompts. –: "
    "no prompt has both."
)


@dataclass(frozen=True)
class _Cells:
    """The numbers and differences of one model by decoder and metric, and the numbers of the articles."""

    numbers: Mapping[str, Mapping[str, ContrastNumber]]
    apart: Mapping[tuple[str, str], Mapping[str, ContrastDifference]]
    metrics: Sequence[str]

    def numbers_of(self, decoder: str) -> list[Any]:
        return [_number(self.numbers[decoder].get(metric)) for metric in self.metrics]

    def beside_main(self, part: str, decoder: str) -> list[Any]:
        differences = self.apart[part, decoder]
        return [_difference(differences[metric]) for metric in TEXT_METRICS if metric in differences]


def show(database: Database, experiment_id: str) -> Shown:
    variants = experiments.rows(database, ContrastVariant, experiment_id)
    numbers = experiments.rows(database, ContrastNumber, experiment_id)
    apart = experiments.rows(database, ContrastDifference, experiment_id)
    models = list(dict.fromkeys(variant.model for variant in variants))
    tables = []
    for model in models:
        model_variants = [variant for variant in variants if variant.model == model]
        cells = _cells(model, numbers, apart)
        tables += _tables(model_variants, cells, f"{model}: " if len(models) > 1 else "")
    names = [column.name for column in fields(ContrastNumber)]
    return Shown(
        names,
        [astuple(number) for number in numbers],
        _findings(variants, apart),
        tables,
        lambda _: figures(variants, numbers),
    )


def _findings(variants: Sequence[ContrastVariant], apart: Sequence[ContrastDifference]) -> Findings:
    """State for each model, part and metric which decoders differ from the papers' contrastive decoding."""
    values = {
        (variant.model, variant.part, variant.decoder): variant.value
        if variant.part == DECODERS
        else f"{variant.parameter}={variant.value}"
        for variant in variants
    }
    holds: list[str] = []
    unknown: list[tuple[str, str, str]] = []
    for key in dict.fromkeys((difference.model, difference.part, difference.metric) for difference in apart):
        key_differences = [
            difference for difference in apart if (difference.model, difference.part, difference.metric) == key
        ]
        model, part, metric = key
        about = model if part == DECODERS else f"{model}, {part}"
        for way in ("higher", "lower"):
            names = [
                f"{values[model, part, difference.decoder]}, {apart_words(difference)}"
                for difference in key_differences
                if difference.verdict == way
            ]
            holds += [f"{about}: {in_sentence(metric)} is {way} under {'; '.join(names)}"] if names else []
        names = [
            values[model, part, difference.decoder]
            for difference in key_differences
            if difference.verdict not in ("higher", "lower")
        ]
        unknown += (
            [(about, in_sentence(metric), f"under {decoders_words(names, len(key_differences))}")] if names else []
        )
    return Findings(answer=sentence(variants, apart), holds=holds, unknown=untold(unknown))


def _cells(model: str, numbers: Sequence[ContrastNumber], apart: Sequence[ContrastDifference]) -> _Cells:
    by_decoder: dict[str, dict[str, ContrastNumber]] = {}
    for number in numbers:
        if number.model == model or number.decoder == "reference":
            by_decoder.setdefault(number.decoder, {})[number.metric] = number
    beside: dict[tuple[str, str], dict[str, ContrastDifference]] = {}
    for difference in apart:
        if difference.model == model:
            beside.setdefault((difference.part, difference.decoder), {})[difference.metric] = difference
    return _Cells(by_decoder, beside, [name for name in METRICS if any(number.metric == name for number in numbers)])


def _tables(variants: Sequence[ContrastVariant], cells: _Cells, model: str) -> list[Table]:
    heads = [HEADS[metric] for metric in cells.metrics]
    compared = [HEADS[metric] for metric in TEXT_METRICS if metric in cells.metrics]
    decoders = [variant for variant in variants if variant.part == DECODERS]
    varied = [variant for variant in variants if variant.part != DECODERS]
    articles = [["articles", *cells.numbers_of("reference")]] if "reference" in cells.numbers else []
    rows = [[decoder_words(variant.decoder), *cells.numbers_of(variant.decoder)] for variant in decoders]
    tables = [Table(_DECODERS.format(model=model), ["decoder", *heads], [*articles, *rows])]
    against = decoder_words(decoders[0].decoder)
    apart = [[decoder_words(variant.decoder), *beside] for variant in decoders if (beside := _beside(cells, variant))]
    if apart:
        what = {"what": "Each decoder", "against": against, "family": "its decoders and metrics"}
        tables.append(Table(_DIFFERENCES.format(model=model, **what), ["decoder", *compared], apart))
    if varied:
        cells_of = [[f"{variant.parameter}={variant.value}", *cells.numbers_of(variant.decoder)] for variant in varied]
        tables.append(Table(_ABLATIONS.format(model=model), ["varied", *heads], cells_of))
    apart = [
        [f"{variant.parameter}={variant.value}", *beside] for variant in varied if (beside := _beside(cells, variant))
    ]
    if apart:
        what = {"what": "Each value", "against": against, "family": "an ablation's values and metrics"}
        tables.append(Table(_DIFFERENCES.format(model=model, **what), ["varied", *compared], apart))
    return tables


def _beside(cells: _Cells, variant: ContrastVariant) -> list[Any]:
    """Return the difference cells, or an empty list for the main decoder or if no metric of texts is available."""
    return cells.beside_main(variant.part, variant.decoder) if (variant.part, variant.decoder) in cells.apart else []


def _number(number: ContrastNumber | None) -> str:
    if number is None or number.mean is None:
        return NONE
    if number.spread is not None:
        return f"{formatted(number.metric, number.mean)} (sd {formatted(number.metric, number.spread)})"
    return estimate(number.mean, number.low, number.high, partial(formatted, number.metric))


def _difference(difference: ContrastDifference) -> str:
    if difference.difference is None:
        return NONE
    p = "" if difference.p_holm is None else f", p {p_value(difference.p_holm)}"
    return f"{apart_words(difference)} {difference.verdict}{p} ({difference.prompts})"
