"""Tell whether a page was written, translated or split off another page, from the edit that created it.

MediaWiki's own tags are reliable; the phrases of a summary are a language's convention. A dump has no tags, so a
translation with a rewritten summary is `original` there. No page is dropped because of its origin.
"""

from newwiki.snapshot import Origin, Page
from newwiki.text.language import Language

_TRANSLATION_TAGS = frozenset({"contenttranslation", "contenttranslation-v2", "sectiontranslation"})


def origin(page: Page, language: Language) -> Origin:
    summary = page.summary.strip().lower()
    if _TRANSLATION_TAGS.intersection(page.tags):
        return "translation"
    if summary.startswith(tuple(language.quoting_summaries)):
        return "original"
    if any(phrase in summary for phrase in language.translation_summaries):
        return "translation"
    return "split" if any(phrase in summary for phrase in language.split_summaries) else "original"
