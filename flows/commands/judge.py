"""`newwiki judge`: blind comparison of texts in pairs, by people and by models."""

from pathlib import Path
from typing import Any

import click

from flows.completing import completer
from flows.jobs.field_options import field_options
from flows.jobs.job import Answer, Here, arrow_table, job
from flows.listing import Argument, GroupedCommand, listed
from flows.options import Input, Output, common, form_option
from flows.presenting import tables
from flows.printing import say
from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.judge_request import JudgeRequest, PairsRequest
from newwiki.settings import Settings

_PAIRS_ONLY = ("pairs", "rubric", "across", "model", "bridge")  # fields that do not apply to --claims
_BATCH: Any = field(help="Name of the batch, under which the pairs are blinded.", metavar="NAME")


@job(
    JudgeRequest,
    name="judge",
    summary="Show what judges prefer.",
    examples=(),
    result="""\
Returns a row for each criterion and judge, with the columns of `flows.judging.findings.PreferenceRow`. `newwiki judge`
also prints agreement, position bias and links between judges. All answers are in the view `preferences`.""",
)
def judge_pairs(request: JudgeRequest, here: Here, *, page: Path | None = field(None, shell_only=True)) -> Answer:
    """Show what judges prefer. A model that is named first judges the pairs that it has not judged yet."""
    from flows.judging import show
    from flows.judging.ask_model import ask_model
    from flows.judging.findings import find
    from flows.judging.pairing import pair_up

    database = here.database
    pairing = pair_up(database, request, here.progress.note)
    if request.model:
        ask_model(database, pairing, request, here.progress)
    findings = find(database, pairing)

    def value() -> object:
        here.note(findings.notes)
        return arrow_table(show.COLUMNS, show.records(findings))

    def write(form: str) -> None:
        if form in tables.MACHINE_FORMATS:
            tables.show(show.COLUMNS, show.records(findings), form)
        else:
            for table in show.tables(findings, pairing).values():
                tables.show(table.heads, table.cells, form, table.caption)
        here.note(findings.notes)
        if not findings.preferences:
            here.note(["no judgements of these runs by this rubric: judge yourself with --judge NAME, or add --model"])
        if page:
            from flows.report.judgements import write_judgements

            here.note([str(write_judgements(database, pairing, findings, page))])

    return Answer(value, write)


@job(
    PairsRequest,
    summary="Export pairs for an annotation service.",
    examples=(),
    returns="number",
    result="Returns the number of pairs. `import_answers` stores the answers of the same batch.",
)
def export_pairs(
    request: PairsRequest,
    here: Here,
    *,
    batch: str = _BATCH,
    out: Path = field(help="File to write: .csv or .jsonl.", writes="file"),
) -> Answer:
    """Write pairs for an annotation service, blinded under the name of the batch, as CSV or JSON Lines."""
    from flows.judging import annotation_files
    from flows.judging.pairing import pair_up
    from newwiki.judging.judgement import judge_name

    pairing = pair_up(here.database, request, here.progress.note)
    written = annotation_files.export_pairs(here.database, pairing, judge_name(batch), out)

    def show(form: str) -> None:
        here.note(
            [
                f"{written:,} pairs: have annotators fill in {', '.join(pairing.rubric.names)} with 1, 2 or 0 (the "
                f"same), and annotator with their name, then store them with --import FILE --judge {batch}"
            ]
        )
        say(out)

    return Answer(lambda: written, show)


@job(
    PairsRequest,
    summary="Store answers of an annotation service.",
    examples=(),
    returns="number",
    result="Returns the number of answers. Nothing is stored if any answer is invalid.",
)
def import_answers(
    request: PairsRequest,
    here: Here,
    *,
    batch: str = _BATCH,
    answers: Path = field(help="File of the batch with its answers."),
) -> Answer:
    """Store the answers in a file of the batch."""
    from flows.judging import annotation_files
    from flows.judging.pairing import pair_up
    from newwiki.judging.judgement import judge_name

    pairing = pair_up(here.database, request, here.progress.note)
    stored = annotation_files.import_answers(here.database, pairing, judge_name(batch), answers)
    summary = annotation_files.in_words(stored)

    def value() -> int:
        here.note([summary])
        return stored.answers

    return Answer(value, lambda form: say(summary))


