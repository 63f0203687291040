"""`newwiki experiment decoder-grid`: what top-p, top-k, temperature and penalties do to a model's texts."""

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import DecoderGridRequest
from newwiki.paper_metrics import PAPER

EXPERIMENT = Experiment(
    name="decoder-grid",
    version="2",
    title="What decoding does to texts",
    question="Which of the paper's statements on decoding hold here?",
    source=f"{PAPER}, Experiments 2, Results, figures 1 to 4",
    help="One or more models over the paper's grid of top-p, top-k and temperature, and with penalties, or over the "
    "--decoder that is given: what the paper says of each is tested on one's own runs, with intervals: it holds, it "
    "does not, or it cannot be told.",
    example="newwiki experiment decoder-grid gpt2 --out grid.html",
    request=DecoderGridRequest,
)
