"""`newwiki experiment contrast`: contrastive decoding beside contrastive search, and what each of its parts is for."""

from flows.experiments.experiment import Experiment
from newwiki.contrast_request import ContrastRequest

EXPERIMENT = Experiment(
    name="contrast",
    version="2",
    title="Contrastive decoding and contrastive search",
    question="What does contrastive decoding change, beside contrastive search and sampling?",
    source="Li et al. 2022, Contrastive decoding; Su and Xu 2022, An empirical study on contrastive search and "
    "contrastive decoding",
    help="Compare contrastive decoding (a model in contrast to a smaller --amateur) with contrastive search, greedy "
    "search and sampling: diversity, coherence and similarity to the articles. Ablations show the effect of "
    "another amateur, of the plausibility constraint, and more.",
    example="newwiki experiment contrast gpt2-xl --amateur gpt2 --ablations none --prompts 100",
    request=ContrastRequest,
)