@listed(
    "compare",
    "Judge texts of two runs in blind pairs, or let a model.",
    examples=("newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --judge anna",),
)
@click.command(cls=GroupedCommand)
@click.argument(
    "runs",
    cls=Argument,
    description="Two runs on the same articles, named as for `newwiki compare`.",
    nargs=-1,
    required=True,
    metavar="RUN RUN",
    shell_complete=completer("run_a"),
)
@field_options(JudgeRequest, without=("run_a", "run_b"))
@click.option(
    "--claims",
    is_flag=True,
    help="Label sentences of the runs as supported, refuted or neither, with --export and --import.",
)
@click.option(
    "--sentences",
    type=click.IntRange(1),
    metavar="N",
    help="Number of sentences that --claims exports.  [default: 200]",
)
@click.option("--judge", "person", metavar="NAME", help="Judge yourself under this name, on a local page.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8081,
    show_default=True,
    help="Port of the local page; 0 is a free port.",
)
@click.option(
    "--open/--no-open", "open_browser", default=True, show_default=True, help="Open the local page in a browser."
)
@click.option(
    "--export",
    "exported",
    type=Output(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="File to write the pairs to for an annotation service (.csv or .jsonl), blinded under --judge.",
)
@click.option(
    "--import",
    "imported",
    type=Input(path_type=Path),
    metavar="FILE",
    help="File of an annotation service whose answers to store, under --judge.",
)
@click.option(
    "--out",
    type=Output(path_type=Path, dir_okay=False),
    help="HTML page to write the answer to as well.",
    metavar="FILE.html",
)
@common
@form_option
def judge(
    settings: Settings,
    quiet: bool,
    form: str,
    runs: tuple[str, ...],
    claims: bool,
    sentences: int | None,
    person: str | None,
    port: int,
    open_browser: bool,
    exported: Path | None,
    imported: Path | None,
    out: Path | None,
    **fields: Any,
) -> None:
    """Compare texts of two runs in pairs without knowing which run wrote them, and show what judges prefer.

    With --judge you answer on a local page, one question at a time. Each answer is stored at once, and the same command
    resumes where you left off. With --model a model judges, in both orders. With neither, the command shows preferences
    with the sign test, agreement, position bias, and links between judges.

    With --claims, people label sentences of one or more runs whose claims were checked: export the sentences, have them
    labeled, import the labels, and repeat `newwiki experiment verifiability`, which corrects its numbers by the labels.
    """
    here = Here(settings, quiet)
    if claims:
        if unused := [name for name in _PAIRS_ONLY if fields[name]] or (["out"] if out else []):
            named = ", ".join(f"--{name}" for name in unused)
            raise UsageError(f"{named} applies to pairs of texts, and --claims asks about sentences: leave it out")
        _label(here, runs, fields["snapshot"], sentences or 200, person, exported, imported)
        return
    if len(runs) != 2:
        raise UsageError(f"a pair needs two runs, and {len(runs)} are named: name two runs")
    if sentences:
        raise UsageError("--sentences needs --claims; the number of pairs is --pairs")
    request = JudgeRequest(run_a=runs[0], run_b=runs[1], **fields)
    _require_one_task(person, request.model, exported, imported, out)
    if person and exported:
        export_pairs.run(request, here, batch=person, out=exported).show(form)
    elif person and imported:
        import_answers.run(request, here, batch=person, answers=imported).show(form)
    elif person:
        _ask_person(here, request, person, port, open_browser=open_browser)
    else:
        judge_pairs.run(request, here, page=out).show(form)


def _label(
    here: Here,
    runs: tuple[str, ...],
    snapshot: str | None,
    number: int,
    batch: str | None,
    exported: Path | None,
    imported: Path | None,
) -> None:
    from flows.judging.annotation_files import in_words
    from flows.judging.claims import draw, export_sentences, import_labels
    from newwiki.judging.judgement import judge_name

    if not batch or bool(exported) == bool(imported):
        raise UsageError(
            "--claims needs --judge NAME, the name of the batch, and one of --export FILE and --import FILE: sentences "
            "are labeled in a file"
        )
    database = here.database
    drawn = draw(database, runs, snapshot, here.progress.note)
    if imported:
        say(in_words(import_labels(database, drawn, judge_name(batch), imported)))
    elif exported:
        written = export_sentences(drawn, number, judge_name(batch), exported)
        here.note(
            [
                f"{written:,} sentences: have annotators fill in label with supported, refuted or neither, and "
                f"annotator with their name, then store them with --import FILE --judge {batch}"
            ]
        )
        say(exported)


def _require_one_task(
    person: str | None, model: str | None, exported: Path | None, imported: Path | None, out: Path | None
) -> None:
    if (exported or imported) and not person:
        raise UsageError(
            "--export and --import need --judge NAME: the name of the batch, which is the key to its pairs"
        )
    if exported and imported:
        raise UsageError("--export and --import exclude each other: give one of them")
    if person and model:
        raise UsageError("--judge and --model exclude each other: a person judges, or a model; give one of them")
    if person and out:
        raise UsageError("--out writes what all judges say: leave out --judge")


def _ask_person(here: Here, request: JudgeRequest, person: str, port: int, *, open_browser: bool) -> None:
    from flows.judging.pairing import pair_up
    from flows.report.judging_page.app import serve_sheet
    from flows.report.judging_page.sheet import Sheet
    from newwiki.judging.judgement import judge_name

    database, note = here.database, here.progress.note
    serve_sheet(Sheet(database, pair_up(database, request, note), judge_name(person)), port, open_browser=open_browser)
