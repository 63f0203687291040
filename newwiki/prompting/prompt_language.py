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
# The Latin-script languages whose sentence starters and verbs are known
_CODES = (ENGLISH, "de", "es", "fr", "it", "nl", "pl", "pt")
# English words that are not verbs and start no sentence of an article, some of which start sentences in other languages
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
    languages = {group: _language_of_group(members) for group, members in by_group.items()}
    language, *others = dict.fromkeys(languages.values())
    if others or language == UNKNOWN:
        (_, name), odd = next((group, code) for group, code in languages.items() if code == UNKNOWN or code != language)
        example = by_group[next(group for group in languages if group[1] == name)][0].prompt
        why = "any known language" if odd == UNKNOWN else f"of the others' language ({language}, not {odd})"
        raise UsageError(
            f"the prompts of '{name}', such as '{example}', are not recognized as {why}: write all prompts in one "
            "language, or name it with --language, such as --language en"
        )
    return language


def _by_group(prompts: Sequence[GroupPrompt]) -> Mapping[tuple[str, str], list[GroupPrompt]]:
    groups: dict[tuple[str, str], list[GroupPrompt]] = {}
    for prompt in prompts:
        groups.setdefault((prompt.category, prompt.group_name), []).append(prompt)
    return groups


def _language_of_group(prompts: Sequence[GroupPrompt]) -> str:
    """Return the language of at least half of the prompts that show one; UNKNOWN if none does."""
    counted = Counter(filter(None, (_language_of_prompt(prompt) for prompt in prompts)))
    if not counted:
        return UNKNOWN
    language, count = counted.most_common(1)[0]
    return language if 2 * count >= counted.total() else UNKNOWN


def _language_of_prompt(prompt: GroupPrompt) -> str | None:
    before = prompt.prompt.removesuffix(prompt.context or "").strip()
    return (_language_of_words(before) if before != prompt.prompt else None) or _language_of_words(prompt.prompt)


def _language_of_words(text: str) -> str | None:
    """Return the language with the most words in the text, English if it has as many; None if no language has any."""
    letters = [letter for letter in text if letter.isalpha()]
    if 2 * sum(unicodedata.name(letter, "").startswith("LATIN") for letter in letters) < len(letters):
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
