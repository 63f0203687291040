"""The Python function of a job: `inspect.signature` and `help` show the arguments that it takes."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows.api.opening import PathLike, opened
from flows.jobs.job import Here, Job
from newwiki.fields import Field, offered
from storage.outputs import safe

_RETURNS: Mapping[str, Any] = {"table": pa.Table, "path": Path, "paths": list[Path], "number": int}
_SURROUNDINGS = (
    inspect.Parameter("db", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=PathLike | None),
    inspect.Parameter("quiet", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=bool),
    inspect.Parameter("settings", inspect.Parameter.VAR_KEYWORD, annotation=str),
)


def python_function(job: Job) -> Callable[..., Any]:
    """Return the function of the job: the fields of its request, its own arguments, the database and the settings.

    A field that is positional in a shell, or that the job names in `by_place`, is positional here as well; each of its
    values is then an argument.
    """
    fields, own = offered(job.request), [field for field in job.own_fields if not field.spelling.shell_only]
    declared = [_parameter(field, field.spelling.argument or field.name in job.by_place) for field in (*fields, *own)]
    signature = inspect.Signature(
        sorted([*declared, *_SURROUNDINGS], key=lambda parameter: parameter.kind),
        return_annotation=_RETURNS[job.returns],
    )
    values_of_shell = {field.name: field.default for field in job.own_fields if field.spelling.shell_only}

    def function(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        value = {field.name: _value(field, bound.arguments[field.name]) for field in (*fields, *own)}
        request = job.request(**{field.name: value[field.name] for field in fields})
        settings, database = opened(bound.arguments["db"], bound.arguments["settings"])
        for field in own:
            if field.spelling.writes and value[field.name] is not None:
                safe(value[field.name], database.path)
        here = Here(settings, bound.arguments["quiet"])
        return job.run(request, here, **values_of_shell, **{field.name: value[field.name] for field in own}).value()

    name = str(job.name).replace("-", "_")
    described = [f"{field.name}: {field.help}" for field in (*fields, *own)]
    function.__name__ = function.__qualname__ = name
    function.__module__ = "flows.api"
    function.__doc__ = "\n".join([*filter(None, [str(job.help), job.result and f"\n{job.result}"]), "", *described])
    function.__signature__ = signature  # type: ignore[attr-defined]
    function.__annotations__ = {parameter.name: parameter.annotation for parameter in signature.parameters.values()}
    function.__annotations__["return"] = signature.return_annotation
    return function


def _parameter(field: Field, is_positional: bool) -> inspect.Parameter:
    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD if is_positional else inspect.Parameter.KEYWORD_ONLY
    if is_positional and field.is_tuple:
        return inspect.Parameter(field.name, inspect.Parameter.VAR_POSITIONAL, annotation=str | Path)
    default = None if field.default == {} else field.default
    parameter = partial(inspect.Parameter, field.name, kind, annotation=_type(field))
    return parameter() if field.required else parameter(default=default)


def _type(field: Field) -> Any:
    """Return the accepted type: one value or several for a tuple, names with commas or a list for names."""
    if field.is_tuple:
        return str | Path if field.type is Path else str | Sequence[str]
    if field.names:
        return str | Sequence[str]
    if field.type is Path:
        return field.annotation | str
    return Mapping[str, object] | None if field.type == dict[str, str] else field.annotation


def _value(field: Field, argument: Any) -> Any:
    """Return the argument in the type of the request's field."""
    if field.is_tuple:
        return tuple(map(field.type, [argument] if isinstance(argument, str | Path) else argument))
    if field.names and not isinstance(argument, str):
        return ",".join(argument)
    if field.type == dict[str, str]:
        return {name: str(value) for name, value in (argument or {}).items()}
    return Path(argument) if field.type is Path and argument is not None else argument
