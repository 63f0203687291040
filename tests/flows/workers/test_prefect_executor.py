"""What --runner may say, and how a run is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.workers.runners import Runner, parse_runner
from flows.workers.shards import cut, pages_of
from newwiki.errors import UsageError


@pytest.mark.parametrize(
    ("text", "runner"),
    [
        ("threads:4", Runner("threads", 4)),
        ("processes:2", Runner("processes", 2)),
        ("dask:2", Runner("dask", 2)),
        ("ray:3", Runner("ray", 3)),
        ("dask:tcp://10.0.0.1:8786", Runner("dask", address="tcp://10.0.0.1:8786")),
        ("dask:tls://lumen:8786", Runner("dask", address="tls://lumen:8786")),
        ("ray://lumen:10001", Runner("ray", address="ray://lumen:10001")),
    ],
)
def test_a_runner_is_what_its_words_say(text: str, runner: Runner) -> None:
    assert parse_runner(text) == runner


@pytest.mark.parametrize("text", ["dusk", "threads:0", "threads:two", "dask:http://x", "ray:", "", "processes:-1"])
def test_any_other_words_are_a_mistake_that_names_the_right_ones(text: str) -> None:
    with pytest.raises(UsageError, match=r"threads:N, processes:N, dask:N"):
        parse_runner(text)


def test_without_a_number_there_is_a_worker_for_each_core() -> None:
    assert parse_runner("ray").workers >= 1
    assert parse_runner("ray").address is None


@pytest.mark.parametrize(
    ("address", "elsewhere"),
    [("tcp://127.0.0.1:8786", False), ("tcp://localhost:1", False), ("tcp://[::1]:1", False), ("tcp://lumen:1", True)],
)
def test_loopback_is_this_machine(address: str, elsewhere: bool) -> None:
    assert Runner("dask", address=address).is_elsewhere is elsewhere


@given(
    pages=st.lists(st.integers(1, 30), min_size=1, max_size=60),
    workers=st.integers(1, 16),
    most=st.integers(1, 200),
)
def test_shards_hold_every_item_once_in_order_and_no_page_is_in_two(pages: list[int], workers: int, most: int) -> None:
    items = [(page, sample) for page, samples in enumerate(pages) for sample in range(samples)]
    shards = cut(items, lambda item: item[0], workers, most)
    assert [item for shard in shards for item in shard] == items
    of_page = {page: number for number, shard in enumerate(shards) for page, _ in shard}
    assert all(of_page[page] == number for number, shard in enumerate(shards) for page, _ in shard)
    assert all(len(shard) < most + max(pages) for shard in shards)


def test_several_shards_for_each_worker_and_none_where_there_is_nothing() -> None:
    assert len(cut([(page, 0) for page in range(80)], lambda item: item[0], 2, 512)) == 8
    assert len(cut([(page, 0) for page in range(8000)], lambda item: item[0], 2, 512)) == 16
    assert cut([], lambda item: item, 2, 512) == []


def test_pages_are_named_for_people() -> None:
    assert pages_of([7, 7, 7]) == "page 7"
    assert pages_of([7, 7, 9, 4]) == "pages 7 … 4 (3)"
