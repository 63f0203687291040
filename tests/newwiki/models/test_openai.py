"""A model behind a server: what it is asked, what becomes of its answers, and what is said where it goes wrong."""

import asyncio
import json
import pickle
import sys
import time
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

import pytest

from newwiki.decoding.grammar import parse
from newwiki.errors import NewWikiError, TerminalError, TransientError, UsageError
from newwiki.models.backend import StoredAnswers, Writing
from newwiki.models.openai import OpenAIModel
from newwiki.records import Completion, Prompt
from newwiki.registry import models
from tests.endpoint import Endpoint, completion, endpoint, words

KEY = "sk-of-nobody-0123456789"
PROMPTS = [Prompt(11, "Ilse Maradén\n\nIlse Maradén was a botanist."), Prompt(40, "Orlow\n\nOrlow is a town.")]
REQUESTS = [(prompt, sample) for prompt in PROMPTS for sample in range(3)]


pytestmark = pytest.mark.usefixtures("impatient")


@pytest.fixture
def served() -> Iterator[Endpoint]:
    with endpoint(words) as told:
        yield told


def loaded(told: Endpoint, **arguments: str) -> OpenAIModel:
    return OpenAIModel("small", dtype="auto", base_url=told.url, **arguments)


def complete(model: OpenAIModel, decoder: str = "sample", requests: Any = REQUESTS, **writing: Any) -> list[Completion]:
    batches = model.complete(requests, parse(decoder)[0], Writing(**{"max_new_tokens": 16, **writing}))
    return sorted(chain.from_iterable(batches), key=lambda one: (one.page_id, one.sample))


def complete_until_error(model: OpenAIModel, **writing: Any) -> tuple[list[Completion], NewWikiError | None]:
    done = list[Completion]()
    try:
        for batch in model.complete(REQUESTS, parse("sample")[0], Writing(**{"max_new_tokens": 16, **writing})):
            done += batch
    except NewWikiError as error:
        return done, error
    return done, None


def sent(told: Endpoint, decoder: str, **arguments: str) -> dict[str, Any]:
    """The fields of a request beside model, prompt and seed."""
    complete(loaded(told, **arguments), decoder, REQUESTS[:1])
    return {key: told.completions[-1].body[key] for key in told.completions[-1].body if key not in ("model", "seed")}


def test_every_completion_is_asked_for_once_by_its_own_seed(served: Endpoint) -> None:
    model = loaded(served)
    texts = complete(model)
    assert [(one.page_id, one.sample) for one in texts] == [(prompt.page_id, sample) for prompt, sample in REQUESTS]
    assert len({one.body["seed"] for one in served.completions}) == len(REQUESTS)
    assert all(0 <= one.body["seed"] < 2**31 for one in served.completions)
    assert {one.body["prompt"] for one in served.completions} == {prompt.text for prompt in PROMPTS}
    assert complete(model, requests=REQUESTS[::-1]) == texts, "in any order"
    assert complete(model, requests=REQUESTS[:2]) + complete(model, requests=REQUESTS[2:]) == texts, "in any part"
    assert {one.text for one in complete(model, seed=1)}.isdisjoint({one.text for one in texts})


def test_no_seed_where_there_is_nothing_to_draw_or_the_server_takes_none(served: Endpoint) -> None:
    complete(loaded(served), "greedy")
    complete(loaded(served, seeds="no"), "sample")
    assert all("seed" not in one.body for one in served.completions)


@pytest.mark.parametrize(
    ("server", "decoder", "expected"),
    [
        ("openai", "greedy", {"temperature": 0, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0}),
        (
            "openai",
            "sample:top_p=0.9,temperature=0.7,presence_penalty=0.5,frequency_penalty=-1",
            {"temperature": 0.7, "top_p": 0.9, "presence_penalty": 0.5, "frequency_penalty": -1},
        ),
        (
            "vllm",
            "sample:top_k=20,min_p=0.1",
            {
                "temperature": 1, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0, "top_k": 20, "min_p": 0.1,
                "repetition_penalty": 1,
            },
        ),
        (
            "llama.cpp",
            "sample:typical_p=0.9,repetition_penalty=1.2",
            {
                "samplers": ["penalties", "temperature", "top_k", "top_p", "min_p", "typ_p"], "temperature": 1,
                "top_k": 0, "top_p": 1, "min_p": 0, "typical_p": 0.9, "repeat_penalty": 1.2, "repeat_last_n": -1,
            },
        ),
        ("tgi", "sample:temperature=0.5", {"temperature": 0.5}),
        ("tgi", "sample:top_p=0.5", {"temperature": 1, "top_p": 0.5}),
    ],
)  # fmt: skip
def test_each_kind_of_server_gets_exactly_the_parameters_it_accepts(
    served: Endpoint, server: str, decoder: str, expected: dict[str, Any]
) -> None:
    assert sent(served, decoder, server=server) == {"prompt": PROMPTS[0].text, "max_tokens": 16, **expected}


