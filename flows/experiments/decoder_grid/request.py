"""`newwiki experiment decoder-grid`: measure the effect of sampling parameters on a model's texts."""

from dataclasses import dataclass

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import WritingRequest
from newwiki.fields import field
from newwiki.paper_metrics import PAPER


@dataclass(frozen=True, kw_only=True)
class DecoderGridRequest(WritingRequest):
    """The models and the grid of decoders.

    The paper does not state the values of its penalties. The grid therefore has three levels of them, at the setting of
    the paper's first experiment.
    """

    decoder: tuple[str, ...] = field(
        (
            "sample:top_p=[0.5,0.9,0.95,1.0],top_k=[20,50,100,500],temperature=[0.1,0.5,0.9]",
            "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=0.5,frequency_penalty=0.5",
            "sample:top_p=0.9,top_k=20,temperature=0.9,presence_penalty=1.0,frequency_penalty=1.0",
        ),
        "Decoders of the grid (may be repeated).",
        metavar="SPEC",
        usually="the paper's 48 settings, and two with penalties",
    )


EXPERIMENT = Experiment(
    name="decoder-grid",
    version="3",
    title="Effects of decoding on texts",
    question="Which of the paper's statements on decoding hold here?",
    source=f"{PAPER}, Experiments 2, Results, figures 1 to 4",
    help="Test the paper's statements about decoding on runs of one or more models over the paper's grid of top-p, "
    "top-k, temperature and penalties, or over --decoder. Each statement holds, does not hold, or stays open, "
    "with intervals.",
    example="newwiki experiment decoder-grid gpt2 --out grid.html",
    request=DecoderGridRequest,
)
