"""Commands that take in foreign data lose nothing when they are killed; `python -m tests.bundles.kills` does it more
often."""

from pathlib import Path

import pytest

from tests.bundles.kills import JOBS, kill
from tests.bundles.world import World

pytestmark = pytest.mark.slow


def test_killed_commands_leave_what_undisturbed_ones_leave(world: World, tmp_path: Path) -> None:
    killed = kill(world, tmp_path, kills=len(JOBS))
    assert killed.kills == {job.name: 1 for job in JOBS}
    assert not killed.wrong
