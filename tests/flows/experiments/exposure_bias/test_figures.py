"""Lines of a figure can be told apart, and no bar hides another."""

import re

from flows.experiments.exposure_bias.figures import figures
from flows.experiments.exposure_bias.findings import measures
from flows.experiments.exposure_bias.prefixes import CORRUPTED, MODEL
from flows.experiments.exposure_bias.request import ExposureBiasRequest
from tests.flows.experiments.exposure_bias.test_findings import measured

_LINE = r'<path d="M([\d.]+),[^"]*L[^"]*" stroke="(#\w+)" stroke-width="2" stroke-dasharray="([\d,]+)"/>'


def test_each_line_of_the_usual_rates_looks_and_stands_by_itself() -> None:
    prefixes = [(MODEL, 0.0), *((CORRUPTED, rate) for rate in ExposureBiasRequest(models=("toy",)).rate)]
    scores = [measured(0, 1.1, length, prefix=prefix, rate=rate) for prefix, rate in prefixes for length in (20, 30)]
    own, figure = figures(measures(scores))
    assert own.first
    assert "the paper's Transformer-XL" in own.caption
    lines = re.findall(_LINE, str(figure.image))
    assert len(lines) == len(prefixes) == 7
    assert len({(colour, dash) for _, colour, dash in lines}) == len({place for place, _, _ in lines}) == 7