def test_transformers_serve_gets_do_sample(served: Endpoint) -> None:
    for decoder, sampled in (("greedy", False), ("sample:top_k=5", True)):
        told = sent(served, decoder, server="transformers")
        config = json.loads(told.pop("generation_config"))
        assert config == {
            "do_sample": sampled, "top_k": 5 if sampled else 0, "typical_p": 1, "repetition_penalty": 1,
        }  # fmt: skip
        assert told == {"prompt": PROMPTS[0].text, "max_tokens": 16, "temperature": float(sampled), "top_p": 1}
    assert not any(one.path == "/models" for one in served.asked), "its list is of the cache, not of what it serves"


def test_a_chat_is_the_prompt_as_the_users_turn(served: Endpoint) -> None:
    told = sent(served, "greedy", chat="yes")
    assert served.completions[-1].path == "/chat/completions"
    assert told["messages"] == [{"role": "user", "content": PROMPTS[0].text}]
    assert told["max_completion_tokens"] == 16
    assert sent(served, "greedy", chat="yes", server="vllm")["max_tokens"] == 16
    assert complete(loaded(served, chat="yes"))[0].text.startswith(" Words of seed")


@pytest.mark.parametrize("server", ["openai", "vllm", "llama.cpp", "tgi", "transformers"])
@pytest.mark.parametrize(
    "decoder", ["beam", "contrastive-search", "sample:no_repeat_ngram_size=3", "greedy:no_repeat_ngram_size=3"]
)
def test_a_decoder_that_no_server_can_do_is_refused(served: Endpoint, server: str, decoder: str) -> None:
    model = loaded(served, server=server)
    message = rf"of kind '{server}' .*('{decoder}'.*); it supports: greedy, and sample with .*temperature.*top_p"
    with pytest.raises(UsageError, match=message):
        model.others(parse(decoder)[0])
    with pytest.raises(UsageError, match=message):
        model.complete(REQUESTS, parse(decoder)[0], Writing())
    assert not served.completions


@pytest.mark.parametrize(
    ("server", "decoder"),
    [
        ("openai", "sample:top_k=5"),
        ("openai", "sample:repetition_penalty=1.2"),
        ("vllm", "sample:typical_p=0.9"),
        ("vllm", "sample:top_n_sigma=1"),
        ("llama.cpp", "sample:p_less=1"),
        ("transformers", "sample:min_p=0.1"),
        ("llama.cpp", "sample:presence_penalty=1"),
        ("tgi", "sample:presence_penalty=1"),
        ("transformers", "sample:frequency_penalty=1"),
    ],
)
def test_a_parameter_that_this_server_would_ignore_is_refused(served: Endpoint, server: str, decoder: str) -> None:
    with pytest.raises(
        UsageError, match=rf"does not support {decoder[7:].partition('=')[0]} .*it supports: greedy, and sample with"
    ):
        loaded(served, server=server).others(parse(decoder)[0])


@pytest.mark.parametrize("writing", [{"strict": True}, {"batch_size": 8}])
def test_what_is_the_servers_affair_is_refused(served: Endpoint, writing: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=r"omit (it|--batch-size)"):
        loaded(served).complete(REQUESTS, parse("greedy")[0], Writing(**writing))


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (completion(" A b.", "stop", 5), (" A b.", 5, 2, "stop", False)),
        (completion(" A b", "length", 16), (" A b", 16, 2, "length", True)),
        (completion(" A b", "length", 9), (" A b", 9, 2, "context", True)),
        (completion(" A b", "content_filter", 9), (" A b", 9, 2, "unknown", True)),
        (completion(" A b END c", "length", 16), (" A b ", 16, 2, "stop", False)),
        (completion(None, "content_filter", 0, chat=True), ("", 0, 0, "unknown", True)),
        ({"choices": [{"text": " A b", "finish_reason": "length"}]}, (" A b", None, 2, "length", True)),
    ],
)
def test_a_completion_says_how_it_ended(answer: dict[str, Any], expected: tuple[Any, ...]) -> None:
    with endpoint(lambda path, body: (200, answer)) as told:
        (one,) = complete(loaded(told, server="transformers"), requests=REQUESTS[:1], stop=("END",))
    assert (one.text, one.tokens, one.words, one.finish_reason, one.truncated) == expected


