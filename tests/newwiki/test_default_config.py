"""What `newwiki init` writes, against the declarations that it is made of."""

import json
import os
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from newwiki import default_config as made
from newwiki.default_config import config_schema, default_config
from newwiki.registrations import Gate, Linking, Model, Publish, Registrations, Site, Wiki, load_registrations
from newwiki.settings import CUTOFFS, Settings, load_settings, text_settings
from newwiki.toml_tables import Table


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("NEWWIKI_"):
            monkeypatch.delenv(name)


def uncommented(text: str) -> str:
    """With each key that has a default or is required, and each table, taken out of its comment."""
    return re.sub(r"^#(?=\[|\w+ = (?!.*Not set by default))", "", text, flags=re.MULTILINE)


def test_as_it_is_written_it_sets_nothing() -> None:
    assert tomllib.loads(default_config()) == {}


def test_uncommented_it_is_read_back_as_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "newwiki.toml"
    file.write_text(uncommented(default_config()), "utf-8")
    assert load_settings(file) == Settings()
    assert load_registrations(file) == Registrations(
        wikis=(Wiki(name="enwiki"),),
        models=(Model(name="gpt2", decoders=("greedy", "sample:top_p=0.9")),),
        gates=(Gate(baseline="gpt2/greedy", candidate="gpt2/sample:top_p=0.9"),),
        linking=Linking(),
        site=Site(),
        publish=Publish(to=("/srv/www/board", "s3://bucket/board", "hf://spaces/lab/board")),
    ), "what has no default is an example, and all else a default"


def test_every_setting_and_every_key_of_every_table_stands_in_it() -> None:
    head, *tables = re.split(r"^#\[+(\w+)\]+\n", default_config(), flags=re.MULTILINE)
    sections = {name: keys(text) for name, text in zip(tables[::2], tables[1::2], strict=True)}
    assert keys(head) == [one.name for one in text_settings()]
    assert sections.pop(CUTOFFS) == [], "its keys are models' names"
    assert sections == {name: list(record(name).model_fields) for name in Registrations.model_fields}
    assert sections["wikis"][:2] == ["name", "api"]


def keys(text: str) -> list[str]:
    return re.findall(r"^#(\w+) =", text, re.MULTILINE)


def record(table: str) -> type[Table]:
    annotation: Any = Registrations.model_fields[table].annotation
    found: type[Table] = next(iter(get_args(annotation)), annotation)
    return found


def test_what_a_setting_is_stands_beside_it() -> None:
    head = default_config().partition(f"[{CUTOFFS}]")[0]
    assert [line for line in head.splitlines() if keys(line) and "  # " not in line] == []


def test_each_line_is_valid_when_it_alone_is_uncommented(tmp_path: Path) -> None:
    """Together with its table and what the table requires; the schema agrees."""
    file = tmp_path / "newwiki.toml"
    validator = Draft202012Validator(json.loads(config_schema()))
    table, wiki = "", '[[wikis]]\nname = "enwiki"\n'
    tried = 0
    for line in default_config().splitlines():
        if re.match(r"#\[", line):
            table = line[1:]
        elif re.match(r'#"?\w+"? = ', line):
            tried += 1
            required = re.findall(r"^#((?:name|decoders|baseline|candidate) = .*)$", section(table), re.MULTILINE)
            required = [other for other in required if other != line[1:]]
            written = "\n".join([table, *required, line[1:], "" if table == "[[wikis]]" else wiki])
            file.write_text(written, "utf-8")
            load_settings(file)
            load_registrations(file)
            assert [error.message for error in validator.iter_errors(tomllib.loads(written))] == [], line
    assert tried > 50


def section(table: str) -> str:
    return default_config().partition(f"#{table}\n")[2].partition("\n\n")[0] if table else ""


def test_the_schema_refuses_what_the_file_refuses() -> None:
    validator = Draft202012Validator(json.loads(config_schema()))
    for wrong in ('dbb = "x"', "db = 1", '[[wikis]]\nname = "en wiki"', "[[wikis]]", '[evaluation]\nsamples = "many"'):
        assert list(validator.iter_errors(tomllib.loads(wrong))), wrong
    assert not list(validator.iter_errors(tomllib.loads('db = "other.duckdb"'))), "settings need no wiki"


def test_a_new_key_stands_in_it_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class MoreSettings(Settings):
        mood: str = 'a "quoted" one'

    class Oven(Table):
        """What is baked."""

        heat: Annotated[int, Field(description="in degrees")] = 180
        timer: Annotated[int | None, Field(examples=[5])] = None

    class MoreRegistrations(Registrations):
        ovens: tuple[Oven, ...] = ()

    monkeypatch.setattr(made, "Settings", MoreSettings)
    monkeypatch.setattr(made, "Registrations", MoreRegistrations)
    text = default_config()
    assert '#mood = "a \\"quoted\\" one"\n' in text
    assert text.endswith(
        "# What is baked.\n#[[ovens]]\n#heat = 180  # in degrees\n#timer = 5  # Not set by default; an example.\n"
    )
