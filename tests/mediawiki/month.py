"""A month of a busy wiki, made up: mostly redirects and stubs, some articles, and everything that can befall a page."""

import random
from datetime import UTC, datetime, timedelta

from .exports import Edit, History, growing
from .wiki import Event, Wiki

REQUEST = ("--month", "2024-05", "--min-words", "60", "--min-revisions", "3", "--cutoff", "2024-06-15")
ODD_TITLES = (
    "Either/Or/Neither",
    "The \"Quoted\" and the 'single'",
    "Salt & Pepper",
    "Party 🎉 of one",
    "שלום עולם",
    "مدينة النور",
    "50% of C++ = ?",
)
# Every page of the month but the stubs and redirects, and what must become of it
EXPECTED = dict.fromkeys(ODD_TITLES, "selected") | {
    "Begun as a draft": "selected",
    "Begun in a sandbox": "selected",
    "New name": "selected",
    "Blanked at the cutoff": "selected",
    "Shrunk at the cutoff": "selected",
    "Restored after a blanking": "selected",
    "Blanked after the cutoff": "selected",
    "Turned into a redirect": "redirect",
    "Deleted later": "missing",
    "New place": "selected",
    "Draft:Sent back": "moved",
    "Suspected of a machine": "selected",
    "Asked to be deleted": "deletion_tag",
    "Copied": "copyright_tag",
}
TEMPLATES = {
    "Suspected of a machine": "{{AI-generated|date=May 2024}}",
    "Asked to be deleted": "{{db-a7}}",
    "Copied": "{{copyvio|url=https://a.example}}",
}
STUBS, REDIRECTS = 330, 300
_WORDS = ("river", "stone", "harbour", "lantern", "winter", "orchard", "council", "bridge", "market", "engine")


def histories() -> list[History]:
    """The pages in the order of their creation, which is that of their page ids."""
    start = datetime(2024, 5, 1, tzinfo=UTC)
    made = [_stub(number, start + timedelta(hours=2 * number + 1)) for number in range(STUBS)]
    made += [_redirect(number, start + timedelta(hours=2 * number + 2)) for number in range(REDIRECTS)]
    titles = [
        *ODD_TITLES,
        "Draft:Begun as a draft",
        "User:Writer/Begun in a sandbox",
        "Old name",
        "Deleted later",
        "New place",
        "Sent back",
        "Draft:Late draft",
        *TEMPLATES,
    ]
    made += [_article(title, start + timedelta(days=number)) for number, title in enumerate(titles)]
    made += [_article("Draft:Begun in April", start - timedelta(days=3)), *_emptied(start + timedelta(days=9))]
    left = Edit(
        start + timedelta(days=12), "#REDIRECT [[New place]]", "Writer moved page [[Old place]] to [[New place]]"
    )
    made.append(History("Old place", [left]))
    return sorted(made, key=lambda history: history.edits[0].at)


def befall(wiki: Wiki) -> None:
    """What happens to the pages between the month and the cutoff; and one is deleted."""
    june = datetime(2024, 6, 10, tzinfo=UTC)
    moves = {
        "Draft:Begun as a draft": "Begun as a draft",
        "User:Writer/Begun in a sandbox": "Draft:Begun in a sandbox",
        "Draft:Begun in a sandbox": "Begun in a sandbox",
        "Draft:Begun in April": "Begun in April",
        "Old name": "New name",
        "Sent back": "Draft:Sent back",
    }
    wiki.happen(*(Event(june, "move", title, to) for title, to in moves.items()))
    wiki.delete("Deleted later")


def go_on(wiki: Wiki, month: int) -> None:
    """What happens to the pages in a month after the cutoff, none of which is to be seen in a snapshot."""
    at = datetime(2024, month, 3, tzinfo=UTC)
    name, before = f"Name of month {month}", f"Name of month {month - 1}" if month > 7 else "New name"
    out, back = ("Salt & Pepper", "Draft:Salt & Pepper")[:: 1 if month % 2 else -1], "Draft:Late draft"
    wiki.happen(
        Event(at, "move", before, to=name),
        Event(at, "move", out[0], to=out[1]),
        Event(at, "move", *((back, "Late draft") if month % 2 else ("Late draft", back))),
        Event(at, "move", *(("Draft:Sent back", "Sent back") if month % 2 else ("Sent back", "Draft:Sent back"))),
        Event(at, "edit", "New place", text=f"#REDIRECT [[Month {month}]]"),
        Event(at, "edit", "Stub 7", text=_text(f"Stub 7 of month {month}")),
        Event(at, "edit", "Old name", text=_text(f"Old name of month {month}")),
        Event(at, "edit", f"Written in month {month}", text=_text("Written later")),
        Event(at, "move", "Begun as a draft", to=f"User:Writer/{month}"),
        Event(at, "move", f"User:Writer/{month}", to="Begun as a draft"),
    )


def _stub(number: int, at: datetime) -> History:
    return History(f"Stub {number}", [Edit(at, f"A stub ({number}).")])


def _redirect(number: int, at: datetime) -> History:
    return History(
        f"Other name {number}", [Edit(at, f"#REDIRECT [[Stub {number}]]", f"Redirected to [[Stub {number}]]")]
    )


def _article(title: str, first: datetime) -> History:
    return growing(title, _text(title), first, first + timedelta(days=4), edits=4)


def _emptied(first: datetime) -> list[History]:
    """Articles of three edits, and what somebody did to them then: in time for the cutoff, or after it."""
    june, july = datetime(2024, 6, 14, tzinfo=UTC), datetime(2024, 7, 1, tzinfo=UTC)
    fate: dict[str, list[tuple[datetime, str | None]]] = {
        "Blanked at the cutoff": [(june, "")],
        "Shrunk at the cutoff": [(june - timedelta(hours=1), "Vandals were here."), (june, "Vandals."), (july, None)],
        "Restored after a blanking": [(june, ""), (june + timedelta(hours=1), None)],
        "Blanked after the cutoff": [(july, "")],
        "Turned into a redirect": [(june, "#REDIRECT [[Salt & Pepper]]")],
    }
    pages = []
    for title, edits in fate.items():
        grown = growing(title, _text(title), first, first + timedelta(days=4), edits=3)
        more = [Edit(at, _text(title) if text is None else text) for at, text in edits]
        pages.append(History(title, [*grown.edits, *more]))
    return pages


def _text(title: str) -> str:
    """Eighty words and more, the same for the same title."""
    chance = random.Random(title)
    sentences = [f"The {' '.join(chance.choices(_WORDS, k=8))} was built in {1800 + number}." for number in range(8)]
    return TEMPLATES.get(title, "") + f"'''{title}''' is a place of this test. " + " ".join(sentences)
