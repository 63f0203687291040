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

    def of_run(self, decoder: str) -> list[Any]:
        return [_number(self.numbers[decoder].get(metric)) for metric in self.metrics]

    def beside_main(self, part: str, decoder: str) -> list[Any]:
        of_decoder = self.apart[part, decoder]
        return [_difference(of_decoder[metric]) for metric in TEXT_METRICS if metric in of_decoder]


def show(database: Database, experiment_id: str) -> Shown:
    variants = experiments.rows(database, ContrastVariant, experiment_id)
    numbers = experiments.rows(database, ContrastNumber, experiment_id)
    apart = experiments.rows(database, ContrastDifference, experiment_id)
    models = list(dict.fromkeys(one.model for one in variants))
    tables = []
    for model in models:
        of_model = [one for one in variants if one.model == model]
        cells = _cells(model, numbers, apart)
        tables += _tables(of_model, cells, f"{model}: " if len(models) > 1 else "")
    names = [one.name for one in fields(ContrastNumber)]
    return Shown(
        names,
        [astuple(one) for one in numbers],
        _findings(variants, apart),
        tables,
        lambda _: figures(variants, numbers),
    )


def _findings(variants: Sequence[ContrastVariant], apart: Sequence[ContrastDifference]) -> Findings:
    """State for each model, part and metric which decoders differ from the papers' contrastive decoding."""
    values = {
        (one.model, one.part, one.decoder): one.value if one.part == DECODERS else f"{one.parameter}={one.value}"
        for one in variants
    }
    holds: list[str] = []
    unknown: list[tuple[str, str, str]] = []
    for key in dict.fromkeys((one.model, one.part, one.metric) for one in apart):
        of_key = [one for one in apart if (one.model, one.part, one.metric) == key]
        model, part, metric = key
        about = model if part == DECODERS else f"{model}, {part}"
        for way in ("higher", "lower"):
            names = [f"{values[model, part, one.decoder]}, {apart_words(one)}" for one in of_key if one.verdict == way]
            holds += [f"{about}: {in_sentence(metric)} is {way} under {'; '.join(names)}"] if names else []
        names = [values[model, part, one.decoder] for one in of_key if one.verdict not in ("higher", "lower")]
        unknown += [(about, in_sentence(metric), f"under {decoders_words(names, len(of_key))}")] if names else []
    return Findings(answer=sentence(variants, apart), holds=holds, unknown=untold(unknown))


def _cells(model: str, numbers: Sequence[ContrastNumber], apart: Sequence[ContrastDifference]) -> _Cells:
    by_decoder: dict[str, dict[str, ContrastNumber]] = {}
    for one in numbers:
        if one.model == model or one.decoder == "reference":
            by_decoder.setdefault(one.decoder, {})[one.metric] = one
    beside: dict[tuple[str, str], dict[str, ContrastDifference]] = {}
    for difference in apart:
        if difference.model == model:
            beside.setdefault((difference.part, difference.decoder), {})[difference.metric] = difference
    return _Cells(by_decoder, beside, [name for name in METRICS if any(one.metric == name for one in numbers)])


def _tables(variants: Sequence[ContrastVariant], cells: _Cells, model: str) -> list[Table]:
    heads = [HEADS[metric] for metric in cells.metrics]
    compared = [HEADS[metric] for metric in TEXT_METRICS if metric in cells.metrics]
    decoders = [one for one in variants if one.part == DECODERS]
    varied = [one for one in variants if one.part != DECODERS]
    articles = [["articles", *cells.of_run("reference")]] if "reference" in cells.numbers else []
    rows = [[decoder_words(one.decoder), *cells.of_run(one.decoder)] for one in decoders]
    made = [Table(_DECODERS.format(model=model), ["decoder", *heads], [*articles, *rows])]
    against = decoder_words(decoders[0].decoder)
    apart = [[decoder_words(one.decoder), *found] for one in decoders if (found := _beside(cells, one))]
    if apart:
        what = {"what": "Each decoder", "against": against, "family": "its decoders and metrics"}
        made.append(Table(_DIFFERENCES.format(model=model, **what), ["decoder", *compared], apart))
    if varied:
        cells_of = [[f"{one.parameter}={one.value}", *cells.of_run(one.decoder)] for one in varied]
        made.append(Table(_ABLATIONS.format(model=model), ["varied", *heads], cells_of))
    apart = [[f"{one.parameter}={one.value}", *found] for one in varied if (found := _beside(cells, one))]
    if apart:
        what = {"what": "Each value", "against": against, "family": "an ablation's values and metrics"}
        made.append(Table(_DIFFERENCES.format(model=model, **what), ["varied", *compared], apart))
    return made


def _beside(cells: _Cells, one: ContrastVariant) -> list[Any]:
    """Return the difference cells, or an empty list for the main decoder or if no metric of texts is available."""
    return cells.beside_main(one.part, one.decoder) if (one.part, one.decoder) in cells.apart else []


def _number(one: ContrastNumber | None) -> str:
    if one is None or one.mean is None:
        return NONE
    if one.spread is not None:
        return f"{formatted(one.metric, one.mean)} ± {formatted(one.metric, one.spread)}"
    return estimate(one.mean, one.low, one.high, partial(formatted, one.metric))


def _difference(one: ContrastDifference) -> str:
    if one.difference is None:
        return NONE
    p = "" if one.p_holm is None else f", p {p_value(one.p_holm)}"
    return f"{apart_words(one)} {one.verdict}{p} ({one.prompts})"
