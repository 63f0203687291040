"""Generate the metrics, tables, queries, papers, commands and settings of the documents.

    python -m flows.catalogue FILE.md...

The command rewrites the files between `<!-- metrics: core -->` and `<!-- end -->`. The marker may also name `metrics:
all`, `schema: view`, `schema: table`, `cookbook: all`, `decoders: all`, `papers: all`, `paper_metrics: 003`, `commands:
all` or `settings: all`.
"""

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flows import references
from flows.pieces import metrics, span
from flows.references import line as _line
from newwiki.registry import decoders as registered_decoders
from storage.cookbook import questions
from storage.schema import documented

if TYPE_CHECKING:
    from newwiki.papers.published import Exhibit

_BLOCK = re.compile(
    r"(<!-- (metrics|decoders|schema|cookbook|papers|paper_metrics|commands|settings): (\w+) -->\n).*?(<!-- end -->)",
    re.DOTALL,
)
_BETTER = {"higher": "higher", "lower": "lower", "none": "–"}


def written_anew(text: str) -> str:
    """Return the text with its generated blocks up to date."""
    writers = {
        "metrics": _metrics,
        "decoders": _decoders,
        "schema": _schema,
        "cookbook": _cookbook,
        "papers": _papers,
        "paper_metrics": _paper_metrics,
        "commands": _commands,
        "settings": _settings,
    }
    return _BLOCK.sub(lambda match: f"{match[1]}{writers[match[2]](match[3])}{match[4]}", text)


def _commands(_: str) -> str:
    return references.commands()


def _settings(_: str) -> str:
    return references.settings()


def _schema(kind: str) -> str:
    """Describe the views, or the tables, each with its columns."""
    parts = []
    for relation in documented():
        if relation.kind == kind:
            rows = [_line([f"`{column.name}`", column.type, column.comment or ""]) for column in relation.columns]
            head = _line(["column", "type", "what it is"]) + _line(["---"] * 3)
            parts.append(f"\n### `{relation.name}`\n\n{relation.comment}\n\n{head}{''.join(rows)}")
    return "".join(parts) + "\n"


def _cookbook(_: str) -> str:
    parts = []
    for number, question in enumerate(questions(), start=1):
        title = f"\n## {number}. {question.words}\n\n" + (f"{question.notes}\n\n" if question.notes else "")
        parts.append(f"{title}`newwiki sql --example {question.name}`\n\n```sql\n{question.query}```\n")
    return "".join(parts) + "\n"


def _papers(_: str) -> str:
    """Return every table and figure of every paper, with the command that reproduces it or the reason why not."""
    from newwiki.papers.published import papers

    parts = []
    for paper in papers().values():
        head = _line(["", "what it is", "answered by", "what it measures"]) + _line(["---"] * 4)
        lines = [
            _line([exhibit.name.replace(" ", "&nbsp;"), exhibit.caption, _answered(exhibit), exhibit.measures or "–"])
            for exhibit in paper.exhibits
        ]
        notes = "".join(
            f"- {exhibit.name[0].upper()}{exhibit.name[1:]}: {exhibit.note}\n"
            for exhibit in paper.exhibits
            if exhibit.note
        )
        lacks = (
            f" The text that its numbers are from lacks: {paper.lacks[0].lower()}{paper.lacks[1:]}"
            if paper.lacks
            else ""
        )
        citation = f"*{paper.title}*, {paper.citation}.{lacks}"
        parts.append(f"\n## {paper.id}: {paper.short}\n\n{citation}\n\n{head}{''.join(lines)}\n{notes}")
    return "".join(parts) + "\n"


def _answered(exhibit: "Exhibit") -> str:
    commands = [f"`{command}`" for command in exhibit.commands]
    return "; ".join([*commands, exhibit.why] if exhibit.why else commands)


def _paper_metrics(paper: str) -> str:
    """Return the metrics of a paper that newwiki has as well, and how closely they match."""
    from newwiki.papers.published import papers

    head = _line(["the paper's column", "the metric here", "how near"]) + _line(["---"] * 3)
    return head + "".join(
        _line([metric.title, ", ".join(f"`{name}`" for name in metric.here), metric.near])
        for metric in papers()[paper].metrics
        if metric.here
    )


def _metrics(kind: str) -> str:
    heads = ["metric", "what it is", "unit", "range", "better"]
    if kind == "all":
        heads += ["source", "pitfalls"]
    lines = [_line(heads), _line("---" for _ in heads)]
    for metric, _ in metrics(kind):
        name = f"`{metric.name}`" + (" (of a run)" if metric.scope == "run" else "")
        cells = [name, metric.definition, metric.unit, span(metric.minimum, metric.maximum), _BETTER[metric.direction]]
        lines.append(_line(cells + ([metric.source, metric.pitfalls] if kind == "all" else [])))
    return "".join(lines)


def _decoders(_: str) -> str:
    """Return a row for each decoder, with its parameters, their defaults and ranges."""
    rows = [_line(["decoder", "parameters (default; range)", "source"]), _line(["---"] * 3)]
    for name, kind in sorted(registered_decoders.all().items()):
        parameters = [
            f"`{key}` ({'required' if setting.default is None else setting.default}; {setting.range})"
            for key, setting in sorted(kind.parameters.items())
        ]
        rows.append(_line([f"`{name}`", ", ".join(parameters), kind.source]))
    return "".join(rows)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        Path(name).write_text(written_anew(Path(name).read_text("utf-8")), "utf-8")
