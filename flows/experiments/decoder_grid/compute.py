"""Test the paper's statements about decoding on the runs of a grid of decoders."""

from flows.evaluating.generate import find_models
from flows.experiments.decoder_grid.request import DecoderGridRequest
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.statements.reading import answer, read_run
from storage import snapshots


def compute(evaluations: Evaluations, request: DecoderGridRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if the snapshot does not exist, and TerminalError if the runs have no metric of the paper.
    """
    snapshot = snapshots.resolve(evaluations.database, request.snapshot)
    written = evaluations.write(request)
    folders = find_models(request.backend, request.models, request.loading)
    runs = [read_run(run.run_id, run.model, run.model_sha256, run.decoder, folders) for run in written]
    return answer(evaluations.database, "decoder-grid", snapshot, runs)
