"""`newwiki bundle`: runs as one signed file, which others can check and import."""

from pathlib import Path

import click

from flows.jobs.job import Answer, Here, job, rows_answer
from flows.listing import CommandGroup, exemplified, listed
from flows.options import Output, common
from flows.printing import say
from newwiki.bundle_requests import CheckRequest, SubmitRequest
from newwiki.fields import field
from newwiki.settings import SCORERS, Settings


@listed(
    "share",
    "Write, sign and verify runs as one file.",
    examples=(
        "newwiki bundle keygen",
        "newwiki bundle submit gpt2/greedy --key newwiki-key --out gpt2.newwiki",
        "newwiki bundle check gpt2.newwiki",
    ),
)
@click.group(cls=CommandGroup)
def bundle() -> None:
    """Write complete runs as one signed file, and verify such a file."""


@exemplified("newwiki bundle keygen")
@bundle.command("keygen")
@click.option(
    "--out",
    type=Output(dir_okay=False, path_type=Path),
    default="newwiki-key",
    show_default=True,
    help="New file for the private key.",
)
@common
def keygen(settings: Settings, quiet: bool, out: Path) -> None:
    """Create a key pair: a private key, which signs bundles, and FILE.pub, with which others verify them.

    The command prints the fingerprint of the key, as `ssh-keygen -l` does. No file is overwritten.
    """
    from flows.bundles.keys import make_pair, public_path

    fingerprint = make_pair(out, Path(settings.db))
    say(f"{fingerprint} {public_path(out)}")


@job(
    SubmitRequest,
    summary="Write runs as one signed bundle.",
    examples=("newwiki bundle submit gpt2/greedy --key newwiki-key --out gpt2.newwiki",),
    returns="path",
    result="Returns the path of the bundle.",
)
def submit(
    request: SubmitRequest,
    here: Here,
    *,
    out: Path = field(help="Bundle to write.", metavar="FILE.newwiki", writes="file"),
) -> Answer:
    """Write complete runs with their snapshot, texts and scores into one file, and sign it.

    RUN is named as for `newwiki compare`. `newwiki bundle check` verifies a bundle.
    """
    from flows.bundles.submit import submit as write

    written = write(here.database, request, out, here.progress.note)
    runs = "1 run" if len(written.runs) == 1 else f"{len(written.runs)} runs"
    return Answer(lambda: written.path, lambda form: here.note([f"{out}: {runs}, signed by {written.signer}"]))


@job(
    CheckRequest,
    summary="Verify a signed bundle of runs.",
    examples=("newwiki bundle check gpt2.newwiki --spot 20 --model gpt2",),
    settings=SCORERS,
    result="Returns a row for each check. Raises TerminalError for the first fault.",
)
def check(
    request: CheckRequest,
    here: Here,
    *,
    receipt: Path | None = field(
        None,
        "Receipt to write: the confirmed facts, signed by --sign, for `newwiki site`.",
        metavar="FILE",
        writes="file",
    ),
) -> Answer:
    """Verify a bundle of `newwiki bundle submit`: check its signature and hashes, and recompute its scores.

    With --spot, completions of every run are drawn at random and replayed with your copy of the checkpoint: their
    tokens must be those that the decoder chooses. The check ends at the first fault and prints what failed and where.
    """
    from flows.bundles.check import check_with_receipt
    from flows.bundles.checked import COLUMNS

    checked = check_with_receipt(request, here.settings, here.progress, receipt)
    return rows_answer(here, COLUMNS, [line.row for line in checked.lines], checked.sentences)


bundle.add_command(submit)
bundle.add_command(check)
