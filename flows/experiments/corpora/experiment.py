"""`newwiki experiment corpora`: what do corpora teach one and the same model to write of?"""

from flows.experiments.experiment import Experiment
from newwiki.corpora_request import CorporaRequest

EXPERIMENT = Experiment(
    name="corpora",
    version="1",
    title="Corpora by their noun phrases",
    question="Which noun phrases does a model write because of the corpus that it was fine-tuned on?",
    source="Ottaviani and Stahlschmidt 2024, On the performativity of SDG classifications in large bibliometric "
    "databases",
    help="Fine-tune one checkpoint on each of several corpora, give all copies the same prompts under each decoder, "
    "and compare the noun phrases of their responses. Phrases in more than 10 % of the responses count, as "
    "common to all corpora or unique to some.",
    example="newwiki experiment corpora distilgpt2 --train-on enwiki-2026-08 --by topic --snapshot enwiki-2026-09",
    request=CorporaRequest,
)
