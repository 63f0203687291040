"""An article split into what the model is given and what it has to write (New-Wiki Eval paper, New-Wiki Dataset)."""

import re
import string

from newwiki.errors import UsageError
from newwiki.text.first_sentence import first_sentence
from newwiki.text.language import Language

DEFAULT_TEMPLATE = "{title}\n\n{first_sentence}"

_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*$")


def split(prose: str, language: Language) -> tuple[str, str]:
    """The first sentence of the prose, and all that follows it."""
    lead = prose.split("\n\n", 1)[0]
    sentence = first_sentence(lead, language)
    return sentence, prose[len(sentence) :].lstrip()


def fill(template: str, title: str, sentence: str) -> str:
    """The prompt. Raises UsageError where the template does not hold exactly `{title}` and `{first_sentence}`."""
    try:
        fields = sorted(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)
        filled = template.format(title=title, first_sentence=sentence)
    except (ValueError, KeyError, IndexError) as error:
        raise UsageError(f"the prompt template {template!r} is not a template: {error}") from None
    if fields != ["first_sentence", "title"]:
        raise UsageError(f"the prompt template {template!r} must hold {{title}} and {{first_sentence}}, once each")
    return filled


def continued(prompt: str, text: str) -> str:
    """The text as it goes on after the prompt: an article's begins without the space that stood before it, and no model
    expects a sentence right there."""
    return text if not text or text[:1].isspace() or not _SENTENCE_END.search(prompt) else f" {text}"