def test_an_answer_keeps_what_its_maker_says(served: Endpoint) -> None:
    one, *_ = complete(loaded(served))
    assert (one.prompt_tokens, one.tokens, one.served_by) == (7, 5, "small-2026-10 fp_1")


def test_a_model_of_another_name_ends_the_run_and_another_fingerprint_is_noted() -> None:
    notes = list[str]()
    makers = iter([("a", "fp 1"), ("a", "fp 1"), ("a", "fp 2"), ("b", "fp 1")])

    def renamed(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        model, fingerprint = next(makers)
        return 200, completion("x") | {"model": model, "system_fingerprint": fingerprint}

    with endpoint(renamed) as told:
        done, error = complete_until_error(loaded(told, server="transformers"), note=notes.append)
    assert isinstance(error, TerminalError)
    assert "now answers with the model 'b', and the run's texts so far, which stay stored, are of 'a'" in str(error)
    assert [one.served_by for one in done] == ["a fp_1", "a fp_1", "a fp_2"]
    assert notes[-1] == "more than one configuration answered as 'small': a fp_1 (2); a fp_2 (1)"


def test_stored_texts_of_another_model_end_a_run_that_resumes(served: Endpoint) -> None:
    with pytest.raises(TerminalError, match=r"'small-2026-10', .* are of 'small-2026-09'"):
        complete(loaded(served), stored=StoredAnswers(served_by=("small-2026-09 fp_1",)))
    assert complete(loaded(served), stored=StoredAnswers(served_by=("small-2026-10 fp_7",)))


def test_a_server_that_never_answers_costs_three_timeouts_and_no_other_answer(served: Endpoint) -> None:
    silent = PROMPTS[1].text

    def hangs(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(1 if body and body["prompt"] == silent else 0)
        return words(path, body)

    served.answer = hangs
    start = time.monotonic()
    done, error = complete_until_error(loaded(served, timeout="0.2"))
    assert time.monotonic() - start < 10 * 0.2
    assert isinstance(error, TransientError)
    assert "gave no answer to the completion of page 40 within 0.2 seconds, several times" in str(error)
    assert "\n" not in str(error)
    assert [one.page_id for one in done] == [11, 11, 11]


def test_a_wait_of_a_day_is_not_slept_through(served: Endpoint) -> None:
    def later(path: str, body: dict[str, Any]) -> Any:
        limit = {"error": {"message": "Rate limit reached: daily"}}
        return (429, limit, {"Retry-After": "86400"}) if body else words(path, body)

    served.answer = later
    message = r"refuses further requests until 2\d{3}-\d\d-\d\d \d\d:\d\d UTC \(HTTP status 429\): Rate limit .*; run"
    with pytest.raises(TransientError, match=message):
        complete(loaded(served))


def test_a_page_instead_of_an_answer_is_told_in_one_line(served: Endpoint) -> None:
    page = (
        "<html><head><title>429</title><style>p {}</style></head>\n<body><p>Too many <b>requests</b> &amp; more\x1b[2J"
    )
    served.answer = lambda path, body: (429, page, {"Retry-After": "0"}) if body else words(path, body)
    with pytest.raises(TransientError, match=r"\(HTTP status 429\): Too many requests & more\\u001b\[2J; its log"):
        complete(loaded(served, concurrency="1"))


def test_an_error_in_an_answer_of_status_200_is_told(served: Endpoint) -> None:
    error = {"error": {"message": "upstream overloaded", "code": 502}}
    served.answer = lambda path, body: (200, error) if body else words(path, body)
    with pytest.raises(TransientError, match=r"no valid answer to .* \(it reports an error: upstream overloaded\)"):
        complete(loaded(served, concurrency="1"))


@pytest.mark.parametrize("fault", ["429", "500", "cut", "wrong JSON", "no JSON", "no text"])
def test_what_goes_wrong_is_asked_for_again(served: Endpoint, fault: Any) -> None:
    expected, notes = complete(loaded(served)), list[str]()
    served.faults[:] = [fault, fault]
    assert complete(loaded(served), note=notes.append) == expected
    assert notes == [f"requests to {served.url}: 8 requests (2 of them repeated), 42 prompt and 30 completion tokens"]


def test_the_server_says_how_long_to_wait(served: Endpoint) -> None:
    served.faults[:] = ["429"]
    complete(loaded(served), requests=REQUESTS[:1])
    first, second = (one.at for one in served.completions)
    assert second - first >= 0.2


def test_what_stays_wrong_is_an_error_that_may_pass(served: Endpoint) -> None:
    for fault, message in (
        ("wrong JSON", "sends no valid answer to the completion of page 11 .*later to resume"),
        ("500", r"failed repeatedly at the completion of page 11 \(HTTP status 500\): Internal Server Error"),
        ("cut", "cannot be reached for the completion of page 11"),
    ):
        served.faults[:] = [fault] * 20  # type: ignore[list-item]
        with pytest.raises(TransientError, match=message):
            complete(loaded(served, concurrency="1"), requests=REQUESTS[:1])


def test_an_absent_server_is_reported_quickly() -> None:
    with endpoint(words) as gone:
        pass
    start = time.monotonic()
    with pytest.raises(TransientError, match=f"the server at {gone.url} cannot be reached for its list of models"):
        loaded(gone)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (403, {"message": "not yours"}, "does not allow .* with this key: not yours"),
        (404, {"message": "no such model"}, "does not have the completion .*: no such model; .*--chat"),
        (400, {"message": "maximum context is 9"}, r"refuses .*page 11 .*maximum context is 9; .*--max-new-tokens"),
        (422, {"detail": "no top_k"}, "refuses .*: no top_k; "),
        (429, {"message": "pay", "code": "insufficient_quota"}, "reports that the quota is used up: pay"),
    ],
)
def test_what_no_patience_mends_is_final_and_says_what_the_server_says(
    status: int, error: dict[str, Any], message: str
) -> None:
    def refuse(path: str, body: dict[str, Any]) -> tuple[int, Mapping[str, Any]]:
        return (status, {"error": error}) if body else words(path, body)

    with endpoint(refuse) as told, pytest.raises(TerminalError, match=message):
        complete(loaded(told, concurrency="1"), requests=REQUESTS[:1])


