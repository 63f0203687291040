"""Sentences in browse and report with the verdicts on them."""

from typing import Any

from markupsafe import Markup, escape

from flows.report.marked_text import by_text, checked, checked_alone

TEXT = "It <b>stands</b>. Zebras ran.  Long & old."
CLAIM: dict[str, Any] = {"run_id": "run", "page_id": 1, "sample": 0, "evaluator": "claims_article", "checkable": True}
NOTHING: dict[str, Any] = dict.fromkeys(
    ("supported", "refuted", "not_enough_info", "evidence_title", "evidence_sentence", "evidence", "evidence_cut")
)
STANDS = CLAIM | {
    "start_char": 0, "end_char": 17, "claim": "Bridge <b>stands</b>.", "label": "supported",
    "supported": 0.9, "refuted": 0.02, "not_enough_info": 0.08,
    "evidence_title": "Bridge", "evidence_sentence": 3, "evidence": "A <i>bridge</i>.", "evidence_cut": True,
}  # fmt: skip
RAN = CLAIM | NOTHING | {"start_char": 18, "end_char": 29, "claim": "Zebras ran.", "label": "not enough info"}
LONG = RAN | {"start_char": 31, "end_char": 42, "claim": "Long & old.", "checkable": False}


def test_each_sentence_has_its_sign_and_its_evidence_and_nothing_of_the_text_is_lost() -> None:
    assert checked_alone(TEXT, [STANDS, RAN, LONG]) == (
        '<span class="claim supported" tabindex="0"><span class="verdict">✓</span>It &lt;b&gt;stands&lt;/b&gt;.'
        '<span class="evidence" dir="auto"><b>Supported.</b> Checked as <q>Bridge &lt;b&gt;stands&lt;/b&gt;.</q>. '
        "<cite>Bridge</cite>, sentence 4 (beginning): <q>A &lt;i&gt;bridge&lt;/i&gt;.</q> "
        "<small>supported 0.90, refuted 0.02, not enough info 0.08</small></span></span> "
        '<span class="claim unknown" tabindex="0"><span class="verdict">?</span>Zebras ran.'
        '<span class="evidence" dir="auto"><b>Not enough info.</b> No evidence was found.</span></span>  '
        '<span class="claim unchecked" tabindex="0"><span class="verdict">–</span>Long &amp; old.'
        '<span class="evidence" dir="auto"><b>Not checked.</b> The sentence is too long for the pair scorer.'
        "</span></span>"
    )


def test_a_text_that_is_cut_is_cut_within_a_sentence() -> None:
    shown = checked(TEXT, [STANDS, RAN, LONG], 24, lambda first, last: escape(TEXT[first:last]))
    assert "Zebras<" in shown
    assert "unchecked" not in shown


def test_without_verdicts_a_text_stays_as_it_is() -> None:
    assert checked_alone(TEXT, []) == Markup(escape(TEXT))


def test_verdicts_are_told_apart_by_text_and_evaluator() -> None:
    other = RAN | {"evaluator": "claims_wiki"}
    found = by_text([STANDS, RAN, other, RAN | {"sample": 1}])
    assert found == {
        ("run", 1, 0): {"claims_article": [STANDS, RAN], "claims_wiki": [other]},
        ("run", 1, 1): {"claims_article": [RAN | {"sample": 1}]},
    }
