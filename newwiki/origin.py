"""Whether a page was written, translated or split off another one, as far as the edit that created it says so.

The tags are MediaWiki's own and say so for certain; the phrases of a summary are a language's habit. A dump has no
tags, so a translation whose summary was rewritten by its translator is `original` there. No page is dropped for it.
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
