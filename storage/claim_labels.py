"""Store people's labels for sentences whose claims were checked."""

from collections.abc import Sequence

import pyarrow as pa

from newwiki.judging.claim_label import CLAIMS, LabelledSentence, Sentence
from storage.database import Database, insert, insert_new
from storage.judgements import StoredRubric
from storage.keys import KEYS
from storage.queries import query


def sentences(database: Database, run_ids: Sequence[str], first: int) -> list[Sentence]:
    """Return those of the first `first` sentences of each kept text whose claims were checked, for the given runs."""
    return database.records(Sentence, "sentences_to_label", list(run_ids), first)


def keep(database: Database, labels: Sequence[LabelledSentence]) -> None:
    """Store labels in one transaction. A person's later label for a sentence replaces the earlier label."""
    columns = [name for name in KEYS["claim_labels"] if name != "rubric_sha256"]
    incoming = pa.table(
        {name: [getattr(label, name) for label in labels] for name in columns}
        | {"rubric_sha256": [CLAIMS.sha256] * len(labels)}
    )
    with database.write() as connection:
        insert_new(connection, "rubrics", [StoredRubric(CLAIMS.sha256, CLAIMS.criteria_json)])
        connection.register("incoming", incoming)
        connection.execute(query("forget_claim_labels"))
        connection.unregister("incoming")
        insert(connection, "claim_labels", labels, rubric_sha256=CLAIMS.sha256)


def labels_of(database: Database, run_ids: Sequence[str]) -> list[LabelledSentence]:
    """Return the labels that people gave to sentences of these runs."""
    return database.records(LabelledSentence, "claim_labels_of", list(run_ids), CLAIMS.sha256)
