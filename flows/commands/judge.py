"""`newwiki judge`: whose text is better, asked of people and models who are not told whose it is."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from flows import tables
from flows.completing import completer
from flows.listing import listed
from flows.options import Input, Output, common, form_option, open_database
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.errors import UsageError
from newwiki.judge_request import JudgeRequest
from newwiki.settings import Settings

# What says nothing of sentences
_OF_PAIRS = ("pairs", "rubric", "across", "model", "bridge")


@listed(
    "compare",
    "Let people, or a model, say whose text is better.",
    example="newwiki judge greedy sample:top_p=0.9 --judge anna",
)
@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN", shell_complete=completer("run_a"))
@asks(JudgeRequest, without=("run_a", "run_b"))
@click.option(
    "--claims",
    is_flag=True,
    help="Label sentences of the runs as supported, refuted or neither, by --export and --import.",
)
@click.option(
    "--sentences",
    type=click.IntRange(1),
    metavar="N",
    help="Number of sentences that --claims exports.  [default: 200]",
)
@click.option("--judge", "person", metavar="NAME", help="Judge yourself under this name, on a local page.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8081, show_default=True, help="Of that page; 0: a free port."
)
@click.option("--open/--no-open", "open_browser", default=True, show_default=True, help="Open it in a browser.")
@click.option(
    "--export",
    "exported",
    type=Output(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the pairs for an annotation service (.csv or .jsonl), blinded under --judge.",
)
@click.option(
    "--import",
    "imported",
    type=Input(path_type=Path),
    metavar="FILE",
    help="Store the answers in such a file, under --judge.",
)
@click.option(
    "--out", type=Output(path_type=Path, dir_okay=False), help="Write the answer as a page, too.", metavar="FILE.html"
)
@common
@form_option
def judge(
    settings: Settings,
    quiet: bool,
    form: str,
    runs: tuple[str, ...],
    request: "partial[JudgeRequest]",
    claims: bool,
    sentences: int | None,
    person: str | None,
    port: int,
    open_browser: bool,
    exported: Path | None,
    imported: Path | None,
    out: Path | None,
) -> None:
    """Judge texts of two runs in pairs, without knowing whose they are, and see what judges say.

    With --judge you are asked on a page of this machine's own address, one question at a time; each answer is stored at
    once, and the same command goes on where you left off. With --model a model is asked, in both orders. With neither,
    the answer is shown: preferences with the sign test, agreement, position bias, judges beside each other. RUN is
    named as for `newwiki compare`.

    With --claims, people label sentences of one run or more whose claims were checked: export them, let them be filled
    in, import them, and give the `newwiki experiment verifiability` again, which corrects its numbers by the labels.
    """
    if claims:
        if out or (unused := [name for name in _OF_PAIRS if request.keywords[name]]):
            named = ", ".join(f"--{name}" for name in (["out"] if out else unused))
            raise UsageError(f"{named} is for pairs of texts, and --claims asks about sentences; leave it out")
        _label(settings, quiet, runs, sentences or 200, person, exported, imported)
        return
    if len(runs) != 2:
        raise UsageError(f"a pair is of two runs, and not of {len(runs)}; name two")
    if sentences:
        raise UsageError("--sentences goes with --claims; the number of pairs is --pairs")
    _judge_pairs(
        settings,
        quiet,
        form,
        request(run_a=runs[0], run_b=runs[1]),
        person,
        port,
        open_browser,
        exported,
        imported,
        out,
    )


def _judge_pairs(
    settings: Settings,
    quiet: bool,
    form: str,
    request: JudgeRequest,
    person: str | None,
    port: int,
    open_browser: bool,
    exported: Path | None,
    imported: Path | None,
    out: Path | None,
) -> None:
    _require_one_task(person, request.model, exported, imported, out)
    if person and exported:
        _export(settings, quiet, request, person, exported)
    elif person and imported:
        _import(settings, quiet, request, person, imported)
    elif person:
        _ask_person(settings, request, person, port, open_browser=open_browser)
    else:
        _answer(settings, quiet, form, request, out)


def _label(
    settings: Settings,
    quiet: bool,
    runs: Sequence[str],
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
            "--claims needs --judge NAME, the batch's name, and one of --export FILE and --import FILE: sentences are "
            "labelled in a file"
        )
    database = open_database(settings)
    drawn = draw(database, runs)
    if imported:
        say(in_words(import_labels(database, drawn, judge_name(batch), imported)))
    elif exported:
        written = export_sentences(drawn, number, judge_name(batch), exported)
        reporter(quiet).note(
            f"{written:,} sentences; let label be filled in with supported, refuted or neither, annotator with who did "
            f"it, and store them with --import FILE --judge {batch}"
        )
        say(exported)


def _require_one_task(
    person: str | None, model: str | None, exported: Path | None, imported: Path | None, out: Path | None
) -> None:
    if (exported or imported) and not person:
        raise UsageError("--export and --import need --judge NAME: the batch's name, which is the key to its pairs")
    if exported and imported:
        raise UsageError("--export writes pairs and --import stores answers; give one of them")
    if person and model:
        raise UsageError("--judge asks a person and --model a model; give one of them")
    if person and out:
        raise UsageError("--out writes what all judges say; give it without --judge")


def _export(settings: Settings, quiet: bool, request: JudgeRequest, batch: str, path: Path) -> None:
    from flows.judging.annotation_files import export_pairs
    from flows.judging.pairing import pair_up
    from newwiki.judging.judgement import judge_name

    database = open_database(settings)
    pairing = pair_up(database, request)
    written = export_pairs(database, pairing, judge_name(batch), path)
    reporter(quiet).note(
        f"{written:,} pairs; let {', '.join(pairing.rubric.names)} be filled in with 1, 2 or 0 (the same), annotator "
        f"with who did it, and store them with --import FILE --judge {batch}"
    )
    say(path)


def _import(settings: Settings, quiet: bool, request: JudgeRequest, batch: str, path: Path) -> None:
    from flows.judging.annotation_files import import_answers, in_words
    from flows.judging.pairing import pair_up
    from newwiki.judging.judgement import judge_name

    database = open_database(settings)
    taken = import_answers(database, pair_up(database, request), judge_name(batch), path)
    say(in_words(taken))


def _ask_person(settings: Settings, request: JudgeRequest, person: str, port: int, *, open_browser: bool) -> None:
    from flows.judging.pairing import pair_up
    from flows.report.judging_page.app import serve_sheet
    from flows.report.judging_page.sheet import Sheet
    from newwiki.judging.judgement import judge_name

    database = open_database(settings)
    serve_sheet(Sheet(database, pair_up(database, request), judge_name(person)), port, open_browser=open_browser)


def _answer(settings: Settings, quiet: bool, form: str, request: JudgeRequest, out: Path | None) -> None:
    from flows.api.judgements import run_judge
    from flows.judging import show

    database = open_database(settings)
    pairing, findings = run_judge(database, request, quiet=quiet)
    if form in ("csv", "json"):
        tables.show(show.COLUMNS, show.records(findings), form)
    else:
        for table in show.tables(findings, pairing).values():
            tables.show(table.heads, table.cells, form, table.caption)
    told = list(findings.notes)
    if not findings.preferences:
        told.append("nobody has judged these runs by this rubric yet: --judge NAME asks you, --model NAME a model")
    if out:
        from flows.report.judgements import write_judgements

        told.append(str(write_judgements(database, pairing, findings, out)))
    for sentence in told:
        reporter(quiet).note(sentence)
