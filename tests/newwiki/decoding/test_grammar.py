import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.decoding.grammar import Decoder, parse, short_form
from newwiki.errors import UsageError
from newwiki.registry import decoders


def canonical(text: str) -> list[str]:
    return [decoder.canonical for decoder in parse(text)]


def sampling(temperature: float = 1, top_k: int = 0, top_p: float = 1) -> str:
    penalties = "frequency_penalty=0,presence_penalty=0,repetition_penalty=1"
    return f"sample:{penalties},temperature={temperature},top_k={top_k},top_p={top_p},typical_p=1"


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("greedy", ["greedy"]),
        ("greedy:no_repeat_ngram_size=0", ["greedy"]),
        ("greedy:no_repeat_ngram_size=03", ["greedy:no_repeat_ngram_size=3"]),
        ("sample", [sampling()]),
        ("sample:top_p=0.90,top_k=20", [sampling(top_k=20, top_p=0.9)]),
        ("sample:top_k=20,top_p=.9,temperature=1.0", [sampling(top_k=20, top_p=0.9)]),
        ("sample:temperature=1e-3", [sampling(temperature=0.001)]),
        ("sample:top_p=[0.5]", [sampling(top_p=0.5)]),
    ],
)
def test_the_canonical_form_writes_defaults_out_sorts_keys_and_normalises_numbers(text: str, forms: list[str]) -> None:
    assert canonical(text) == forms


# What runs are named by. A parameter that a decoder gets later is `omitted_at_default`, so that no form here changes.
NAMES = {
    "beam": "beam:length_penalty=1,num_beams=5",
    "contrastive-decoding": "contrastive-decoding:alpha=0.1,amateur=x,amateur_context=last,amateur_temperature=0.5,"
    "candidates=paper,num_beams=5",
    "contrastive-search": "contrastive-search:penalty_alpha=0.6,top_k=5",
    "delayed-beam": "delayed-beam:delay=1,num_beams=6,top_k=100",
    "greedy": "greedy",
    "group-beam": "group-beam:diversity_penalty=0.2,length_penalty=1,num_beam_groups=2,num_beams=6",
    "sample": sampling(),
    "sibling-beam": "sibling-beam:length_penalty=1,num_beams=5,sibling_penalty=0.1",
}


@pytest.mark.parametrize(("name", "form"), NAMES.items())
def test_new_parameters_do_not_rename_existing_runs(name: str, form: str) -> None:
    assert canonical(f"{name}:amateur=x" if "amateur" in form else name) == [form]
    assert canonical(form) == [form]


# The parameters that `sample` got later, each at a value that is not its default.
LATER = {
    "epsilon_cutoff": 0.0003, "eta_cutoff": 0.0003, "min_p": 0.05, "p_less": 1, "top_h": 0.4, "top_n_sigma": 1,
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), LATER.items())
def test_a_truncation_rule_is_named_and_recorded_only_where_it_is_on(name: str, value: float) -> None:
    """So a run from before the rule keeps its id, and a repeated request stores the same row."""
    (off,), (on,) = parse(f"sample:{name}=0"), parse(f"sample:{name}={value}")
    assert off.canonical == sampling()
    assert off == parse("sample")[0]
    earlier = {
        "top_k": 0, "top_p": 1.0, "typical_p": 1.0, "temperature": 1.0, "presence_penalty": 0.0,
        "frequency_penalty": 0.0, "repetition_penalty": 1.0, "no_repeat_ngram_size": 0,
    }  # fmt: skip
    assert off.recorded == earlier
    assert f"{name}={value}" in on.canonical
    assert parse(on.canonical) == [on]
    assert on.recorded == {**earlier, name: value}
    assert off.is_recorded_as(earlier)
    assert off.is_recorded_as(off.parameters)
    assert not on.is_recorded_as(earlier)
    assert not off.is_recorded_as(on.parameters)


def test_every_decoder_of_the_package_has_a_recorded_name() -> None:
    own = {name for name, kind in decoders.all().items() if kind.make.__module__.startswith("newwiki.decoding.")}
    assert own == NAMES.keys()


def test_a_parameter_omitted_at_its_default_is_named_elsewhere() -> None:
    assert canonical("delayed-beam:length_penalty=0.0") == ["delayed-beam:delay=1,num_beams=6,top_k=100"]
    assert canonical("delayed-beam:length_penalty=1") == ["delayed-beam:delay=1,length_penalty=1,num_beams=6,top_k=100"]


def test_a_grid_is_every_combination() -> None:
    assert set(canonical("sample:top_p=[0.5, 0.9],top_k=3,temperature=[0.1,0.9]")) == {
        sampling(temperature, 3, top_p) for temperature in (0.1, 0.9) for top_p in (0.5, 0.9)
    }


def test_the_papers_grid_is_48_runs() -> None:
    grid = "sample:top_p=[0.5,0.9,0.95,1.0],top_k=[20,50,100,500],temperature=[0.1,0.5,0.9]"
    assert len(set(canonical(grid))) == 48


def test_the_short_form_leaves_defaults_out() -> None:
    assert parse("sample:top_k=0,top_p=0.9,temperature=1.0")[0].short == "sample:top_p=0.9"
    assert parse("greedy:no_repeat_ngram_size=0")[0].short == "greedy"
    assert short_form(sampling(top_k=5)) == "sample:top_k=5"
    assert short_form("a-plug-in-that-is-gone:x=1") == "a-plug-in-that-is-gone:x=1"
    assert short_form("sample:top_k=[1,2]") == "sample:top_k=[1,2]"


