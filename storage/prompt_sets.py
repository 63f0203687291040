"""Publish prompt sets once, under a hash of their content, and never change them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.prompting.prompt_set import PREFIX, GroupPrompt, PromptSet
from storage.database import Database, insert_arrow, insert_new
from storage.queries import first_row


def is_prompt_set(snapshot_id: str) -> bool:
    """Return whether the snapshot id of a run names a prompt set."""
    return snapshot_id.startswith(PREFIX)


def publish(database: Database, prompts: PromptSet) -> None:
    """Store the set with its prompts in one transaction, unless the set is stored already.

    Raises TerminalError if the stored prompts differ from the published set.
    """
    name = prompts.prompt_set_id
    with database.write() as connection:
        if not first_row(connection.execute("select 1 from prompt_sets where prompt_set_id = ?", [name])):
            rows = [{**asdict(prompt), "page_id": prompt.page_id, "prompt_set_id": name} for prompt in prompts.prompts]
            now = datetime.now(UTC).replace(microsecond=0)
            published = {"prompt_set_id": name, "name": prompts.name, "prompts": len(rows), "published_at": now}
            insert_arrow(connection, "prompt_sets", pa.Table.from_pylist([published]))
            insert_arrow(connection, "group_prompts", pa.Table.from_pylist(rows))
    load(database, name)


def load(database: Database, prompt_set_id: str) -> PromptSet:
    """Return a prompt set. Raises TerminalError if its prompts do not match the hash in its id."""
    rows = database.rows("group_prompts", prompt_set_id)
    prompts = [
        GroupPrompt(category=category, group_name=group, prompt=prompt, context=context, hidden=tuple(hidden))
        for category, group, prompt, context, hidden in rows
    ]
    stored = PromptSet("", prompts)
    if stored.prompt_set_id != prompt_set_id:
        raise TerminalError(
            f"the prompts of {prompt_set_id} are not those that were published, and a published set never changes; "
            "restore the database from a copy"
        )
    return stored


def verify(database: Database) -> list[str]:
    """Return a sentence for each prompt set whose prompts do not match its id."""
    wrong = []
    for (prompt_set_id,) in database.rows("prompt_set_ids"):
        try:
            load(database, prompt_set_id)
        except TerminalError as error:
            wrong.append(str(error))
    return wrong


def hidden_words(database: Database, prompt_set_id: str) -> Mapping[int, tuple[str, ...]]:
    """Return the words of each prompt and its completions that are hidden from evaluators, by page id."""
    return {prompt.page_id: prompt.hidden for prompt in load(database, prompt_set_id).prompts}


def stored_swaps(
    database: Database, texts_sha256: str, evaluator_ids: Sequence[str]
) -> dict[tuple[str, int, int], list[float]]:
    """Return the scores that these evaluators gave the sentences with swapped words.

    The keys are metric, percentage of swapped words and repetition.
    """
    rows = database.rows("stored_swaps", texts_sha256, list(evaluator_ids))
    return {(metric, swapped, repetition): values for metric, swapped, repetition, values in rows}


def keep_swaps(
    database: Database,
    texts_sha256: str,
    swapped: int,
    repetition: int,
    by_metric: Mapping[str, tuple[str, Sequence[float]]],
) -> None:
    """Store a repetition: the evaluator and one score per sentence, by metric."""
    rows = [
        {
            "texts_sha256": texts_sha256,
            "metric": metric,
            "evaluator_id": evaluator_id,
            "swapped": swapped,
            "repetition": repetition,
            "values": list(values),
        }
        for metric, (evaluator_id, values) in by_metric.items()
    ]
    with database.write() as connection:
        insert_new(connection, "swapped_scores", pa.Table.from_pylist(rows), texts_sha256=texts_sha256)
