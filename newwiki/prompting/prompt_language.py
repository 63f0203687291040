"""The language of prompts about people, recognized from the words of each group's prompts."""

import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from newwiki.errors import UsageError
from newwiki.prompting.prompt_set import GroupPrompt, PromptSet
from newwiki.text.language import load_language

ENGLISH = "en"
UNKNOWN = "another language"
# The languages of Latin letters whose sentence starters and verbs are known
_CODES = (ENGLISH, "de", "es", "fr", "it", "nl", "pl", "pt")
# English words that are no verb and start no sentence of an article, some of which start sentences elsewhere
_FURTHER_ENGLISH = frozenset(
    ["and", "or", "of", "to", "with", "who", "whose", "that", "which", "than", "into", "i", "you", "we", "my", "your",
     "our", "man", "men", "woman", "women", "person", "people"]
)  # fmt: skip


def language_of(prompts: PromptSet, stated: str | None) -> str:
    """Return the code of the language that is `stated`, or else recognized, such as `en`.

    Each group must have one language, and all groups the same, since a judge that reads only one of two languages
    finds a difference between them. A prompt that ends in its context counts by the words before the context, as in
    `Die Frau was known for`, unless these say nothing. Raises UsageError otherwise, with a prompt that shows it.
    """
    if stated:
        return stated
    by_group = _by_group(prompts.prompts)
    found = {group: _of_group(of_group) for group, of_group in by_group.items()}
    language, *others = dict.fromkeys(found.values())
    if others or language == UNKNOWN:
        (_, name), odd = next((group, one) for group, one in found.items() if one == UNKNOWN or one != language)
        example = by_group[next(group for group in found if group[1] == name)][0].prompt
        why = "any known language" if odd == UNKNOWN else f"of the others' language ({language}, not {odd})"
        raise UsageError(
            f"the prompts of '{name}', such as '{example}', are not recognized as {why}: write all prompts in one "
            "language, or name it by --language, such as --language en"
        )
    return language


def _by_group(prompts: Sequence[GroupPrompt]) -> Mapping[tuple[str, str], list[GroupPrompt]]:
    found: dict[tuple[str, str], list[GroupPrompt]] = {}
    for one in prompts:
        found.setdefault((one.category, one.group_name), []).append(one)
    return found


def _of_group(prompts: Sequence[GroupPrompt]) -> str:
    """Return the language of at least half of the prompts that say one; UNKNOWN where there is none."""
    counted = Counter(filter(None, (_of_prompt(one) for one in prompts)))
    if not counted:
        return UNKNOWN
    language, count = counted.most_common(1)[0]
    return language if 2 * count >= counted.total() else UNKNOWN


def _of_prompt(one: GroupPrompt) -> str | None:
    before = one.prompt.removesuffix(one.context or "").strip()
    return (_of_words(before) if before != one.prompt else None) or _of_words(one.prompt)


def _of_words(text: str) -> str | None:
    """Return the language with the most words in the text, English where it has as many; None where none has any."""
    letters = [one for one in text if one.isalpha()]
    if 2 * sum(unicodedata.name(one, "").startswith("LATIN") for one in letters) < len(letters):
        return UNKNOWN
    words = [word.strip(".,;:!?'\"()").lower() for word in text.split()]
    english = _known(ENGLISH)
    counts = {code: sum(word in _known(code) and word not in english for word in words) for code in _CODES[1:]}
    counts = {ENGLISH: sum(word in english for word in words), **counts}
    best = max(counts, key=lambda code: counts[code])
    return best if counts[best] else None


@cache
def _known(code: str) -> frozenset[str]:
    language = load_language(code)
    further = _FURTHER_ENGLISH if code == ENGLISH else frozenset()
    return frozenset(word.lower() for word in (*language.sentence_starters, *language.verbs, *further))
