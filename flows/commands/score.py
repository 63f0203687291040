"""`newwiki score`: scores for runs that lack them, and for texts that were written elsewhere."""

from pathlib import Path

import click

from flows.options import common, form_option, metrics_options, open_database, scoring_options
from flows.progress import reporter
from newwiki.errors import UsageError
from newwiki.settings import Settings


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE.jsonl]...")
@click.option("--run", "run_ids", multiple=True, metavar="ID", help="A stored run (may be repeated).")
@click.option("--missing", is_flag=True, help="Every stored run that lacks some of the scores.")
@click.option("--snapshot", default="latest", show_default=True, metavar="ID", help="What the files' texts are about.")
@click.option("--model", metavar="NAME", help="Who wrote the files' texts (the file's name).")
@click.option("--decoder", metavar="TEXT", help="How they were written (unknown).")
@metrics_options
@scoring_options
@common
@form_option
def score(
    settings: Settings,
    quiet: bool,
    form: str,
    files: tuple[Path, ...],
    run_ids: tuple[str, ...],
    missing: bool,
    snapshot: str,
    model: str | None,
    decoder: str | None,
    metrics: str,
    budget: int,
) -> None:
    """Score stored runs, or texts that were written elsewhere. What is scored already is not scored again.

    FILE has a JSON object a line: a text and the page_id or title of its article, or a text with its own prompt and
    reference. Sample logs of lm-evaluation-harness are read as they are.
    """
    from flows import leaderboard
    from flows.steps.outside import take_in
    from flows.steps.score import Jury, choose, score_run
    from storage import runs

    if not files and not run_ids and not missing:
        raise UsageError("name what to score: a FILE.jsonl, --run ID, or --missing for every stored run")
    database = open_database(settings)
    progress = reporter(quiet)
    jury = Jury(choose(metrics, settings, progress), settings, budget)
    work = [take_in(database, file, snapshot=snapshot, model=model, decoder=decoder) for file in files]
    ids = list(run_ids)
    if missing:
        stored, alone = runs.complete_runs(database)
        ids += stored
        if alone:
            progress.note(f"not scored, as their references are in their files: {', '.join(alone)}")
    work += [runs.with_articles(database, run_id) for run_id in dict.fromkeys(ids)]
    for run, articles in work:
        score_run(database, run, articles, jury, progress)
    for note in leaderboard.show(database, None, form, prefer=jury.ids(jury.evaluators)):
        progress.note(note)
