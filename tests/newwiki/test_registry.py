from importlib.metadata import entry_points
from pathlib import Path

import pytest

from newwiki import registry
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Metric
from newwiki.registry import Registry, load_plugin

PLUGIN = """
from newwiki import Metric, evaluator

@evaluator(metrics=[Metric("length", "characters", 0, None, "none", "how long", "here")], version="1", needs={"words"})
def length_of_text(analysis, reference):
    return 1.0
"""


@pytest.fixture
def own_evaluators(monkeypatch: pytest.MonkeyPatch) -> Registry[registry.Evaluator]:
    """The evaluators, without those that a test adds being kept for the next."""
    monkeypatch.setattr(registry.evaluators, "_pieces", dict(registry.evaluators.all()))
    return registry.evaluators


def test_what_comes_with_the_project_is_found_by_entry_points() -> None:
    assert {"greedy", "sample"} <= set(registry.decoders.all())
    assert {"api", "dump"} <= set(registry.sources.all())
    assert "hf" in registry.models.all()
    assert "rep_4" in registry.evaluators.all()
    assert "mauve" in registry.set_evaluators.all()


def test_an_unknown_name_is_misuse_and_lists_the_known() -> None:
    pieces: Registry[int] = Registry("piece", "newwiki.no_such_group")
    pieces.add("b", 1)
    pieces.add("a", 2)
    assert pieces.get("a") == 2
    with pytest.raises(UsageError, match="there is no piece 'c'; there are: a, b"):
        pieces.get("c")


def test_an_unknown_name_gets_the_nearest_as_suggestion() -> None:
    pieces: Registry[int] = Registry("piece", "newwiki.no_such_group")
    for number, name in enumerate(("greedy", "sample", "beam")):
        pieces.add(name, number)
    with pytest.raises(
        UsageError, match=r"no piece 'gready'; there are: beam, greedy, sample; did you mean 'greedy'\?$"
    ):
        pieces.get("gready")
    with pytest.raises(UsageError, match=r"no piece 'nucleus'; there are: beam, greedy, sample$"):
        pieces.get("nucleus")


def test_a_name_is_given_once() -> None:
    pieces: Registry[int] = Registry("piece", "newwiki.no_such_group")
    pieces.add("a", 1)
    with pytest.raises(TerminalError, match="two pieces are named 'a'; rename one of them"):
        pieces.add("a", 2)
    assert pieces.get("a") == 1


def test_a_plugin_file_takes_effect(tmp_path: Path, own_evaluators: Registry[registry.Evaluator]) -> None:
    (tmp_path / "mine.py").write_text(PLUGIN)
    load_plugin(tmp_path / "mine.py")
    mine = own_evaluators.get("length_of_text")
    assert [metric.name for metric in mine.metrics] == ["length"]
    assert (mine.version, mine.needs) == ("1", frozenset({"words"}))
    assert (mine.core, mine.packages, mine.parameters) == (False, (), {})


def test_metrics_of_a_set_evaluator_are_of_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.set_evaluators, "_pieces", dict(registry.set_evaluators.all()))
    text = PLUGIN.replace("evaluator", "set_evaluator").replace("(analysis, reference)", "(corpus)")
    (tmp_path / "mine.py").write_text(text)
    load_plugin(tmp_path / "mine.py")
    mine = registry.set_evaluators.get("length_of_text")
    assert [(metric.name, metric.scope) for metric in mine.metrics] == [("length", "run")]
    assert (mine.core, mine.costly, mine.needs) == (False, False, frozenset({"words"}))


def test_a_plugin_file_must_be_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"there is no plug-in file '.*none\.py'"):
        load_plugin(tmp_path / "none.py")


def test_a_folder_named_by_an_entry_point_is_searched_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package as pip would install it, whose two modules each register a piece."""
    installed = tmp_path / "strangers_pieces-1.0.dist-info"
    package = tmp_path / "strangers_pieces"
    for folder in (installed, package):
        folder.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: strangers-pieces\nVersion: 1.0\n")
    (installed / "entry_points.txt").write_text("[newwiki.strange_pieces]\nall = strangers_pieces\n")
    (package / "__init__.py").write_text("found = []\n")
    for name in ("one", "two"):
        (package / f"{name}.py").write_text(f"from strangers_pieces import found\nfound.append('{name}')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(registry, "_installed", entry_points)  # as a process sees it that starts now
    Registry[object]("piece", "newwiki.strange_pieces").all()
    import strangers_pieces  # type: ignore[import-not-found]

    assert strangers_pieces.found == ["one", "two"]


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("rep_4", "which 'rep_4' has already declared"),
        ("Rep_4", "which 'rep_4' has already declared"),
        ("mauve", "which 'mauve' has already declared"),
        ("model", "which is reserved for a column of the leaderboard"),
        ("page_id", "which is reserved for a column of the leaderboard"),
        ("rep_4_low", "which is reserved for a column of the leaderboard"),
        ("mine_sd", "which is reserved for a column of the leaderboard"),
        ("lexical richness", "which is not a valid name"),
        ("1st", "which is not a valid name"),
        ("größe", "which is not a valid name"),
        ('a", drop table runs --', "which is not a valid name"),
        ("", "which is not a valid name"),
    ],
)
@pytest.mark.parametrize("kind", ["evaluator", "set_evaluator"])
def test_a_name_that_can_be_no_column_is_refused_when_it_is_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str, problem: str
) -> None:
    for own in (registry.evaluators, registry.set_evaluators):
        monkeypatch.setattr(own, "_pieces", dict(own.all()))
    (tmp_path / "mine.py").write_text(PLUGIN.replace("evaluator", kind).replace('"length"', repr(name)))
    with pytest.raises(TerminalError, match=problem):
        load_plugin(tmp_path / "mine.py")
    assert "length_of_text" not in {*registry.evaluators.all(), *registry.set_evaluators.all()}


def test_two_metrics_of_one_evaluator_have_two_names(own_evaluators: Registry[registry.Evaluator]) -> None:
    twice = [Metric("mine", "", 0, None, "none", "", "")] * 2
    with pytest.raises(TerminalError, match="declares a metric 'mine' twice"):
        registry.check_names("a", twice)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("def (", "SyntaxError: invalid syntax"),
        ("import no_such_package", "ModuleNotFoundError: No module named 'no_such_package'"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
    ],
)
def test_a_plugin_file_that_fails_is_named(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "mine.py").write_text(text)
    with pytest.raises(UsageError, match=rf"mine.py' fails when run: {said}"):
        load_plugin(tmp_path / "mine.py")