def test_parameters_are_numbers_of_their_own_kind() -> None:
    (decoder,) = parse("sample:top_k=3,top_p=1")
    given = {name: decoder.parameters[name] for name in ("top_k", "top_p", "temperature")}
    assert given == {"top_k": 3, "top_p": 1.0, "temperature": 1.0}
    assert [type(value) for value in given.values()] == [int, float, float]


NUMBERS = st.floats(min_value=0, max_value=1, exclude_min=True, allow_subnormal=False)
SAMPLES = st.builds(
    lambda k, p, t: Decoder("sample", {**parse("sample")[0].parameters, "top_k": k, "top_p": p, "temperature": t}),
    st.integers(0, 10_000_000),
    NUMBERS,
    st.floats(min_value=0, exclude_min=True, allow_infinity=False),
)


@given(SAMPLES)
def test_the_canonical_form_is_read_back_as_the_same_decoder(decoder: Decoder) -> None:
    assert parse(decoder.canonical) == [decoder]


@given(SAMPLES, SAMPLES)
def test_decoders_are_equal_where_their_canonical_forms_are(one: Decoder, other: Decoder) -> None:
    """A run is named by the canonical form: two decoders with one form would share their completions."""
    assert (one == other) == (one.canonical == other.canonical)


def test_decoders_that_differ_in_a_late_digit_differ() -> None:
    assert canonical("sample:top_p=0.1234567") != canonical("sample:top_p=0.1234568")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nucleus", "there is no decoder 'nucleus'; there are: "),
        ("", "there is no decoder ''"),
        ("Sample", r"there is no decoder 'Sample'; there are: .*; did you mean 'sample'\?$"),
        ("greedy:top_k=1", "decoder 'greedy' has no parameter 'top_k'; it has: no_repeat_ngram_size$"),
        (
            "sample:topp=1",
            r"decoder 'sample' has no parameter 'topp'; it has: .*top_k, .*top_p, .*; did you mean 'top_p'\?$",
        ),
        ("sample:x=1", r"decoder 'sample' has no parameter 'x'; it has: [\w, ]*$"),
        ("sample:top_p=x", "decoder 'sample': top_p must be a number, not 'x'"),
        ("sample:top_k=2.5", "decoder 'sample': top_k must be a whole number, not '2.5'"),
        ("sample:top_k=1e2", "decoder 'sample': top_k must be a whole number, not '1e2'"),
        ("sample:top_p=0.5;top_k=1", "decoder 'sample': top_p must be a number, not '0.5;top_k=1'"),
        ("sample:top_p=[]", "decoder 'sample': top_p must be a number, not ''"),
        ("sample:top_p=[0.5,]", "decoder 'sample': top_p must be a number, not ''"),
        ("sample:top_k=-1", "decoder 'sample': top_k must be at least 0, not '-1'"),
        ("sample:top_p=0", "decoder 'sample': top_p must be above 0 and at most 1, not '0'"),
        ("sample:top_p=1.1", "decoder 'sample': top_p must be above 0 and at most 1, not '1.1'"),
        ("sample:top_p=[0.5,2]", "decoder 'sample': top_p must be above 0 and at most 1, not '2'"),
        ("sample:min_p=1.5", "decoder 'sample': min_p must be at least 0 and at most 1, not '1.5'"),
        ("sample:top_h=-0.1", "decoder 'sample': top_h must be at least 0 and at most 1, not '-0.1'"),
        ("sample:epsilon_cutoff=1", "decoder 'sample': epsilon_cutoff must be at least 0 and below 1, not '1'"),
        ("sample:eta_cutoff=1", "decoder 'sample': eta_cutoff must be at least 0 and below 1, not '1'"),
        ("sample:top_n_sigma=-1", "decoder 'sample': top_n_sigma must be at least 0, not '-1'"),
        ("sample:p_less=0.5", "decoder 'sample': p_less must be a whole number, not '0.5'"),
        ("sample:temperature=0", "decoder 'sample': temperature must be above 0, not '0'"),
        ("sample:temperature=-1", "decoder 'sample': temperature must be above 0, not '-1'"),
        ("sample:temperature=inf", "decoder 'sample': temperature must be above 0, not 'inf'"),
        ("sample:temperature=nan", "decoder 'sample': temperature must be above 0, not 'nan'"),
    ],
)
def test_an_error_names_decoder_parameter_and_value(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(text)


@pytest.mark.parametrize(
    "text",
    ["sample:", "greedy:", "sample:top_p", "sample:top_p=", "sample:top_p=0.5,", "sample:,top_p=0.5",
     "sample:top_p=[0.5", "sample:top_p=0.5]", "sample:top_p=[[0.5]]", "sample:top_p=0.5,top_p=0.6",
     "sample:=1", "sample: top_p=0.5", "sample:top_p=[0.5][0.6]"],
)  # fmt: skip
def test_what_cannot_be_read_is_misuse_and_shows_the_form(text: str) -> None:
    with pytest.raises(UsageError, match="is not a decoder; write name:key=value,key=value, with each key once, and "):
        parse(text)
