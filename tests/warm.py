"""What each process works out anew from files of the libraries: imported before the forks, it is worked out once."""

import pyphen
import spacy
from transformers.conversion_mapping import get_checkpoint_conversion_mapping

pyphen.Pyphen(lang="en_US")
spacy.blank("en")
get_checkpoint_conversion_mapping("gpt2")
