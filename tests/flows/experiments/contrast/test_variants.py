"""Which decoders each part sets beside each other, and the figures that are drawn of all parts."""

import pytest

from flows.experiments.contrast.figures import figures
from flows.experiments.contrast.request import BESIDE, ContrastRequest
from flows.experiments.contrast.result_tables import ContrastNumber, ContrastVariant
from flows.experiments.contrast.variants import decoder_words, variants
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError

EXPERT, AMATEUR = "models/large", "models/small"


def asked(**other: object) -> ContrastRequest:
    return ContrastRequest(**{"models": (EXPERT,), "amateur": (AMATEUR,), **other})  # type: ignore[arg-type]


def of_part(found: list[ContrastVariant], part: str) -> list[str]:
    return [one.value for one in found if one.part == part]


def test_each_part_has_its_values() -> None:
    found = variants(asked(amateur=(AMATEUR, "models/smaller")), EXPERT)
    assert {part: of_part(found, part) for part in dict.fromkeys(one.part for one in found)} == {
        "decoders": [
            "contrastive-decoding:amateur=small",
            *(decoder.short for one in BESIDE for decoder in parse(one)),
        ],
        "k": ["2", "3", "4", "5", "6", "7", "8", "9", "10"],
        "amateur-temperature": ["0.1", "0.5", "1", "1.5", "2", "10"],
        "amateur-size": ["small", "smaller", "itself", "itself (full context, temperature 1)"],
        "amateur-context": ["last", "full"],
        "plausibility": ["0.1", "0"],
        "sampling": ["5", "0"],
        "beams": ["1", "2", "5", "10"],
    }
    assert [one.place for one in found if one.part == "beams"] == [0, 1, 2, 3]


def test_of_contrastive_decoding_one_parameter_is_varied() -> None:
    found = variants(asked(), EXPERT)
    main = parse(found[0].decoder)[0].parameters
    as_in_the_paper = {
        "amateur": AMATEUR,
        "alpha": 0.1,
        "amateur_temperature": 0.5,
        "amateur_context": "last",
        "candidates": "paper",
        "num_beams": 5,
    }
    assert as_in_the_paper.items() <= main.items()
    for one in found:
        if one.part not in ("decoders", "k"):
            parameters = parse(one.decoder)[0].parameters
            differing = {name: value for name, value in parameters.items() if value != main[name]}
            identical = {"amateur": EXPERT, "amateur_context": "full", "amateur_temperature": 1}
            assert differing == identical or differing.keys() <= {one.parameter}, one


def test_an_own_temperature_stands_among_the_others() -> None:
    found = variants(asked(amateur_temperature=0.7, ablations="amateur-temperature"), EXPERT)
    assert of_part(found, "amateur-temperature") == ["0.1", "0.5", "0.7", "1", "1.5", "2", "10"]


def test_k_is_varied_where_contrastive_search_is_not_asked_for() -> None:
    found = variants(asked(decoder=("greedy",), ablations="k"), EXPERT)
    ks = [parse(one.decoder)[0] for one in found if one.part == "k"]
    assert [one.parameters["top_k"] for one in ks] == list(range(2, 11))
    assert {one.parameters["penalty_alpha"] for one in ks} == {0.6}


def test_a_list_of_amateurs_is_no_name() -> None:
    with pytest.raises(UsageError, match="give --amateur once for each"):
        variants(asked(amateur=("[small,smaller]",)), EXPERT)


def test_all_figures_are_drawn() -> None:
    found = variants(asked(), EXPERT)
    decoders = dict.fromkeys(one.decoder for one in found)
    metrics = ("diversity_simctg", "mauve", "likelihood_coherence", "embedding_coherence")
    drawn = figures(
        found, [_number(decoder, metric, place) for place, decoder in enumerate(decoders) for metric in metrics]
    )
    captions = [one.caption for one in drawn]
    planes = [caption.split(",")[0] for caption in captions[:4]]
    assert planes == [
        f"large: {up} against coherence by {across}"
        for across in ("likelihood (nats)", "embeddings")
        for up in ("diversity of all texts (%)", "MAUVE (%)")
    ]
    assert all("numbers at points are k" in caption for caption in captions[:4])
    assert "as figure 3 of Li et al. 2022" in captions[4]
    assert all("as figure 2 of Li et al. 2022" in caption for caption in captions[5:])
    assert len(captions) == 7
    assert "large against small" in drawn[5].image
    assert "large against large" in drawn[5].image


def test_what_has_no_number_is_in_no_figure_and_named() -> None:
    found = variants(asked(), EXPERT)
    decoders = list(dict.fromkeys(one.decoder for one in found))
    without = [decoders[0], *(one.decoder for one in found if one.part == "k" and one.value == "7")]
    numbers = [_number(decoder, "diversity", place) for place, decoder in enumerate(decoders)]
    numbers += [_number(decoder, "likelihood_coherence", 0) for decoder in decoders if decoder not in without]
    plane, sizes = (one.caption for one in figures(found, numbers))
    assert plane.startswith("large: diversity (%) against coherence by likelihood (nats)")
    assert "; without both numbers: contrastive-decoding:amateur=small, contrastive-search k=7." in plane
    assert sizes.startswith("diversity (%) by expert (rows)")


def _number(decoder: str, metric: str, place: int) -> ContrastNumber:
    return ContrastNumber(
        run_id=decoder_words(decoder),
        model=EXPERT,
        decoder=decoder,
        metric=metric,
        evaluator_id="somebody",
        prompts=20,
        texts=20,
        lacking=0,
        mean=-2.0 + place / 100 if metric == "likelihood_coherence" else 0.5 + place / 100,
        low=None,
        high=None,
        no_interval=None,
        spread=0.01 if metric == "mauve" else None,
        no_number=None,
    )
