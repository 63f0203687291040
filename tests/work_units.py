"""What a worker takes at a time: a file, whose tests share what is made for them, but of the documentation one page."""

from xdist.scheduler import LoadFileScheduling

_EACH_ALONE = "tests/docs/test_commands.py"


class FileOrPage(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return nodeid if nodeid.startswith(_EACH_ALONE) else super()._split_scope(nodeid)
