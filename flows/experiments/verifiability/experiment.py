"""`newwiki experiment verifiability`: how much of what a model writes does the evidence support, by decoder?"""

from flows.experiments.experiment import Experiment
from newwiki.verifiability_request import VerifiabilityRequest

EXPERIMENT = Experiment(
    name="verifiability",
    version="2",
    title="What decoding does to truth",
    question="Under which decoder does the evidence support more of what a model writes?",
    source="Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text",
    help="How much of what models write is supported by evidence, and how repetitive it is, by decoder: the first five "
    "sentences of each text are checked by --pair-scorer, beside the index of --evidence, or else beside the article.",
    example="newwiki experiment verifiability gpt2-xl --prompts 200",
    request=VerifiabilityRequest,
)
