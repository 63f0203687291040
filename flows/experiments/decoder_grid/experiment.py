"""`newwiki experiment decoder-grid`: what top-p, top-k, temperature and penalties do to a model's texts."""

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import DecoderGridRequest
from newwiki.paper_metrics import PAPER

EXPERIMENT = Experiment(
    name="decoder-grid",
    version="2",
    title="Effects of decoding on texts",
    question="Which of the paper's statements on decoding hold here?",
    source=f"{PAPER}, Experiments 2, Results, figures 1 to 4",
    help="Test the paper's statements about decoding on runs of one or more models over the paper's grid of top-p, "
    "top-k, temperature and penalties, or over --decoder. Each statement holds, does not hold, or stays open, "
    "with intervals.",
    example="newwiki experiment decoder-grid gpt2 --out grid.html",
    request=DecoderGridRequest,
)
