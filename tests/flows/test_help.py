"""Whoever types `newwiki`, or asks a command for help, reads what there is in groups, in short, and with examples."""

import shlex
import sys
from collections.abc import Iterator

import click
import pytest
from click.testing import CliRunner

from flows import cli
from flows.listing import GROUPS, listing


def commands(above: click.Group = cli.cli, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """All of them that can be run, with their names as they are typed."""
    for name, one in above.commands.items():
        if isinstance(one, click.Group):
            yield from commands(one, (*path, name))
        else:
            yield " ".join([*path, name]), one


TOP = cli.cli.commands
ALL = dict(commands())


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
    shown = CliRunner().invoke(cli.cli, [*name.split(), "--help"], terminal_width=80).output
    for example in examples:
        assert f"\n    {example}\n" in shown
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


@pytest.mark.parametrize("words", [[], ["experiment"], ["export"]])
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
    shown = CliRunner().invoke(cli.cli, ["--help"], terminal_width=80).output
    places = [shown.index(f"\n{words}:\n") for words in GROUPS.values()]
    assert places == sorted(places)
    assert "..." not in shown.partition("\n")[2] and "Others" not in shown


def test_a_command_that_says_nothing_of_itself_is_listed_last() -> None:
    group = type(cli.cli)("newwiki", commands={"plug-in": click.Command("plug-in", help="Of another hand.")})
    assert "\nOthers:\n  plug-in  Of another hand.\n" in CliRunner().invoke(group, ["--help"]).output
