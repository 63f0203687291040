"""The file of a bundle: a zip archive with exactly the expected members and no other bytes."""

import os
import zipfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path

from newwiki.errors import TerminalError
from newwiki.foreign_files import open_regular
from storage.folders import whole

# A run of 40,000 texts takes some 100 MB of memory when it is read, and a third of that in the file.
_LARGEST = 1_900_000_000  # bytes, packed and unpacked; larger members need the zip64 format
_MOST_MEMBERS = 20_000
# The compression ratio of a bundle is some 4, and of a table of NULLs some 40. A larger ratio is refused before
# unpacking if the content exceeds a few megabytes, so that a small file never takes much memory.
_MOST_PACKED, _SMALL = 50, 16_000_000
_LOCAL_HEADER, _CENTRAL_HEADER, _END = 30, 46, 22  # sizes in bytes, without names
_NO_TIME = (1980, 1, 1, 0, 0, 0)
_PLAIN_FILE = 0o100644 << 16
_UNIX = 3


class Archive:
    """An open bundle. Its content is untrusted: any deviation from the output of `write` raises TerminalError."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with ExitStack() as opened:
            try:
                stream = opened.enter_context(open_regular(path))
                self._size = os.fstat(stream.fileno()).st_size
                if self._size > _LARGEST:
                    self._refuse(f"it is larger than {_LARGEST / 1e9:g} GB")
                self._file = opened.enter_context(zipfile.ZipFile(stream))
            except (OSError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
                raise TerminalError(f"'{path}' is no bundle, or not all of one: {_message(error)}") from None
            self._members = self._checked(self._file.infolist())
            self._opened = opened.pop_all()

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, *_: object) -> None:
        self._opened.close()

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._members)

    def read(self, name: str) -> bytes:
        """Return the content of a member. Raises TerminalError for a missing or broken member."""
        member = self._members.get(name)
        if member is None:
            raise TerminalError(f"'{self.path}' is no bundle, or not all of one: it holds no '{name}'")
        try:
            with self._file.open(member) as stream:
                content = stream.read(member.file_size + 1)
        except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, NotImplementedError, ValueError) as error:
            raise TerminalError(f"'{self.path}': '{name}' cannot be read: {_message(error)}") from None
        except Exception as error:
            if type(error).__module__ == "zlib":
                raise TerminalError(f"'{self.path}': '{name}' cannot be read: {_message(error)}") from None
            raise
        if len(content) != member.file_size:
            raise TerminalError(f"'{self.path}': '{name}' is not as long as the file says")
        return content

    def _checked(self, members: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
        by_name = {member.filename: member for member in members}
        if len(members) > _MOST_MEMBERS:
            self._refuse(f"it holds {len(members):,} files, and at most {_MOST_MEMBERS:,} are read")
        if len(by_name) < len(members):
            self._refuse("it holds two files of one name")
        for member in members:
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or member.flag_bits & ~0x800:
                self._refuse(f"'{member.filename}' is packed in another way than bundles are")
        if (size := sum(member.file_size for member in members)) > _LARGEST:
            self._refuse(f"it would be {size / 1e9:,.1f} GB unpacked, and at most {_LARGEST / 1e9:g} are read")
        if size > (most := _most_unpacked(self._size)):
            self._refuse(
                f"it would be {size / 1e6:,.0f} MB unpacked, and at most {most / 1e6:,.0f} MB are read from a file of "
                f"{self._size:,} bytes"
            )
        self._require_nothing_between(members)
        return by_name

    def _require_nothing_between(self, members: list[zipfile.ZipInfo]) -> None:
        """Require that the members, their directory and the end record fill the file without gaps."""
        place = listed = 0
        for member in sorted(members, key=lambda info: info.header_offset):
            name = len(member.filename.encode())
            if member.header_offset != place or member.extra or member.comment:
                self._refuse("it holds more than its files, or files within each other")
            place += _LOCAL_HEADER + name + member.compress_size
            listed += _CENTRAL_HEADER + name
        if self._file.comment or self._size != place + listed + _END:
            self._refuse("it holds more than its files")

    def _refuse(self, why: str) -> None:
        raise TerminalError(f"'{self.path}' is no bundle: {why}")


def write(path: Path, members: Mapping[str, bytes]) -> None:
    """Write the members to a file. The same members give the same bytes with the same version of zlib.

    Raises TerminalError if the archive would exceed the limits of the reader.
    """
    size = sum(map(len, members.values()))
    if size > _LARGEST or len(members) > _MOST_MEMBERS:
        raise TerminalError("this is more than one bundle may hold; submit fewer runs at a time")
    with whole(path) as part, zipfile.ZipFile(part, "w") as file:
        for name, content in members.items():
            member = zipfile.ZipInfo(name, _NO_TIME)
            member.compress_type, member.external_attr, member.create_system = zipfile.ZIP_DEFLATED, _PLAIN_FILE, _UNIX
            file.writestr(member, content)
        file.close()
        if size > _most_unpacked(part.stat().st_size):
            raise TerminalError("these runs pack into a file so small that no reader would unpack it; submit others")


def _most_unpacked(packed: int) -> int:
    return max(_SMALL, _MOST_PACKED * packed)


def _message(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