def test_a_key_is_sent_and_stands_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    with endpoint(words, key=KEY) as told:
        with pytest.raises(TerminalError, match="requires a key; put it into the environment variable OPENAI_API_KEY"):
            loaded(told)
        monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}-not")
        with pytest.raises(TerminalError, match=r"rejects the key in OPENAI_API_KEY: Incorrect .*; check") as wrong:
            loaded(told)
        assert KEY not in str(wrong.value)
        assert wrong.value.__cause__ is None and wrong.value.__suppress_context__
        monkeypatch.setenv("OURS", KEY)
        model = loaded(told, key_env="OURS")
        assert len(complete(model)) == len(REQUESTS)
        assert told.asked[-1].authorization == f"Bearer {KEY}"
    known = json.dumps([model.sha256, dict(model.settings), dict(model.versions)]) + repr(vars(model))
    assert KEY not in known
    assert KEY.encode() not in pickle.dumps(model)


def test_a_secret_in_the_address_is_refused_and_not_repeated() -> None:
    for url in ("http://me:hush@127.0.0.1:1/v1", "http://127.0.0.1:1/v1?key=hush"):
        with pytest.raises(UsageError, match="must not contain a user, password or query") as refused:
            OpenAIModel("small", base_url=url)
        assert "hush" not in str(refused.value)


def test_its_name_is_of_who_was_asked_and_never_of_weights(served: Endpoint) -> None:
    model = loaded(served)
    assert models.get("openai") is OpenAIModel
    assert model.sha256.startswith("served:")
    assert loaded(served).sha256 == model.sha256, "though the list is newer"
    reported = {"id": "small", "root": "/models/small", "owned_by": "us"}
    assert json.loads(model.versions["reported"]) == reported
    assert model.versions["base_url"] == served.url
    others = [OpenAIModel("large", base_url=served.url)]
    with endpoint(words) as elsewhere:
        others.append(loaded(elsewhere))
    with endpoint(lambda path, body: (200, {"data": [reported | {"root": "/models/other"}]})) as moved:
        others.append(OpenAIModel("small", base_url=moved.url))
    assert len({one.sha256 for one in [model, *others]}) == 4


