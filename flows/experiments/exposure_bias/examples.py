"""Select a text after each kind of prefix as an example (tables 1, 6 and 10 of the paper)."""

from flows.experiments.exposure_bias.measuring import Draw
from flows.experiments.exposure_bias.prefixes import CORRUPTED, halves
from flows.experiments.exposure_bias.result_tables import ExposureExample

_END = 12  # tokens shown at the end of a prefix


def examples(draw: Draw) -> list[ExposureExample]:
    """Return examples of the first prompt with the longest prefixes; corrupted prefixes only at the highest rate."""
    request = draw.request
    data = draw.data()
    key = halves(list(data), draw.seed)[0][0]
    begin, length = request.prompt_length, request.prefix_length[-1]
    most = max(request.rate, default=0.0)
    rows = []
    for prefix, gaps in draw.prefixes():
        if prefix.length != length or (prefix.kind == CORRUPTED and prefix.rate != most):
            continue
        [[tokens]] = draw.written([(prefix, gaps)], {key: data[key]})
        end = begin + length
        rows.append(
            ExposureExample(
                model=draw.name,
                decoder=draw.decoder.canonical,
                prefix=prefix.kind,
                rate=prefix.rate,
                page_id=key[0],
                prompt=draw.model.text(tokens[:begin]),
                prefix_end=draw.model.text(tokens[max(begin, end - _END) : end]),
                written=draw.model.text(tokens[end : end + request.max_new_tokens]),
            )
        )
    return rows
