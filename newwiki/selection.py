"""Decide which pages enter a snapshot, and why the others do not: pure functions of a page at the cutoff.

The order of the checks is fixed, and the expensive one (the number of revisions) comes last, so every source gives the
same verdict for the same page.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping

from newwiki.origin import origin
from newwiki.snapshot import Judged, Page, Selection, Verdict, WaitingPage
from newwiki.text.first_sentence import list_share, why_no_sentence
from newwiki.text.language import Language
from newwiki.text.maintenance import COPYRIGHT, read_tags, rejecting
from newwiki.text.prompts import split
from newwiki.text.prose import extract
from newwiki.text.structure import structure_json
from newwiki.text.templates.expansion import NO_TEMPLATES
from newwiki.text.words import count_words

# The version of the rules for which pages are considered, for the content hash. Version 1, which was unnamed, used a
# page's title and namespace on the day of the refresh; since version 2 those at the cutoff decide. Since version 3 the
# revision ids decide when a page was created and which revisions count (`newwiki.sources.revision_order`), and a page
# with a template for deletion or copyright (`article_tags` of the language's data file) is not selected.
RULES = 3

_NAMED_TEMPLATES = 5  # in the detail of a verdict
_TEMPLATE_NAME = re.compile(r"\{\{[ \t\n]*+([^|{}<\n]*+)(?=[|}\n])")


def judge(
    page: Page,
    selection: Selection,
    language: Language,
    count_revisions: Callable[[Page], int],
    templates: Mapping[str, str] = NO_TEMPLATES,
    rules: int = RULES,
) -> Judged:
    """Return the page's verdict, where `selected` means "passed" until the sample is drawn.

    `count_revisions` is called only for a page that has passed everything else and whose source has not counted yet.
    `templates` are the sources from which holes are filled (`newwiki.text.prose.extract`).
    `rules` is the version of the rules of the snapshot: before version 3 maintenance templates reject no page.
    """
    judged = _judge(page, selection, language, count_revisions, templates, rules)
    assert isinstance(judged, Judged)
    return judged


def judge_or_wait(
    page: Page, selection: Selection, language: Language, count_revisions: Callable[[Page], int], rules: int = RULES
) -> Judged | WaitingPage:
    """Return the page's verdict, or, if it has enough words and its text may need templates, the page and their titles.

    The words are counted without these templates, so that few pages have to wait for them.
    """
    return _judge(page, selection, language, count_revisions, None, rules)


def _judge(
    page: Page,
    selection: Selection,
    language: Language,
    count_revisions: Callable[[Page], int],
    templates: Mapping[str, str] | None,
    rules: int,
) -> Judged | WaitingPage:

    def verdict(
        name: Verdict,
        detail: str | None = None,
        *,
        revisions: int | None = None,
        words: int | None = None,
        text: tuple[str, str] = ("", ""),
        headings: str | None = None,
        structure: str | None = None,
        read: Iterable[str] = (),
    ) -> Judged:
        return Judged(
            page_id=page.page_id,
            title=page.title,
            created_at=page.created_at,
            verdict=name,
            detail="; ".join(part for part in (detail, page.stepped_over) if part) or None,
            rev_id=page.rev_id,
            revised_at=page.revised_at,
            revisions=revisions,
            words=words,
            first_sentence=text[0] or None,
            completion=text[1] or None,
            sha1=None if page.wikitext is None else sha1(page.wikitext),
            origin=origin(page, language),
            headings=headings,
            structure=structure,
            templates=json.dumps(sorted(read), ensure_ascii=False) if read else None,
        )

    if page.wikitext is None:
        return verdict(page.absent or "missing")
    if is_redirect(page.wikitext, language):
        return verdict("redirect")
    if is_disambiguation(page.title, page.wikitext, language):
        return verdict("disambiguation")
    extracted = extract(page.wikitext, language, page.title, NO_TEMPLATES if templates is None else templates)
    prose = extracted.prose
    words = count_words(prose)
    if words < selection.min_words:
        return verdict("few_words", f"{words} of {selection.min_words} words", words=words)
    if templates is None and extracted.wanted:
        return WaitingPage(page, extracted.wanted)
    text = split(prose, language)
    if reason := why_no_sentence(text[0], language, page.title):
        return verdict("no_sentence", reason, words=words)
    share = list_share(prose)
    if share > 0.5:
        return verdict("mostly_lists", f"{share:.0%} of the words stand in lines that are no sentences", words=words)
    holes = sum(extracted.holes.values())
    if selection.max_holes is not None and holes > selection.max_holes:
        return verdict("many_holes", _holes_detail(extracted.holes, selection.max_holes), words=words)
    if not text[1]:
        return verdict("one_sentence", "nothing follows the first sentence", words=words)
    if rules >= 3 and (tag := rejecting(read_tags(page.wikitext, language))):
        return verdict("copyright_tag" if tag.kind == COPYRIGHT else "deletion_tag", tag.written, words=words)
    counted = page.revisions if page.revisions is not None else count_revisions(page)
    revisions = min(counted, selection.min_revisions)
    if revisions < selection.min_revisions:
        detail = f"{revisions} of {selection.min_revisions} revisions at the cutoff"
        return verdict("few_revisions", detail, revisions=revisions, words=words)
    return verdict(
        "selected",
        revisions=revisions,
        words=words,
        text=text,
        headings=extracted.headings_json,
        structure=structure_json(page.wikitext, language, page.title, extracted.holes),
        read=extracted.read,
    )


def _holes_detail(holes: Mapping[str, int], at_most: int) -> str:
    names = ", ".join(sorted(holes, key=lambda name: (-holes[name], name))[:_NAMED_TEMPLATES])
    return f"the text of {sum(holes.values())} templates is missing, {at_most} at most are allowed: {names}"


def sha1(wikitext: str) -> str:
    """Return the SHA-1 of a revision's text in hexadecimal digits, as MediaWiki's `rvprop=sha1` does."""
    return hashlib.sha1(wikitext.encode(), usedforsecurity=False).hexdigest()


def is_redirect(wikitext: str, language: Language) -> bool:
    start = wikitext.lstrip().lower()
    return any(start.startswith(word) for word in language.redirect_words | {"#redirect"})


def is_disambiguation(title: str, wikitext: str, language: Language) -> bool:
    if title.lower().endswith(language.disambiguation_title) or any(
        word in wikitext for word in language.disambiguation_words
    ):
        return True
    names = (name.group(1).strip().lower().replace("_", " ") for name in _TEMPLATE_NAME.finditer(wikitext))
    return any(name in language.disambiguation_templates for name in names)


def draw(titles: Iterable[str], selection: Selection) -> set[str]:
    """Return the titles of the seeded sample: those with the smallest hashes with the seed, in any order of input."""
    ranked = sorted(titles, key=lambda title: hashlib.sha256(f"{selection.seed}:{title}".encode()).digest())
    return set(ranked[: selection.sample])