def test_the_address_may_come_from_the_environment(served: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"the server's address: add --model-args base_url=.*, or set OPENAI_BASE_URL"):
        OpenAIModel("small")
    monkeypatch.setenv("OPENAI_BASE_URL", f"{served.url}/")
    assert OpenAIModel("small").sha256 == loaded(served).sha256


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"revision": "a"}, "does not take the model arguments revision; it takes: base_url"),
        ({"concurency": "2"}, "did you mean 'concurrency'"),
        ({"dtype": "bfloat16"}, "omit --dtype"),
        ({"server": "lmstudio"}, "no server kind 'lmstudio'; server= must be one of: openai, vllm"),
        ({"concurrency": "0"}, "concurrency must be a number above 0, not '0'"),
        ({"concurrency": "1.5"}, "a whole number"),
        ({"timeout": "soon"}, "timeout must be a number above 0, not 'soon'"),
        ({"prompt_price": "1"}, "set both prompt_price and completion_price"),
        ({"key_env": "NOT_SET_HERE"}, "key_env=NOT_SET_HERE, but this environment variable is not set"),
        ({"base_url": "127.0.0.1:8000"}, "is not a server address"),
        ({"chat": "maybe"}, "chat must be yes or no"),
    ],
)
def test_an_invalid_argument_is_reported_before_any_request(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        OpenAIModel.find("small", **{"base_url": "http://127.0.0.1:1/v1", **arguments})


def test_the_concurrency_limit_also_holds_inside_a_running_loop(served: Endpoint) -> None:
    def slow(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        time.sleep(0.05)
        return words(path, body)

    served.answer = slow

    async def in_a_notebook() -> list[Completion]:
        return complete(loaded(served, concurrency="3"))

    assert len(asyncio.run(in_a_notebook())) == len(REQUESTS)
    assert served.most_at_once == 3


def test_requests_per_minute_are_limited(served: Endpoint) -> None:
    for limit in ({"requests_per_minute": "600"}, {"tokens_per_minute": "7200"}):  # 12 tokens an answer
        served.asked.clear()
        complete(loaded(served, **limit), max_new_tokens=2)
        came = [one.at for one in served.completions]
        assert 0.4 < came[-1] - came[0] < 2


def test_an_interrupt_loses_only_pending_requests(served: Endpoint) -> None:
    held = 3.0

    def later(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if body and PROMPTS[1].text == body["prompt"]:
            time.sleep(held)
        return words(path, body)

    served.answer = later
    notes: list[str] = []
    coming = loaded(served).complete(REQUESTS, parse("sample")[0], Writing(note=notes.append))
    first = [one for batch in (next(coming), next(coming), next(coming)) for one in batch]
    start = time.monotonic()
    coming.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < 1
    assert {one.page_id for one in first} == {11}
    assert notes == [f"requests to {served.url}: 3 requests, 21 prompt and 15 completion tokens"]


def test_what_is_there_is_not_kept_waiting_for_what_is_slow(served: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newwiki.models.remote.side_by_side._SILENCE", 0.1)

    def later(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        if body and PROMPTS[1].text == body["prompt"]:
            time.sleep(0.5)
        return words(path, body)

    served.answer = later
    batches = list(loaded(served).complete(REQUESTS, parse("sample")[0], Writing()))
    assert [len(batch) for batch in batches] == [1, 1, 1, 0, 1, 1, 1]


def test_the_bill_is_in_the_users_prices(served: Endpoint) -> None:
    notes: list[str] = []
    model = loaded(served, prompt_price="1000", completion_price="2000")
    complete(model, note=notes.append)
    assert notes == [f"requests to {served.url}: 6 requests, 42 prompt and 30 completion tokens, cost 0.1020"]
    assert (model.versions["prompt_price"], model.versions["completion_price"]) == ("1000.0", "2000.0")


def test_a_server_that_does_not_count_is_not_taken_for_free() -> None:
    notes: list[str] = []
    with endpoint(lambda path, body: (200, {"choices": [{"text": "x"}]})) as told:
        complete(loaded(told, server="transformers", prompt_price="1", completion_price="1"), note=notes.append)
    assert notes[0].endswith("0 prompt and 0 completion tokens, 6 answers without token counts")


def test_a_server_without_a_list_of_models_is_asked_all_the_same() -> None:
    def bare(path: str, body: dict[str, Any]) -> tuple[int, Any]:
        return words(path, body) if body else (404, {"error": {"message": "no such page"}})

    with endpoint(bare) as told:
        model = loaded(told)
        assert model.versions["reported"] == "null"
        assert len(complete(model)) == len(REQUESTS)


def test_without_the_package_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(NewWikiError, match=r"needs a package: pip install 'newwiki-eval\[openai\]'"):
        OpenAIModel("small", base_url="http://127.0.0.1:1/v1")
