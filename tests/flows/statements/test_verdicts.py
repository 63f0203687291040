"""Each kind of statement holds, does not hold, or cannot be told, by texts whose numbers are known."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from flows.statements.numbers import Array, ReadRun
from flows.statements.result_tables import Verdict
from flows.statements.statement import Statement
from flows.statements.verdicts import FAILS, HOLDS, UNKNOWN, verdicts
from tests.flows.statements.scripted import Scripted, articles, judged, numbers, sampled, stated, texts

TOP_P = (0.5, 0.9, 1.0)
SURE, UNSURE = 0.02, 1.0  # by how much an article differs from run to run: then nothing is told of it
RISES = stated("trend", "Distinct-n", parameter="top_p", direction="up")
FALLS = replace(RISES, direction="down")


def over(parameter: str, values: tuple[float, ...], change: float, differ: float = SURE, seed: int = 0) -> Scripted:
    """Distinct-n changes by so much from the first to the last value, in equal steps."""
    steps = np.linspace(0, change, len(values))
    return [
        (sampled(model="toy", **{parameter: value}), {"Distinct-n": texts(seed + place, step, differ=differ)})
        for place, (value, step) in enumerate(zip(values, steps, strict=True))
    ]


@pytest.mark.parametrize(
    ("statement", "change", "differ", "verdict"),
    [
        (RISES, 1.0, SURE, HOLDS),
        (FALLS, -1.0, SURE, HOLDS),
        (RISES, -1.0, SURE, FAILS),
        (FALLS, 1.0, SURE, FAILS),
        (RISES, 0.0, SURE, FAILS),  # there is surely no effect worth the name
        (RISES, 0.0, UNSURE, UNKNOWN),
        (RISES, 0.3, UNSURE, UNKNOWN),
        (replace(RISES, by="large"), 2.0, SURE, HOLDS),
        (replace(RISES, by="large"), 0.3, SURE, FAILS),
        (replace(RISES, by="large"), 0.9, UNSURE, UNKNOWN),
    ],
)
def test_a_trend(statement: Statement, change: float, differ: float, verdict: Verdict) -> None:
    assert judged(over("top_p", TOP_P, change, differ), statement).verdict == verdict


def test_an_effect_is_the_slope_on_the_values_ranks_in_standard_deviations_of_texts() -> None:
    """By hand: means of 3, 3, 3 and 4 have the slope 0.3 on their ranks, which is 0.9 from first to last."""
    made = [
        (sampled(top_p=value), {"Distinct-n": texts(place, mean)})
        for place, (value, mean) in enumerate(zip((0.5, 0.9, 0.95, 1.0), (3, 3, 3, 4), strict=True))
    ]
    deviation = np.sqrt(np.mean([of["Distinct-n"].var(ddof=1) for _, of in made]))
    found = judged(made, RISES)
    assert found.effect == pytest.approx(0.9 / deviation)
    assert found.effect is not None and found.low is not None and found.high is not None
    assert found.low < found.effect < found.high
    assert (found.runs, found.articles, found.comparisons, found.unit) == (4, 30, 1, "sd")
    assert found.ours == "3.000 at 0.5, 3.000 at 0.9, 3.000 at 0.95, 4.000 at 1"


def test_a_trend_is_over_every_choice_of_the_other_parameters_that_has_all_values() -> None:
    made = [
        (sampled(top_p=top_p, top_k=top_k), {"Distinct-n": texts(int(top_k + 10 * top_p), top_p)})
        for top_p in (0.5, 1.0)
        for top_k in (20, 50)
    ]
    alone = (sampled(top_p=1.0, top_k=500), {"Distinct-n": texts(9, -50)})  # its like at 0.5 is not there
    without, beside = judged(made, RISES), judged([*made, alone], RISES)
    assert (beside.runs, beside.effect) == (4, without.effect)
    assert beside.verdict == HOLDS


def spreading(first: float, last: float, *, of: str = "all texts") -> Scripted:
    """Texts vary by so much at the first top-p, and by so much at the last."""
    each = (lambda seed, spread: texts(seed, spread=spread)) if of == "each prompt" else _scaled
    return [(sampled(top_p=top_p), {"Rep-n": each(seed, spread)}) for seed, (top_p, spread) in
            enumerate(((0.5, first), (1.0, last)))]  # fmt: skip


def _scaled(seed: int, spread: float) -> Array:
    return texts(seed) * spread


@pytest.mark.parametrize(("first", "last", "verdict"), [(2, 1, HOLDS), (1, 2, FAILS)])
def test_the_spread_of_all_texts(first: float, last: float, verdict: Verdict) -> None:
    assert judged(spreading(first, last), stated("spread", parameter="top_p", direction="down")).verdict == verdict


@pytest.mark.parametrize(("first", "last", "verdict"), [(1, 2, HOLDS), (2, 1, FAILS), (1, 1, UNKNOWN)])
def test_the_spread_of_each_prompt(first: float, last: float, verdict: Verdict) -> None:
    statement = stated("spread", parameter="top_p", direction="up", of="each prompt")
    found = judged(spreading(first, last, of="each prompt"), statement)
    assert (found.verdict, found.unit) == (verdict, "ln sd")


@pytest.mark.parametrize(
    ("change", "differ", "verdict"), [(0.0, SURE, HOLDS), (1.0, SURE, FAILS), (0.1, UNSURE, UNKNOWN)]
)
def test_a_small_effect_is_within_the_margin_between_any_two_values(
    change: float, differ: float, verdict: Verdict
) -> None:
    found = judged(over("top_k", (20, 50, 500), change, differ), stated("small", "Distinct-n", parameter="top_k"))
    assert (found.verdict, found.comparisons) == (verdict, 3)


@pytest.mark.parametrize(
    ("temperature", "top_p", "differ", "verdict"),
    [
        (2.0, 0.3, SURE, HOLDS),
        (-2.0, 0.3, SURE, HOLDS),  # whichever way
        (0.3, -2.0, SURE, FAILS),
        (1.0, 1.0, UNSURE, UNKNOWN),
    ],
)
def test_the_largest_effect(temperature: float, top_p: float, differ: float, verdict: Verdict) -> None:
    made = [
        (sampled(temperature=hot, top_p=wide),
         {"Rep-n": texts(place, temperature * (hot > 0.5) + top_p * (wide > 0.5), differ=differ)})
        for place, (hot, wide) in enumerate([(0.1, 0.5), (0.1, 1.0), (0.9, 0.5), (0.9, 1.0)])
    ]  # fmt: skip
    statement = stated("largest", "Rep-n", "S-BERT", parameter="temperature", than=("top_p",))
    assert judged(made, statement).verdict == verdict


def related(r: float, count: int = 30) -> Scripted:
    """Two metrics that correlate by so much."""
    one, other = texts(1, spread=1.0, count=count), texts(2, count=count) * 0
    other += np.random.default_rng(3).normal(0, one.std(), one.shape)
    other -= one * (one * other).sum() / (one**2).sum()
    other *= one.std() / other.std()
    return [(sampled(), {"FK-Score": one, "Gunning fog": r * one + np.sqrt(1 - r**2) * other})]


STRONG = stated("correlation", "FK-Score", "Gunning fog", direction="down", by="strong")
WEAK = stated("weak", share="most")


@pytest.mark.parametrize(
    ("statement", "r", "count", "verdict"),
    [
        (STRONG, -0.9, 30, HOLDS),
        (STRONG, -0.1, 30, FAILS),
        (STRONG, 0.9, 30, FAILS),
        (STRONG, -0.5, 30, UNKNOWN),
        (replace(STRONG, by=None), -0.5, 30, HOLDS),
        (replace(STRONG, by=None), 0.5, 30, FAILS),
        (replace(STRONG, by=None), 0.0, 13, UNKNOWN),
        (replace(STRONG, by="medium", direction="up"), 0.4, 400, HOLDS),
        (replace(STRONG, by="medium", direction="up"), 0.8, 30, FAILS),
        (replace(STRONG, by="medium", direction="up"), 0.3, 30, UNKNOWN),
        (WEAK, 0.05, 60, HOLDS),
        (WEAK, 0.8, 60, FAILS),
        (WEAK, 0.3, 60, UNKNOWN),
        (stated("no_other"), 0.1, 60, HOLDS),
        (stated("no_other"), 0.9, 60, FAILS),
        (stated("no_other"), 0.5, 60, UNKNOWN),
    ],
)
def test_a_correlation(statement: Statement, r: float, count: int, verdict: Verdict) -> None:
    made = related(r, count)
    found = judged(made, statement)
    assert (found.verdict, found.unit) == (verdict, "r")
    one, other = (values.ravel() for values in made[0][1].values())
    assert found.ours.endswith(f"r = {np.corrcoef(one, other)[0, 1]:+.2f}")


def test_of_several_comparisons_that_all_must_be_so_the_verdict_is_of_the_worst() -> None:
    """Metrics that are independent but for one pair."""
    made = [(sampled(), {name: texts(seed, spread=9.0, count=200) for seed, name in enumerate(("A", "B", "C"))})]
    made[0][1]["C"][:] = made[0][1]["A"] + texts(4, spread=3.0, count=200)
    assert judged(made, stated("no_other")).verdict == FAILS
    assert judged(made, stated("no_other", besides=[["A", "C"]])).verdict == HOLDS
    assert judged(made, WEAK).verdict == HOLDS  # two of three


LARGER = stated("size", "S-BERT", "Essay scoring", direction="up", share="most")
OF_THREE = ("FK-Score", "Gunning fog", "S-BERT")
NEEDED = "needs the metrics S-BERT"


@pytest.mark.parametrize(
    ("statement", "r", "verdict", "why"),
    [
        (replace(WEAK, metrics=OF_THREE), 0.05, UNKNOWN, NEEDED),  # one of three pairs is not most of them
        (replace(WEAK, metrics=OF_THREE), 0.8, UNKNOWN, NEEDED),
        (replace(WEAK, metrics=OF_THREE[:2]), 0.8, FAILS, None),
        (stated("no_other", *OF_THREE), 0.1, UNKNOWN, f"it is not shown to fail, and to hold it {NEEDED}"),
        (stated("no_other", *OF_THREE), 0.9, FAILS, None),  # one pair is enough
    ],
)
def test_a_pair_of_metrics_that_the_runs_lack_is_neither_for_nor_against_it(
    statement: Statement, r: float, verdict: Verdict, why: str | None
) -> None:
    found = judged(related(r, 60), statement)
    assert (found.verdict, found.why) == (verdict, why)


GPT3 = stated("models", "Entity overlap", models=("GPT-3",), than=("BART", "T5"), direction="up")


def listed(gpt3: float, bart: float, t5: float, differ: float = SURE) -> Scripted:
    named = {"davinci-002": gpt3, "models/bart-base-wiki": bart, "t5-base": t5}
    return [
        (sampled(name), {"Entity overlap": texts(place, mean, differ=differ)})
        for place, (name, mean) in enumerate(named.items())
    ]


@pytest.mark.parametrize(
    ("statement", "made", "verdict"),
    [
        (GPT3, listed(3, 1, 2), HOLDS),
        (GPT3, listed(2, 1, 3), FAILS),
        (GPT3, listed(0, 0, 0, UNSURE), UNKNOWN),
        (replace(GPT3, share="all but two"), listed(2, 1, 3), HOLDS),
        (replace(GPT3, models=("BART",), than=("GPT-3",), direction="down"), listed(2, 1, 3), HOLDS),
        (stated("level", "Entity overlap", models=("GPT-3",), level=0.5), listed(0.9, 0, 0), HOLDS),
        (stated("level", "Entity overlap", models=("GPT-3",), level=0.5), listed(0.1, 0, 0), FAILS),
        (stated("level", "Entity overlap", models=("GPT-3",), level=0.5), listed(0.5, 0, 0), UNKNOWN),
    ],
)
def test_named_models(statement: Statement, made: Scripted, verdict: Verdict) -> None:
    assert judged(made, statement).verdict == verdict


def test_without_a_models_runs_it_says_which_are_needed() -> None:
    found = judged(listed(3, 1, 2), replace(GPT3, than=("BART", "OPT", "GLM")))
    assert (found.verdict, found.why, found.effect) == (UNKNOWN, "needs runs of OPT, GLM", None)


def test_a_model_beside_the_articles() -> None:
    made = [*listed(3, 1, 2), (articles(), {"Entity overlap": texts(8, 0.0)[:, :1]})]
    assert judged(made, replace(GPT3, than=("Wikipedia",))).verdict == HOLDS


SIZES = (1e6, 4e6, 3e7, 1e8, 1e9)


def sized(scale: Callable[[int], Array], sizes: Sequence[float] = SIZES) -> Scripted:
    """A model of each size, whose texts the function makes from its place."""
    return [(sampled(f"model {place}", size=size), {"S-BERT": scale(place)}) for place, size in enumerate(sizes)]


@pytest.mark.parametrize(
    ("statement", "made", "verdict"),
    [
        (stated("size", "S-BERT", direction="up"), sized(lambda place: texts(place, place)), HOLDS),
        (stated("size", "S-BERT", direction="up"), sized(lambda place: texts(place, -place)), FAILS),
        (stated("size", "S-BERT", direction="up"), sized(lambda place: texts(place, differ=UNSURE)), UNKNOWN),
        (stated("size_spread", direction="up"), sized(lambda place: texts(place) * 2**place), HOLDS),
        (stated("size_spread", direction="up"), sized(lambda place: texts(place) / 2**place), FAILS),
        (stated("size_spread", direction="up"), sized(lambda place: texts(place) * (1, 9, 2, 5, 3)[place]), UNKNOWN),
    ],
)
def test_sizes(statement: Statement, made: Scripted, verdict: Verdict) -> None:
    found = judged(made, statement)
    assert (found.verdict, found.generalizes_over) == (verdict, "models and articles")


def test_most_metrics_are_most_of_those_that_the_statement_names() -> None:
    rising = sized(lambda place: texts(place, place))
    falling = sized(lambda place: texts(place, -place))
    found = judged(rising, LARGER)
    needed = "it is not shown to fail, and to hold it needs the metrics Essay scoring"
    assert (found.verdict, found.why) == (UNKNOWN, needed)
    assert judged(falling, LARGER).verdict == FAILS  # one of two
    of_four = replace(LARGER, metrics=("S-BERT", "Essay scoring", "Entity overlap", "Info density"))
    named = "Essay scoring, Entity overlap, Info density"
    for made in (rising, falling):
        found = judged(made, of_four)
        assert (found.verdict, found.why, found.p_holds) == (UNKNOWN, f"needs the metrics {named}", None)


@pytest.mark.parametrize(
    ("sizes", "there"),
    [
        ((124439808, 124440576), "1 of them is there"),
        ((1e8, 1e9), "2 of them are there"),
        ((1e8, 1.4e8, 1e9, 1.4e9, 1e10), "3 of them are there"),
    ],
)
def test_fewer_than_four_sizes_say_nothing_about_size(sizes: Sequence[float], there: str) -> None:
    found = judged(sized(lambda place: texts(place, place), sizes), stated("size", "S-BERT", direction="up"))
    assert (found.verdict, found.p_holds) == (UNKNOWN, None)
    assert there in str(found.why)


def test_sizes_are_compared_within_families() -> None:
    """By hand: each family rises by 1 from one size to the next of ten times as many; OPT lies 5 lower."""
    sizes = {"pythia-10m": 1e7, "pythia-100m": 1e8, "pythia-1b": 1e9, "opt-100m": 1e8, "opt-1b": 1e9, "gpt2": 1e8}
    levels = {"pythia-10m": 0, "pythia-100m": 1, "pythia-1b": 2, "opt-100m": -4, "opt-1b": -3, "gpt2": 9}
    made: Scripted = [
        (sampled(name, size=size), {"S-BERT": texts(place, levels[name])})
        for place, (name, size) in enumerate(sizes.items())
    ]
    found = judged(made, stated("size", "S-BERT", direction="up"))
    deviation = np.sqrt(np.mean([of["S-BERT"].var(ddof=1) for _, of in made[:-1]]))
    assert found.effect == pytest.approx(2 / deviation)
    assert (found.verdict, found.models) == (HOLDS, 5)
    assert found.ours.endswith("over 1e+07 to 1e+09 parameters, 5 models of pythia, opt, without 1 of other families")


def test_families_are_the_units_where_they_have_too_few_sizes() -> None:
    """Two models of one family are no two independent models."""
    sizes = {"a-1b": 1e9, "a-2b": 2e9, "b-4b": 4e9, "c-9b": 9e9, "d-20b": 2e10}
    made: Scripted = [
        (sampled(name, size=size), {"S-BERT": texts(place, np.log(size))})
        for place, (name, size) in enumerate(sizes.items())
    ]
    found = judged(made, stated("size", "S-BERT", direction="up"))
    assert (found.models, found.verdict) == (4, HOLDS)
    assert found.ours.endswith("4 families of models")
    few = judged(made[:-1], stated("size", "S-BERT", direction="up"))
    assert "of a there are too few sizes, and of families 3" in str(few.why)


def test_what_cannot_be_told_of_size_says_how_many_models_it_takes() -> None:
    made = sized(lambda place: texts(place, place + (1.5, -2.0, 0.0, 1.0, -0.5)[place]))
    found = judged(made, stated("size", "S-BERT", direction="up"))
    assert (found.verdict, found.models) == (UNKNOWN, 5)
    assert found.models_needed is not None and found.models_needed > 5
    assert str(found.why).endswith(f"5 models, and for an effect as large as this it takes {found.models_needed}")
    among = verdicts(numbers(made), [stated("size", "S-BERT"), replace(stated("size", "S-BERT"), name="another")])[0]
    assert among.models_needed is not None and among.models_needed > found.models_needed


def test_sizes_that_nobody_knows_are_said() -> None:
    found = judged(over("top_p", (0.5, 1.0), 1.0), stated("size", "Distinct-n"))
    assert "needs runs of models of 4 known sizes" in str(found.why)
    assert "0 of them are there" in str(found.why)


def test_models_that_differ_whatever_their_size_are_rarely_said_to_grow_with_it() -> None:
    """The null at the unit of the claim: each model has a level of its own, far larger than what articles vary by."""
    random, called = np.random.default_rng(4), 0
    for _ in range(400):
        levels = random.normal(size=4)
        made = [
            (sampled(f"model {place}", size=1e6 * 3**place), {"S-BERT": texts(place, level)})
            for place, level in enumerate(levels)
        ]
        called += judged(made, stated("size", "S-BERT", direction="up")).verdict == HOLDS
    assert called <= 20  # 10 of 400 are expected: half of 5 %, as the statement names one direction of two


def test_more_runs_of_a_model_make_it_no_more_models() -> None:
    run, metrics = sized(lambda place: texts(place, place))[0]
    made = [(replace(run, run_id=str(one), size=1e6 * 2**one), metrics) for one in range(6)]
    found = judged(made, stated("size", "S-BERT", direction="up"))
    assert "1 of them is there" in str(found.why)


def test_a_correlation_is_pearsons_own() -> None:
    one, other = texts(1), 0.5 * texts(1) + texts(2, differ=1.0)
    made = [(sampled(), {"A": one, "B": other})]
    found = judged(made, stated("correlation", "A", "B"))
    assert found.effect == pytest.approx(np.corrcoef(one.ravel(), other.ravel())[0, 1], abs=1e-12)


@pytest.mark.parametrize(("order", "verdict"), [((4, 3, 2, 1), HOLDS), ((4, 3, 1, 2), FAILS)])
def test_the_order_of_models_spreads(order: tuple[int, ...], verdict: Verdict) -> None:
    names = ("davinci", "gpt2-xl", "bart-base", "t5-base")
    made = [
        (sampled(name), {"Rep-n": texts(place) * scale})
        for place, (name, scale) in enumerate(zip(names, order, strict=True))
    ]
    statement = stated("model_spread", models=("GPT-3", "GPT-2", "BART", "T5"), direction="down")
    assert judged(made, statement).verdict == verdict


def test_statements_of_every_kind_are_corrected_for_their_number() -> None:
    made = over("top_p", (0.5, 1.0), 0.4, 1.0)
    alone = verdicts(numbers(made), [RISES])[0]
    beside = [replace(RISES, name=f"{place}", direction="down") for place in range(9)]
    among = verdicts(numbers(made), [RISES, *beside])[0]
    of_other_kinds = [stated("small", "Distinct-n", parameter="top_p"), stated("trend", "Rep-n", parameter="top_p")]
    beside_another = verdicts(numbers(made), [RISES, *of_other_kinds])[0]
    assert alone.p_holds is not None and alone.p_holds <= 0.05
    assert among.p_holds == pytest.approx(min(1.0, 10 * alone.p_holds))
    assert beside_another.p_holds == pytest.approx(2 * alone.p_holds)  # Rep-n, which nobody has, is not tested
    assert (alone.verdict, among.verdict) == (HOLDS, UNKNOWN)


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ([(sampled(), {"Distinct-n": texts(0)})], "needs runs that differ in top_p and in nothing else"),
        ([(sampled(top_p=p), {"Rep-n": texts(0)}) for p in (0.5, 1.0)], "needs the metric Distinct-n of every run"),
        ([(sampled(top_p=p), {"Distinct-n": texts(0) * 0}) for p in (0.5, 1.0)], "the metric does not vary"),
        ([(sampled(top_p=p), {"Distinct-n": texts(0, p, count=12)}) for p in (0.5, 1.0)], "too few articles: 13 are"),
    ],
)
def test_what_cannot_be_told_says_why(made: Scripted, why: str) -> None:
    found = judged(made, RISES)
    assert found.verdict == UNKNOWN
    assert found.why is not None and found.why.startswith(why)


def test_articles_that_one_of_the_runs_has_no_text_of_are_left_out() -> None:
    made = over("top_p", (0.5, 1.0), 1.0)
    made[0][1]["Distinct-n"][:5] = np.nan
    assert judged(made, RISES).articles == 25


def test_both_penalties_go_together_and_off_is_the_largest_top_k() -> None:
    penalized = [
        (sampled(penalty=penalty), {"Distinct-n": texts(place, penalty)})
        for place, penalty in enumerate((0.0, 0.5, 1.0))
    ]
    statement = stated("trend", "Distinct-n", parameter="penalty")
    assert (judged(penalized, statement).verdict, statement.kind) == (HOLDS, "penalties")
    one_alone: ReadRun = replace(sampled(), parameters={"presence_penalty": 1.0, "frequency_penalty": 0.0})
    assert judged([penalized[0], (one_alone, penalized[1][1])], statement).verdict == UNKNOWN
    by_top_k = [(sampled(top_k=k), {"Distinct-n": texts(place, m)}) for place, (k, m) in enumerate(((0, 4), (20, 3)))]
    assert judged(by_top_k, replace(RISES, parameter="top_k")).ours == "3.000 at 20, 4.000 at off"
