"""Choose the decoders to compare: those of the papers' tables, and for each ablation the values of one parameter."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from flows.experiments.contrast.request import BESIDE, ContrastRequest
from flows.experiments.contrast.result_tables import ContrastVariant
from newwiki.decoding.grammar import Decoder, Value, parse, short_form
from newwiki.errors import UsageError

DECODERS = "decoders"  # the part of an answer that is not an ablation
SIZE = "amateur-size"
ITSELF = "itself"
# Li et al. 2022, 7.1: the models are identical, so there is no contrast
IDENTICAL = f"{ITSELF} (full context, temperature 1)"

# The parameter that each ablation of contrastive decoding varies, and the values to try besides the default. Sources in
# Li et al. 2022: 3.4 and 7.5 (context), 7.4 (alpha) and 7.3 (0 beams: sampling). The temperatures of their figure 3
# appear only in a picture, and they try no beam width other than 5, so these values are this project's.
_VARIED: Mapping[str, tuple[str, Sequence[Value]]] = {
    "amateur-temperature": ("amateur_temperature", (0.1, 0.5, 1.0, 1.5, 2.0, 10.0)),
    "amateur-context": ("amateur_context", ("last", "full")),
    "plausibility": ("alpha", (0.1, 0.0)),
    "sampling": ("num_beams", (5, 0)),
    "beams": ("num_beams", (1, 2, 5, 10)),
}
_K = range(2, 11)  # Su and Xu 2022, section 4


def main_decoder(request: ContrastRequest) -> Decoder:
    """Return contrastive decoding as in the papers: 5 beams, alpha 0.1, an amateur that reads the prompt's last token.

    Raises UsageError if the first amateur is not a model name.
    """
    parameters = f"amateur={request.amateur[0]},amateur_temperature={request.amateur_temperature!r}"
    decoders = parse(f"contrastive-decoding:{parameters}")
    if len(decoders) != 1:
        raise UsageError(f"'{request.amateur[0]}' is no name of a model; give --amateur once for each")
    return decoders[0]


def variants(request: ContrastRequest, expert: str) -> list[ContrastVariant]:
    """Return the variants of one expert. All others are compared with the first."""
    main = main_decoder(request)
    beside = [decoder for text in request.decoder for decoder in parse(text)]
    chosen = list(
        _part(expert, DECODERS, "decoder", [(decoder_words(decoder.canonical), decoder) for decoder in (main, *beside)])
    )
    values: Sequence[Value]
    for ablation in request.varied:
        if ablation == "k":
            searches = [decoder for decoder in [*beside, *parse(BESIDE[0])] if decoder.name == "contrastive-search"]
            base, parameter, values = searches[0], "top_k", tuple(_K)
        elif ablation == SIZE:
            base, parameter, values = main, "amateur", (*request.amateur, expert)
        else:
            base, (parameter, values) = main, _VARIED[ablation]
            values = _among(values, main.parameters[parameter])
        named_decoders = [(_value_words(parameter, value, expert), _with(base, {parameter: value})) for value in values]
        if ablation == SIZE:
            alike: dict[str, Value] = {"amateur": expert, "amateur_context": "full", "amateur_temperature": 1.0}
            named_decoders.append((IDENTICAL, _with(main, alike)))
        chosen += _part(expert, ablation, parameter, named_decoders)
    return chosen


def decoder_words(canonical: str) -> str:
    """Return the short form of a decoder, with the last component of its amateur's name."""
    try:
        decoder = parse(canonical)[0]
    except UsageError:
        return short_form(canonical)
    name = decoder.parameters.get("amateur")
    return decoder.short if name is None else _with(decoder, {"amateur": Path(str(name)).name}).short


def _part(model: str, part: str, parameter: str, decoders: Iterable[tuple[str, Decoder]]) -> list[ContrastVariant]:
    """Return the variants of a part, without duplicate decoders."""
    different: dict[str, str] = {}
    for value, decoder in decoders:
        different.setdefault(decoder.canonical, value)
    return [
        ContrastVariant(model=model, part=part, place=place, parameter=parameter, value=value, decoder=canonical)
        for place, (canonical, value) in enumerate(different.items())
    ]


def _among(values: Sequence[Value], usual: Value) -> Sequence[Value]:
    """Return these values, with the usual value inserted in numeric order if it is missing."""
    if usual in values:
        return values
    return sorted({*values, usual}, key=float)


def _with(decoder: Decoder, parameters: Mapping[str, Value]) -> Decoder:
    return Decoder(decoder.name, {**decoder.parameters, **parameters})


def _value_words(parameter: str, value: Value, expert: str) -> str:
    if parameter == "amateur":
        return ITSELF if value == expert else Path(str(value)).name
    return value if isinstance(value, str) else f"{value:g}"
