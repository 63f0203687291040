"""Notices on their way: what is tried again, what is not, and that no error tells the address."""

import socket
from collections.abc import Iterator

import pytest

from flows.schedule.webhook import address, send, send_patiently
from newwiki.errors import NewWikiError, TerminalError, TransientError, UsageError
from newwiki.registrations import Notify
from newwiki.sources.backoff import Backoff
from tests.flows.registered import TOKEN, Webhook, webhook

NOTICE = {"key": "k", "month": "2026-09"}


@pytest.fixture(scope="module")
def open_hook() -> Iterator[Webhook]:
    with webhook() as hook:
        yield hook


@pytest.fixture
def hook(open_hook: Webhook) -> Webhook:
    open_hook.answers, open_hook.taken, open_hook.asked = [], [], 0
    return open_hook


@pytest.mark.parametrize(
    ("status", "error"),
    [(429, TransientError), (500, TransientError), (503, TransientError), (404, TerminalError), (302, TerminalError)],
)
def test_an_answer_says_whether_to_try_again(hook: Webhook, status: int, error: type[NewWikiError]) -> None:
    hook.answers = [status]
    with pytest.raises(error, match=f"the webhook answered {status}") as raised:
        send(hook.url, NOTICE, "k")
    assert TOKEN not in str(raised.value)
    assert hook.asked == 1, "a redirection is not followed"


def test_what_may_pass_is_tried_until_it_does(hook: Webhook) -> None:
    hook.answers = [503, 429]
    send_patiently(hook.url, NOTICE, "k", Backoff(attempts=3, first_wait=0.001))
    assert hook.taken == [NOTICE]
    hook.answers = [503, 503, 503]
    with pytest.raises(TransientError):
        send_patiently(hook.url, NOTICE, "k", Backoff(attempts=3, first_wait=0.001))
    hook.answers = [404]
    with pytest.raises(TerminalError):
        send_patiently(hook.url, NOTICE, "k", Backoff(attempts=3, first_wait=0.001))
    assert hook.asked == 7


def test_a_webhook_that_is_not_there_is_told_without_its_address() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(TransientError, match="cannot be reached") as raised:
        send(f"http://127.0.0.1:{port}/{TOKEN}", NOTICE, "k")
    assert TOKEN not in str(raised.value)


@pytest.mark.parametrize("place", [f"{TOKEN}", f"ftp://{TOKEN}", f"http:///{TOKEN}"])
def test_what_is_no_address_is_told_without_it(place: str) -> None:
    with pytest.raises(TerminalError, match="begins with https://") as raised:
        send(place, NOTICE, "k")
    assert TOKEN not in str(raised.value)


def test_the_address_is_in_the_environment_or_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert address(Notify()) is None
    monkeypatch.setenv("THE_WEBHOOK", "https://hooks.example/x")
    assert address(Notify(webhook_env="THE_WEBHOOK")) == "https://hooks.example/x"
    monkeypatch.delenv("THE_WEBHOOK")
    with pytest.raises(UsageError, match="environment variable THE_WEBHOOK, which is not set"):
        address(Notify(webhook_env="THE_WEBHOOK"))
