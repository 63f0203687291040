"""The help of the command line: commands in groups, options under headings, examples, and plain English."""

import inspect
import re
import shlex
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

import newwiki
from flows import cli
from flows.experiments.experiment import Experiment, every
from flows.listing import GENERAL, GROUPS, OWN, listing
from newwiki.fields import fields_of
from newwiki.settings import SCORING, Settings, setting, text_settings


def commands(above: click.Group = cli.cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """All commands that can be run, with their names as they are typed."""
    for name, one in above.commands.items():
        if one.hidden:
            continue
        if isinstance(one, click.Group):
            yield from commands(one, (*path, name))
        else:
            yield " ".join([*path, name]), one


TOP = {name: command for name, command in cli.cli.commands.items() if not command.hidden}
ALL = dict(commands())

# Words that say nothing without the sentence before them, and words that can follow them in a fragment
HEADLESS = ("of", "who", "whose", "whom", "what", "which", "by", "as")
PRONOUNS = {
    "a",
    "an",
    "all",
    "each",
    "it",
    "its",
    "one",
    "ones",
    "that",
    "the",
    "them",
    "this",
    "those",
    "what",
    "which",
}
# Verbs with which the first line of a docstring may begin, besides "The", "A" and "An"
VERBS = {
    "Answer", "Build", "Check", "Compare", "Create", "Delete", "Describe", "Estimate", "Evaluate", "Exchange", "Exit",
    "Explain", "Export", "Fail", "Fetch", "Find", "Fine-tune", "Generate", "Hide", "Import", "Judge", "List", "Look",
    "Measure", "Print", "Publish", "Query", "Read", "Recompute", "Register", "Rename", "Reproduce", "Return", "Run",
    "Score", "Show", "Store", "Test", "Train", "Verify", "Write",
}  # fmt: skip


def shown(words: str) -> str:
    return CliRunner().invoke(cli.cli, [*words.split(), "--help"], terminal_width=80).output


def helps() -> Iterator[tuple[str, str]]:
    """The help of every parameter of every command, and of every setting, each once."""
    texts = {}
    for name, command in ALL.items():
        for parameter in command.params:
            text = getattr(parameter, "help", None) or getattr(parameter, "description", None)
            texts[text] = f"{name} {parameter.opts[0]}"
    texts |= {setting(field.name).help: f"newwiki.toml {field.name}" for field in text_settings(Settings)}
    yield from ((place, text) for text, place in texts.items() if text)


@pytest.mark.parametrize(("place", "text"), helps())
def test_help_is_a_phrase_that_stands_alone(place: str, text: str) -> None:
    words = re.findall(r"[\w'-]+", text)
    assert words[0].lower() not in HEADLESS, f"{place}: {text}"
    assert len(set(map(str.lower, words)) - PRONOUNS) >= 2, f"{place} names no thing: {text}"
    assert text[0].isupper() and text.endswith((".", "]")), f"{place}: {text}"


def test_a_headless_help_is_found() -> None:
    for place, text in (("x", "Of the sampling."), ("x", "Whose articles are written."), ("x", "All of them.")):
        with pytest.raises(AssertionError):
            test_help_is_a_phrase_that_stands_alone(place, text)


@pytest.mark.parametrize("name", sorted(ALL))
def test_every_parameter_has_a_help(name: str) -> None:
    lacking = [parameter.opts[0] for parameter in ALL[name].params
               if not (getattr(parameter, "help", None) or getattr(parameter, "description", None))]  # fmt: skip
    assert lacking == []


@pytest.mark.parametrize("name", ["", *sorted({*TOP, *ALL})])
def test_help_fits_80_columns_and_reads_in_groups(name: str) -> None:
    text = shown(name)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    headings = re.findall(r"^(\S[^:\n]*):$", text, re.MULTILINE)
    if name in ALL:
        own = headings.index(OWN) if OWN in headings else -1
        others = [heading for heading in headings if heading.endswith("options")]
        assert own < min(map(headings.index, others))
        assert headings[-1] == GENERAL


@pytest.mark.parametrize("name", sorted(ALL))
def test_the_description_of_a_command_begins_with_a_verb(name: str) -> None:
    assert inspect.cleandoc(ALL[name].help or "").split()[0] in VERBS
    assert (listing(ALL[name]).group is None) or (ALL[name].short_help or "").split()[0] in VERBS


@pytest.mark.parametrize("name", sorted({*newwiki.__all__} - {"VerdictCallback"}))  # which loads transformers
def test_the_docstring_of_a_public_name_begins_with_a_verb_or_an_article(name: str) -> None:
    first = (inspect.getdoc(getattr(newwiki, name)) or "").split()[0]
    assert first in VERBS | {"The", "A", "An"}


@pytest.mark.parametrize("name", TOP)
def test_each_command_stands_in_a_group_in_a_line_of_80_columns(name: str) -> None:
    assert listing(TOP[name]).group in GROUPS
    assert TOP[name].short_help, "the first sentence of a docstring is cut off"
    assert 2 + max(map(len, TOP)) + 2 + len(TOP[name].short_help or "") <= 78


@pytest.mark.parametrize("name", sorted({*TOP, *ALL}))
def test_each_command_shows_examples_that_it_understands(name: str) -> None:
    command = TOP.get(name) or ALL[name]
    examples = listing(command).examples
    assert examples
    text = re.sub(r" \\\n +", " ", shown(name))
    for example in examples:
        assert f"\n    {example}\n" in text
        assert command in parse(shlex.split(example.partition(" > ")[0])[1:])


def parse(words: list[str]) -> list[click.Command]:
    """The commands that they name, from the first to the one that would run. Raises what click says of them."""
    above = click.Context(cli.cli, info_name="newwiki")
    command: click.Command = cli.cli
    named = []
    while isinstance(command, click.Group):
        words = words if words and words[0] in command.commands else ["list", *words]
        command = command.commands[words[0]]
        above = command.make_context(words[0], words[1:], parent=above)
        words = [*above._protected_args, *above.args]
        named.append(command)
    return named


def test_an_example_that_no_command_understands_is_found() -> None:
    with pytest.raises(click.UsageError):
        parse(["leaderboard", "--rang", "sbert"])


@pytest.mark.parametrize("words", [[], ["experiment"], ["export"], ["list"]])
def test_a_group_alone_shows_its_help(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["newwiki", *words])
    monkeypatch.setenv("COLUMNS", "80")
    assert cli.main() == 0
    alone, said = capsys.readouterr()
    assert said == ""
    monkeypatch.setattr(sys, "argv", ["newwiki", *words, "--help"])
    assert cli.main() == 0
    assert alone.rstrip() == capsys.readouterr().out.rstrip()
    assert max(map(len, alone.splitlines())) <= 80


def test_the_help_lists_the_groups_in_their_order_and_no_line_is_cut_off() -> None:
    text = shown("")
    places = [text.index(f"\n{words}:\n") for words in GROUPS.values()]
    assert places == sorted(places)
    assert "..." not in text.partition("\n")[2] and "Other commands" not in text


def test_a_command_that_says_nothing_of_itself_is_listed_last() -> None:
    group = type(cli.cli)(
        "newwiki", commands={**cli.cli.commands, "plug-in": click.Command("plug-in", help="A plug-in.")}
    )
    text = CliRunner().invoke(group, ["--help"]).output
    assert text.rstrip().endswith("Other commands:\n  plug-in       A plug-in.")


@pytest.mark.parametrize(("old", "new"), cli.ALIASES.items())
def test_a_former_name_works_and_is_not_listed(old: str, new: str) -> None:
    alias = cli.cli.commands[old]
    command = cli.cli.commands[new.split()[0]]
    if isinstance(command, click.Group):
        command = command.commands[new.split()[1]]
        assert alias.callback is command.callback and alias.params == command.params
    assert alias.hidden and not command.hidden
    assert f"\n  This is the former name of `newwiki {new}`.\n" in shown(old)
    assert not re.search(rf"^  {old} ", shown(""), re.MULTILINE)


@pytest.mark.parametrize("experiment", every(), ids=lambda experiment: experiment.name)
def test_scoring_options_are_only_where_texts_are_scored(experiment: Experiment) -> None:
    command = ALL[f"experiment {experiment.name}"]
    headings = {getattr(parameter, "heading", None) for parameter in command.params}
    assert (SCORING in headings) == experiment.scores
    unused = getattr(experiment.request, "UNUSED", ())
    assert {parameter.name for parameter in command.params}.isdisjoint(unused)
    assert {field.name for field in fields_of(experiment.request)} >= set(unused)
