"""Every field of a request and of a run's identity is something to a comparison: compared, protocol, told, paired or
irrelevant. A field that nobody has placed fails here."""

import ast
import itertools
import json
from dataclasses import fields
from pathlib import Path

import duckdb
import pytest

import newwiki
from flows.evaluating.run_identity import RunIdentity
from newwiki import protocol
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.registrations import Evaluation
from newwiki.registry import decoders
from newwiki.request import EvaluationRequest
from storage.database import Database
from storage.migrate import migrate
from tests.flows.scored import add_run

SETS = (protocol.COMPARED, protocol.PROTOCOL, protocol.TOLD, protocol.PAIRED, protocol.IRRELEVANT)
PLACED = {name for names in SETS for name in names}
ROOT = Path(newwiki.__file__).parents[1]


def returned_keys(file: Path, function: str) -> set[str]:
    (found,) = [
        n for n in ast.walk(ast.parse(file.read_text())) if isinstance(n, ast.FunctionDef) and n.name == function
    ]
    (made,) = [node.value for node in ast.walk(found) if isinstance(node, ast.Return)]
    assert isinstance(made, ast.Dict)
    return {key.value for key in made.keys if isinstance(key, ast.Constant)}  # type: ignore[misc]


def settings_of_backends() -> set[str]:
    """The keys of every dictionary that is assigned to `self.settings` in a backend's file."""
    found: set[str] = set()
    for file in sorted((ROOT / "newwiki" / "models").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "self.settings":
                assert not isinstance(node.value, ast.Dict) or all(
                    key is None or isinstance(key, ast.Constant) for key in node.value.keys
                ), f"{file}: settings under names that are not written there"
                if isinstance(node.value, ast.Dict):
                    found |= {key.value for key in node.value.keys if isinstance(key, ast.Constant)}  # type: ignore[misc]
    return found


def test_no_field_stands_in_two_places() -> None:
    assert sum(map(len, SETS)) == len(PLACED)


def test_every_field_of_a_request_is_placed() -> None:
    scored_by = {"metrics", "budget"}  # what texts are scored by, which their evaluators' fingerprints tell
    writers = {"models", "model_args"}  # whose weights' hash, backend and settings are placed each
    permitted = {"allow_pickle", "trust_remote_code"}  # whether those weights are read at all
    asked = {one.name for one in fields(EvaluationRequest)}
    assert asked - scored_by - writers - permitted - PLACED == set()
    assert set(Evaluation.model_fields) <= asked


def test_every_part_of_what_names_a_run_is_placed() -> None:
    folder = ROOT / "flows" / "evaluating"
    identity = {one.name for one in fields(RunIdentity)}
    assert len(identity) > 10
    identity |= returned_keys(folder / "read_articles.py", "_identity")
    assert identity - PLACED == {"settings"}, "those of the backend are placed one by one"
    elsewhere = {"path", *protocol.CHAT_SETTINGS, "date", "chat_template", "thinking_markers", "ends", "tokenizer_json"}
    assert settings_of_backends() | elsewhere == set(protocol.SETTINGS), "some are set where no dictionary is written"
    assert set(protocol.SETTINGS) - PLACED == set()


def test_every_setting_that_is_compared_or_shown_is_a_column(tmp_path: Path) -> None:
    database = Database(tmp_path / "newwiki.duckdb")
    add_run(database, "a")
    with database.read() as connection:
        columns = connection.sql("from run_settings").columns
    assert columns == ["run_id", *protocol.PROTOCOL, *protocol.TOLD]


def settings(**changes: object) -> dict[str, object]:
    given: dict[str, object] = {
        "max_new_tokens": 64, "samples": 20, "keep": 10, "template": "{title}", "stop": [], "chat": False,
        "prompts": 3, "dtype": "float32", "backend": "hf", "seed": 0, "strict": False, "bos": "no",
        "context": None, "server": None, "seeds": None, "numerics": 1,
        **dict.fromkeys(protocol.CHAT_SETTINGS, protocol.NONE),
        **dict.fromkeys(("date", "chat_template", "thinking_markers", "ends", "tokenizer_json")),
    }  # fmt: skip
    return given | changes


@pytest.mark.parametrize(("name", "value"), [
    ("max_new_tokens", 256), ("max_new_tokens", None), ("samples", 2), ("keep", 2), ("template", "{title}\n"),
    ("template", None), ("stop", ["."]), ("stop", None), ("chat", True), ("chat", None),
])  # fmt: skip
def test_a_setting_of_the_protocol_that_differs_is_named(name: str, value: object) -> None:
    """What is not known of texts from elsewhere differs from what is known, apart from the settings of chats: that
    `chat` is not known says it all."""
    one, other = settings(), settings(**{name: value})
    assert protocol.differing(one, other) == protocol.differing(other, one) == protocol.varying([one, other]) == [name]
    assert protocol.told_apart(one, other) == []


@pytest.mark.parametrize("name", protocol.CHAT_SETTINGS)
def test_a_setting_of_a_chat_that_differs_is_named(name: str) -> None:
    one, other = settings(), settings(**{name: "8"})
    assert protocol.differing(one, other) == protocol.differing(other, one) == protocol.varying([one, other]) == [name]
    assert protocol.differing(one, settings(**{name: None})) == []


def test_a_deterministic_decoder_goes_with_any_number_of_samples() -> None:
    """It has one text to give, so neither number is a setting of its own; but of others they are told apart."""
    greedy = settings(samples=None, keep=None)
    assert protocol.differing(greedy, settings()) == protocol.differing(settings(samples=2, keep=2), greedy) == []
    assert protocol.varying([greedy, settings()]) == []
    assert protocol.varying([greedy, settings(), settings(keep=2)]) == ["keep"]


def test_a_run_that_reads_makes_no_column_of_what_only_writing_has() -> None:
    reading = settings(max_new_tokens=None, samples=None, keep=None, seed=None)
    assert protocol.varying([settings(), reading]) == []
    assert protocol.varying([settings(), settings(seed=1), reading]) == ["seed"]
    assert protocol.values_of([reading, settings()], "max_new_tokens") == [64]
    assert protocol.differing(reading, settings(max_new_tokens=None, samples=None, keep=None, seed=None)) == []


def test_articles_were_not_asked_and_go_with_any_run() -> None:
    assert protocol.differing(None, settings()) == protocol.told_apart(settings(), None) == []


def test_a_different_dtype_or_seed_is_reported() -> None:
    assert protocol.told_apart(settings(), settings(dtype="bfloat16", seed=1)) == ["dtype", "seed"]
    assert protocol.told_apart(settings(), settings(dtype=None)) == [], "of texts from elsewhere nothing is known"


def test_settings_are_named_as_they_are() -> None:
    assert protocol.settings_named(["keep, stop", "chat"]) == {"keep", "stop", "chat"}
    with pytest.raises(
        UsageError, match="'max_tokens' is not a setting of the protocol; did you mean 'max_new_tokens'"
    ):
        protocol.settings_named(["max_tokens"])
    with pytest.raises(UsageError, match="'dtype' is not a setting of the protocol"):
        protocol.settings_named(["dtype"])


DETERMINISTIC = ("greedy", "beam:length_penalty=1,num_beams=4", "delayed-beam:delay=0,num_beams=6,top_k=100",
                 "contrastive-decoding:alpha=0.1,amateur=x,num_beams=5", "greedy:no_repeat_ngram_size=3")  # fmt: skip
DRAWN = ("sample:top_p=0.9", "delayed-beam:delay=1,num_beams=6,top_k=100", "greedy-of-a-plug-in",
         "contrastive-decoding:alpha=0.1,amateur=x,num_beams=0", "delayed-beam:delay=10")  # fmt: skip


TEXTS = ("", "{title}\n\n{first_sentence}", 'a "quoted" \\ / one\t', "π 🙂 \u2028", "it's")


def test_a_run_of_an_older_version_gets_the_protocol_that_it_would_have_today() -> None:
    """To the letter, as runs are grouped by it in SQL."""
    with duckdb.connect() as connection:
        migrate(connection, Path(":memory:"))
        for decoder, (samples, keep) in [
            *((one, (1, 1)) for one in DETERMINISTIC), *((one, (1, 1)) for one in DRAWN), ("sample", (20, 10))
        ]:  # fmt: skip
            once = decoder in DETERMINISTIC
            for template, stop, chat in itertools.product(TEXTS, ([], list(TEXTS[1:])), (False, True)):
                versions = {"bos": "no", "chat": "yes" if chat else "no"} | ({"stop": stop} if stop else {})
                asked = ["hf", decoder, samples, keep, 64, template, json.dumps(versions)]
                found = connection.execute(
                    "select protocol_of($1, $2, $3, $4, $5, $6, $7::json)::varchar", asked
                ).fetchall()
                assert found == [(protocol.protocol_json(
                    max_new_tokens=64, samples=None if once else samples, keep=None if once else keep,
                    template=template, stop=stop, chat=chat,
                ),)]  # fmt: skip
        asked = ["file", "unknown", 3, 3, None, "{title}", "{}"]
        ((elsewhere,),) = connection.execute(
            "select protocol_of($1, $2, $3, $4, $5, $6, $7::json)::varchar", asked
        ).fetchall()
    assert elsewhere == protocol.protocol_json(
        max_new_tokens=None, samples=3, keep=3, template=None, stop=None, chat=None
    )


def test_decoders_are_deterministic_as_the_migration_says() -> None:
    for decoder in {*DETERMINISTIC, *DRAWN} - {"greedy-of-a-plug-in"}:
        [parsed] = parse(decoder)
        assert decoders.get(parsed.name).is_deterministic(parsed) == (decoder in DETERMINISTIC), decoder


def test_sql_compares_protocols_as_we_do() -> None:
    made = [
        protocol.protocol_json(
            max_new_tokens=tokens, samples=many, keep=many, template="", stop=stop, chat=False, settings=settings
        )
        for tokens, many, stop, settings in itertools.product(
            (64, None), (2, 3, None), ([], ["."], None), ({}, {"cleaning": "prose-v1"})
        )
    ]
    with duckdb.connect() as connection:
        migrate(connection, Path(":memory:"))
        for one, other in itertools.combinations(made, 2):
            ((same,),) = connection.execute("select same_protocol($1::json, $2::json)", [one, other]).fetchall()
            chats = dict.fromkeys(protocol.CHAT_SETTINGS, protocol.NONE)
            differing = protocol.differing(chats | json.loads(one), chats | json.loads(other))
            assert same == (differing == []), (one, other)
        assert connection.execute("select same_protocol(null, $1::json)", made[:1]).fetchall() == [(True,)]
