from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.claims.claim import Label
from evaluators.claims.verifiability import CheckedSentence, Support, support
from tests.evaluators.claims.sixty_sentences import PAGES, N, R, S

_LABELS: list[Label] = [S, R, N]
_CHECKED = st.builds(
    lambda label, place: CheckedSentence(label=label, evidence=None if label == N else ("Page", place)),
    st.sampled_from(_LABELS),
    st.integers(0, 3),
)


def _checked(*told: tuple[Label, int | None]) -> list[CheckedSentence]:
    return [CheckedSentence(label=label, evidence=None if at is None else ("Page", at)) for label, at in told]


def test_sixty_sentences_by_hand() -> None:
    labels = [label for page in PAGES for _, label, _ in page.sentences]
    assert [labels.count(label) for label in (S, R, N)] == [20, 20, 20]
    found = [support(_checked(*((label, at) for _, label, at in page.sentences))) for page in PAGES]
    # supported of five, in the order of the pages; of sentences with the same label and evidence one counts
    assert [one.spg * 5 for one in found] == [3, 5, 0, 0, 1, 3, 0, 2, 1, 3, 0, 2]
    assert [one.uspg * 5 for one in found] == [3, 1, 0, 0, 1, 2, 0, 2, 1, 3, 0, 2]
    assert [one.spv for one in found] == [3 / 4, 1, 0, None, 1 / 4, 3 / 5, 0, 1, 1 / 5, 3 / 4, 0, 2 / 4]
    assert [one.uspv for one in found] == [3 / 4, 1, 0, None, 1 / 3, 2 / 3, 0, 1, 1 / 2, 3 / 4, 0, 2 / 4]
    # equations 2 to 5: 20 / 60; 5.05 / 11; 15 / 60; 5.5 / 11, as the fourth page has no verified sentence
    assert fmean(one.spg for one in found) == pytest.approx(1 / 3)
    assert fmean(one.spv for one in found if one.spv is not None) == pytest.approx(5.05 / 11)
    assert fmean(one.uspg for one in found) == pytest.approx(1 / 4)
    assert fmean(one.uspv for one in found if one.uspv is not None) == pytest.approx(1 / 2)


def test_a_repeated_supported_sentence_raises_spg_and_not_uspg() -> None:
    once, twice = support(_checked((S, 0), (R, 1))), support(_checked((S, 0), (R, 1), (S, 0)))
    assert (once.spg, twice.spg) == (1 / 5, 2 / 5)
    assert once.uspg == twice.uspg == 1 / 5
    assert once.uspv == twice.uspv == 1 / 2


def test_one_evidence_that_supports_and_refutes_is_two_sentences() -> None:
    assert support(_checked((S, 0), (R, 0))).uspv == 1 / 2


def test_a_text_without_sentences_supports_nothing_and_verifies_nothing() -> None:
    assert support([]) == Support(spg=0, spv=None, uspg=0, uspv=None)


def test_only_the_first_five_sentences_count() -> None:
    assert support(_checked(*[(N, None)] * 5, (S, 0))).spg == 0


@given(st.lists(_CHECKED, max_size=8))
def test_unique_sentences_are_no_more_than_all(checked: list[CheckedSentence]) -> None:
    found = support(checked)
    assert found.uspg <= found.spg <= 1
    assert (found.spv is None) == (found.uspv is None) == all(one.label == N for one in checked[:5])
