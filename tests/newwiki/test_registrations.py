from pathlib import Path

import pytest

from newwiki.errors import UsageError
from newwiki.registrations import Evaluation, Registrations, load_registrations
from newwiki.settings import TABLES, Settings, load_settings
from newwiki.snapshot import Selection

WIKI = '[[wikis]]\nname = "enwiki"\n'
MODEL = WIKI + '[[models]]\nname = "gpt2"\ndecoders = ["greedy"]\n'


@pytest.fixture(autouse=True)
def in_a_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def registered(text: str) -> Registrations:
    Path("newwiki.toml").write_text(text)
    return load_registrations(None)


def test_a_wiki_alone_is_enough() -> None:
    found = registered(WIKI)
    assert [wiki.name for wiki in found.wikis] == ["enwiki"]
    assert (found.wikis[0].min_words, found.wikis[0].sample) == (Selection.min_words, Selection.sample)
    assert found.evaluation == Evaluation()
    assert (found.models, found.gates, found.report.out) == ((), (), "reports")


def test_everything_that_can_be_registered_is_read() -> None:
    found = registered(
        'db = "a.duckdb"\n' + WIKI + 'since = "2026-01"\nmin_words = 400\nsample = 5\n'
        '[[wikis]]\nname = "mine"\napi = "https://wiki.example/w/api.php"\n'
        '[[models]]\nname = "gpt2"\nbackend = "hf"\ndecoders = ["greedy", "sample:top_p=0.9"]\nchat = true\n'
        'arguments = { dtype = "float32", device = "cpu", tries = 3 }\n'
        "[evaluation]\nprompts = 10\nsamples = 4\nkeep = 2\nmax_new_tokens = 64\nseed = 7\n"
        "stop = ['x']\nstrict = true\n"
        'metrics = "all"\nbudget = 9\n'
        '[[gates]]\nbaseline = "a"\ncandidate = "b"\nfail_if = "sbert < -0.01"\n'
        '[report]\nout = "pages"\n[notify]\nwebhook_env = "HOOK"\n'
    )
    first, second = found.wikis
    assert (first.since, first.min_words, first.sample) == ("2026-01", 400, 5)
    assert second.api == "https://wiki.example/w/api.php"
    assert found.models[0].decoders == ("greedy", "sample:top_p=0.9")
    assert found.models[0].arguments == {"dtype": "float32", "device": "cpu", "tries": 3}
    assert (found.evaluation.keep, found.evaluation.stop, found.evaluation.metrics) == (2, ("x",), "all")
    assert found.gates[0].fail_if == "sbert < -0.01"
    assert (found.report.out, found.notify.webhook_env) == ("pages", "HOOK")
    assert load_settings(None).db == "a.duckdb", "the tables are no settings"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"no wiki is registered: add a table \[\[wikis\]\] to 'newwiki\.toml'"),
        ("wikis = []", r"\[\[wikis\]\]: must not be empty"),
        ('wikis = "enwiki"', r"\[\[wikis\]\]: must be a list"),
        ('[wikis]\nname = "enwiki"', r"\[\[wikis\]\]: must be a list"),
        ('[[wikis]]\nnam = "x"', r"\[\[wikis\]\] 1 needs 'name'"),
        (WIKI + 'sinc = "2026-08"', r"\[\[wikis\]\] 1 has no key 'sinc'; did you mean 'since'\?; its keys are: name, "),
        (WIKI + 'since = "2026-13"', r"\[\[wikis\]\] 1, since: '2026-13' is not a month; write it as 2026-10"),
        (WIKI + 'api = "a"\ndump = "b"', r"\[\[wikis\]\] 1: has an api and a dump"),
        (WIKI + WIKI, r"\[\[wikis\]\]: 'enwiki' is registered twice"),
        ('[[wikis]]\nname = "en wiki"', r"\[\[wikis\]\] 1, name: may hold letters, digits, - and _"),
        (WIKI + 'sample = "3"', r"\[\[wikis\]\] 1, sample: must be a whole number"),
        (WIKI + '[[models]]\nname = "gpt2"', r"\[\[models\]\] 1 needs 'decoders'"),
        (WIKI + '[[models]]\nname = "a"\ndecoders = "greedy"', r"\[\[models\]\] 1, decoders: must be a list"),
        (WIKI + '[[models]]\nname = "a"\ndecoders = []', r"\[\[models\]\] 1, decoders: must not be empty"),
        (WIKI + '[[models]]\nname = "a"\ndecoders = ["greedy", 1]', r"1, decoders 2: must be a text in quotes"),
        (MODEL + "chat = 1", r"\[\[models\]\] 1, chat: must be true or false"),
        (MODEL + 'arguments = { api_key = "x" }', r"1, arguments: 'api_key' is a secret.* in the environment"),
        (MODEL + 'arguments = { "{x}" = [] }', r"1, arguments: '{x}' must be a text, a number, true or false"),
        (MODEL + "arguments = { stop = [] }", r"1, arguments: 'stop' must be a text, a number, true or false"),
        (MODEL + MODEL.removeprefix(WIKI), r"\[\[models\]\]: 'gpt2' is registered twice"),
        (WIKI + "[evaluation]\nsamples = 0", r"\[evaluation\], samples: must be 1 or more"),
        (WIKI + "[evaluation]\nsampels = 1", r"\[evaluation\] has no key 'sampels'; did you mean 'samples'"),
        (WIKI + "[[evaluation]]\nsamples = 1", r"\[evaluation\]: must be one table"),
        (WIKI + '[[gates]]\nbaseline = "a"', r"\[\[gates\]\] 1 needs 'candidate'"),
        (WIKI + '[notify]\nwebhook_env = "A"\nwebhook_block = "b"', r"\[notify\]: has webhook_env and webhook_block"),
    ],
)
def test_an_error_is_one_line_with_table_and_key(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as raised:
        registered(text)
    assert "\n" not in str(raised.value)
    assert "newwiki.toml" in str(raised.value)


def test_an_address_in_the_place_of_its_name_is_refused_and_not_repeated() -> None:
    with pytest.raises(
        UsageError, match=r"\[notify\], webhook_env: must be the name of the variable or block"
    ) as raised:
        registered(WIKI + '[notify]\nwebhook_env = "https://hooks.example/hush"\n')
    assert "hush" not in str(raised.value)


def test_there_must_be_a_file() -> None:
    with pytest.raises(UsageError, match=r"'newwiki\.toml' does not exist; write one with a table \[\[wikis\]\]"):
        load_registrations(None)


def test_the_settings_know_every_table_and_no_other() -> None:
    assert set(TABLES) == set(Registrations.model_fields)
    registered(MODEL)
    assert load_settings(None) == Settings()
    Path("newwiki.toml").write_text('[notfy]\nwebhook_env = "x"')
    with pytest.raises(UsageError, match="unknown setting 'notfy'; did you mean 'notify'"):
        load_settings(None)
