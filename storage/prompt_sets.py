"""Prompt sets: published once under a hash of what they hold, and never changed."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.prompting.prompt_set import PREFIX, GroupPrompt, PromptSet
from storage.database import Database, insert_arrow, insert_new
from storage.queries import first_row


def is_prompt_set(snapshot_id: str) -> bool:
    """Whether what stands in the place of a run's snapshot is a prompt set."""
    return snapshot_id.startswith(PREFIX)


def publish(database: Database, prompts: PromptSet) -> None:
    """Stores the set with its prompts in one transaction, unless it is there. Raises TerminalError where what is there
    is not what was published."""
    name = prompts.prompt_set_id
    with database.write() as connection:
        if not first_row(connection.execute("select 1 from prompt_sets where prompt_set_id = ?", [name])):
            rows = [{**asdict(one), "page_id": one.page_id, "prompt_set_id": name} for one in prompts.prompts]
            now = datetime.now(UTC).replace(microsecond=0)
            published = {"prompt_set_id": name, "name": prompts.name, "prompts": len(rows), "published_at": now}
            insert_arrow(connection, "prompt_sets", pa.Table.from_pylist([published]))
            insert_arrow(connection, "group_prompts", pa.Table.from_pylist(rows))
    load(database, name)


def load(database: Database, prompt_set_id: str) -> PromptSet:
    """Raises TerminalError where its prompts are not those that it is named by."""
    rows = database.rows("group_prompts", prompt_set_id)
    found = [
        GroupPrompt(category=category, group_name=group, prompt=prompt, context=context, hidden=tuple(hidden))
        for category, group, prompt, context, hidden in rows
    ]
    there = PromptSet("", found)
    if there.prompt_set_id != prompt_set_id:
        raise TerminalError(
            f"the prompts of {prompt_set_id} are not those that were published, and a published set never changes; "
            "restore the database from a copy"
        )
    return there


def verify(database: Database) -> list[str]:
    """What is wrong with the sets, a sentence each."""
    wrong = []
    for (prompt_set_id,) in database.rows("prompt_set_ids"):
        try:
            load(database, prompt_set_id)
        except TerminalError as error:
            wrong.append(str(error))
    return wrong


def hidden_words(database: Database, prompt_set_id: str) -> Mapping[int, tuple[str, ...]]:
    """By page id, what of a prompt and its completions is hidden from whoever scores them."""
    return {one.page_id: one.hidden for one in load(database, prompt_set_id).prompts}


def stored_swaps(
    database: Database, texts_sha256: str, evaluator_ids: Sequence[str]
) -> dict[tuple[str, int, int], list[float]]:
    """By metric, percent of words and repetition, what these evaluators gave the sentences with their words swapped."""
    rows = database.rows("stored_swaps", texts_sha256, list(evaluator_ids))
    return {(metric, swapped, repetition): values for metric, swapped, repetition, values in rows}


def keep_swaps(
    database: Database,
    texts_sha256: str,
    swapped: int,
    repetition: int,
    by_metric: Mapping[str, tuple[str, Sequence[float]]],
) -> None:
    """Stores a repetition: of each metric who scored, and a number for each sentence."""
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
