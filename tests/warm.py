"""What each process works out anew from files of the libraries: imported before the forks, it is worked out once."""

from importlib.resources import files

import pyphen
import spacy
from transformers.conversion_mapping import get_checkpoint_conversion_mapping

from flows.report.templating import environment
from storage import definitions, migrate
from storage.table_shapes import shape_of

pyphen.Pyphen(lang="en_US")
spacy.blank("en")
get_checkpoint_conversion_mapping("gpt2")
for template in (files("flows.report") / "templates").iterdir():
    if template.name.endswith(".html"):
        environment().get_template(template.name)
definitions._written([text for text, _ in migrate._view_texts([])])
shape_of("runs")
