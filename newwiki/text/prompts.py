"""Split an article into the prompt and the text that the model has to write (New-Wiki Eval paper, New-Wiki Dataset)."""

import re
import string

from newwiki.errors import UsageError
from newwiki.text.first_sentence import first_sentence
from newwiki.text.language import Language

DEFAULT_TEMPLATE = "{title}\n\n{first_sentence}"

_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*$")


def split(prose: str, language: Language) -> tuple[str, str]:
    """Return the first sentence of the prose, and the text after it."""
    lead = prose.split("\n\n", 1)[0]
    sentence = first_sentence(lead, language)
    return sentence, prose[len(sentence) :].lstrip()


def fill(template: str, title: str, sentence: str) -> str:
    """Fill the template. Raises UsageError unless it holds exactly `{title}` and `{first_sentence}`."""
    try:
        fields = sorted(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)
        filled = template.format(title=title, first_sentence=sentence)
    except (ValueError, KeyError, IndexError) as error:
        raise UsageError(f"the prompt template {template!r} is not a valid template: {error}") from None
    if fields != ["first_sentence", "title"]:
        raise UsageError(f"the prompt template {template!r} needs {{title}} and {{first_sentence}}, each once")
    return filled


def continued(prompt: str, text: str) -> str:
    """Return the text as a continuation of the prompt. An article's text has lost the space before it, and no model
    expects a new sentence right after an end mark."""
    return text if not text or text[:1].isspace() or not _SENTENCE_END.search(prompt) else f" {text}"
