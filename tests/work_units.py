"""What a worker takes at a time: a file, whose tests share what is made for them.

Of the documentation it takes one page, and it takes all files that share a Prefect server.
"""

from xdist.scheduler import LoadFileScheduling

_EACH_ALONE = "tests/docs/test_commands.py"
_TOGETHER = "tests/flows/workers/"


class FileOrPage(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(_TOGETHER):
            return _TOGETHER
        return nodeid if nodeid.startswith(_EACH_ALONE) else super()._split_scope(nodeid)
