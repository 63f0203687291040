"""Which texts costly evaluators score: prompts are drawn, the same ones under every decoder."""

import pytest

from flows.scoring.text_budget import TextBudget, is_chosen

ONE_EACH = [(page, 0) for page in range(40)]  # greedy
SEVERAL = [(page, sample) for page in range(40) for sample in (1, 4, 7)]  # what is kept of a sampled run
# The first 12 of these as earlier versions drew texts: by the hash of page and sample
EARLIER = [(38, 7), (37, 4), (31, 4), (38, 4), (21, 4), (14, 7), (29, 7), (4, 4), (9, 4), (9, 7), (24, 1), (17, 7)]


@pytest.mark.parametrize("count", [1, 10, 40, 70, 200])
def test_decoders_share_the_prompts_that_are_scored_and_so_do_the_articles(count: int) -> None:
    budget = TextBudget(count)
    greedy, sampled = ({page for page, _ in budget.of_texts(keys)} for keys in (ONE_EACH, SEVERAL))
    assert greedy == sampled == set(budget.of_articles(range(40)))
    assert len(greedy) == min(count, 40)
    assert len(budget.of_texts(SEVERAL)) == min(count, len(SEVERAL))


def test_every_prompt_has_a_text_before_any_has_a_second() -> None:
    of_page = [page for page, _ in TextBudget(50).of_texts(SEVERAL)]
    assert sorted(of_page.count(page) for page in range(40)) == [1] * 30 + [2] * 10


def test_a_larger_budget_adds_to_a_smaller_one() -> None:
    assert TextBudget(50).of_texts(SEVERAL)[:20] == TextBudget(20).of_texts(SEVERAL[::-1])


def test_only_what_a_budget_chooses_is_taken_for_chosen() -> None:
    by_prompt, by_text = TextBudget(30).of_texts(SEVERAL), EARLIER
    for scored in (by_prompt, by_text, by_prompt + by_text, SEVERAL, []):
        assert is_chosen(set(scored), SEVERAL)
    picked = sorted(SEVERAL)[:30]
    assert not is_chosen(set(picked), SEVERAL)
    assert not is_chosen(set(by_prompt[1:]), SEVERAL)
