"""A job, declared once: `@job(Request, …)` over a function is a command of `newwiki` and a function of `newwiki`.

    @job(PlanRequest, group="keep", summary="Estimate the cost of an evaluation.", examples=("newwiki plan",))
    def plan(request: PlanRequest, here: Here) -> Answer:
        '''Estimate …'''                                    # the help of both
        rows, notes = plan_rows(here.database, request)
        return rows_answer(here, COLUMNS, rows, notes)

The options, the arguments and their help come from the request. Parameters of the function that `field(…)` declares are
options and arguments as well: output files, and how to run. `flows.api` derives the Python function
(`python_function.py`).
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_type_hints

import click

from flows.jobs.field_options import field_option, setting_options
from flows.listing import Group, GroupedCommand, listed
from flows.options import common, form_option
from flows.presenting import tables
from flows.printing import say
from flows.progress import Progress, reporter
from newwiki.fields import Field, field_from, offered
from newwiki.request import Request
from newwiki.settings import Settings

if TYPE_CHECKING:
    from storage.database import Database


@dataclass(frozen=True)
class Here:
    """The surroundings of a job: the settings in force, the database, and the reporter of progress and notes."""

    settings: Settings
    quiet: bool

    @property
    def database(self) -> "Database":
        from storage.database import Database

        return Database(self.settings.db)

    @property
    def progress(self) -> Progress:
        return reporter(self.quiet)

    def note(self, notes: Iterable[str]) -> None:
        """Write notes to stderr, each once."""
        for note in dict.fromkeys(notes):
            self.progress.note(note)


@dataclass(frozen=True)
class Answer:
    """The result of a job.

    `value` gives what the Python function returns. `show` writes the result to stdout in a format (table, csv, json or
    markdown). `status` is the exit status of the command.
    """

    value: Callable[[], Any]
    show: Callable[[str], None]
    status: int = 0


def rows_answer(
    here: Here,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    notes: Iterable[str] = (),
    *,
    show: Callable[[str], None] | None = None,
    status: int = 0,
) -> Answer:
    """Return an answer of rows and notes. `show` writes tables for people, where they differ from the rows."""

    def value() -> Any:
        here.note(notes)
        return arrow_table(columns, rows)

    def write(form: str) -> None:
        if show is None or form in tables.MACHINE_FORMATS:
            tables.show(columns, rows, form)
        else:
            show(form)
        here.note(notes)

    return Answer(value, write, status)


def files_answer(paths: Sequence[Path]) -> Answer:
    """Return an answer of files that were written."""

    def show(form: str) -> None:
        for path in paths:
            say(path)

    return Answer(lambda: list(paths), show)


def arrow_table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """Return the rows as an Arrow table."""
    import pyarrow as pa

    return pa.table({column: [row[place] for row in rows] for place, column in enumerate(columns)})


Returns = Literal["table", "path", "paths", "number"]


class Job(GroupedCommand):
    """A command that knows its request, the function behind it, and what its Python function returns."""

    run: Callable[..., Answer]
    request: type[Request]
    own_fields: Sequence[Field]
    by_place: Collection[str]
    returns: Returns
    result: str


def job(
    request: type[Request],
    *,
    summary: str,
    examples: Sequence[str],
    group: Group | None = None,
    settings: Sequence[str] = (),
    returns: Returns = "table",
    result: str = "",
    formats: bool = True,
    by_place: Collection[str] = (),
    name: str | None = None,
    help: str | None = None,
) -> Callable[[Callable[..., Answer]], Job]:
    """Declare a job.

    - group, summary, examples: its place and line in `newwiki --help`, and lines for a shell.
    - settings: the settings that it has options for.
    - returns, result: the kind of value of the Python function, and a sentence about it.
    - formats: whether a job that returns a table has the option --format.
    - by_place: fields that are positional arguments in Python although they are options in a shell.
    - name, help: those of the command, by default the function's name and docstring.
    """
    fields = offered(request)

    def declare(run: Callable[..., Answer]) -> Job:
        own = _own_fields(run)

        def command(settings: Settings, quiet: bool, form: str = "table", **options: Any) -> int:
            parsed = request(**{field.name: options.pop(field.name) for field in fields})
            answer: Answer = declared.run(parsed, Here(settings, quiet), **options)
            answer.show(form)
            return answer.status

        shell: Callable[..., Any] = command
        if returns == "table" and formats:
            shell = form_option(shell)
        shell = setting_options(settings)(common(shell))
        for field in reversed([*fields, *own]):
            shell = field_option(field)(shell)
        text = inspect.cleandoc(help or run.__doc__ or "")
        declared = click.command(name or run.__name__.replace("_", "-"), cls=Job, help=text)(shell)
        declared.run, declared.request, declared.own_fields = run, request, own
        declared.by_place, declared.returns, declared.result = by_place, returns, result
        return listed(group, summary, examples=examples)(declared)

    return declare


def _own_fields(run: Callable[..., Answer]) -> list[Field]:
    """Return the parameters of the function that `field` declares, beside the request."""
    hints: Mapping[str, Any] = get_type_hints(run)
    return [
        field_from(parameter.default, name, hints[name])
        for name, parameter in inspect.signature(run).parameters.items()
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY
    ]
