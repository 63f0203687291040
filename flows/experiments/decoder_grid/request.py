"""`newwiki experiment decoder-grid`: measure the effect of sampling parameters on a model's texts."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from flows.experiments.experiment import Experiment
from newwiki.errors import UsageError
from newwiki.experiment_request import WritingRequest
from newwiki.fields import field
from newwiki.paper_metrics import PAPER

Preset = Literal["samplers"]

# The paper does not state the values of its penalties. The grid therefore has three levels of them, at the setting of
# the paper's first experiment.
PAPER_GRID = (
    "sample:top_p=[0.5,0.9,0.95,1.0],top_k=[20,50,100,500],temperature=[0.1,0.5,0.9]",
    "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=0.5,frequency_penalty=0.5",
    "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=1.0,frequency_penalty=1.0",
)
# The values that the papers of the rules recommend (docs/decoding.md). The papers compare with sampling that truncates
# nothing and with nucleus sampling, at temperature 1 and above.
PRESETS: Mapping[Preset, tuple[str, ...]] = {
    "samplers": (
        "sample:temperature=[1.0,1.5]",
        "sample:top_p=0.95,temperature=[1.0,1.5]",
        "sample:min_p=[0.05,0.1],temperature=[1.0,1.5]",
        "sample:epsilon_cutoff=[0.0003,0.0009],temperature=[1.0,1.5]",
        "sample:eta_cutoff=[0.0003,0.004],temperature=[1.0,1.5]",
        "sample:top_n_sigma=1.0,temperature=[1.0,1.5]",
        "sample:top_h=0.4,temperature=[1.0,1.5]",
        "sample:p_less=1,temperature=[1.0,1.5]",
    ),
}


@dataclass(frozen=True, kw_only=True)
class DecoderGridRequest(WritingRequest):
    """The models and the grid of decoders, which is the paper's by default."""

    decoder: tuple[str, ...] = field(
        PAPER_GRID,
        "Decoders of the grid (may be repeated).",
        metavar="SPEC",
        usually="the paper's 48 settings, and two with penalties",
    )
    preset: Preset | None = field(
        None,
        "Grid instead of --decoder: samplers has the truncation rules of sample, at temperatures 1 and 1.5.",
    )

    def __post_init__(self) -> None:
        if self.preset:
            if self.decoder not in (PAPER_GRID, PRESETS[self.preset]):
                raise UsageError("--preset and --decoder exclude each other: leave one out")
            object.__setattr__(self, "decoder", PRESETS[self.preset])
        super().__post_init__()


EXPERIMENT = Experiment(
    name="decoder-grid",
    version="3",
    title="Effects of decoding on texts",
    question="Which of the paper's statements on decoding hold here?",
    source=f"{PAPER}, Experiments 2, Results, figures 1 to 4",
    help="Test the paper's statements about decoding on runs of one or more models over the paper's grid of top-p, "
    "top-k, temperature and penalties, over a --preset, or over --decoder. Each statement holds, does not hold, or "
    "stays open, with intervals.",
    example="newwiki experiment decoder-grid gpt2 --out grid.html",
    request=DecoderGridRequest,
)
