"""The Ed25519 keys that sign bundles, in OpenSSH's file format, which ssh-keygen can read and write."""

import logging
import os
from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_ssh_private_key,
    load_ssh_public_key,
    ssh_key_fingerprint,
)

from newwiki.errors import UsageError
from newwiki.foreign_files import open_regular
from storage.outputs import safe

_LOG = logging.getLogger("newwiki")
_LONGEST = 1 << 20  # maximum size of a key file in bytes


def public_path(private: Path) -> Path:
    return private.with_name(f"{private.name}.pub")


def make_pair(path: Path, database: Path) -> str:
    """Write a new private key, readable only by its owner, and FILE.pub next to it, and return the key's fingerprint.

    Replaces an empty file, which a full disk leaves behind. Writes both files, or neither.

    Raises:
        UsageError: One of the two files exists and is not empty.
    """
    public = public_path(path)
    for file in (path, public):
        if file.is_symlink() or (safe(file, database).exists() and not _is_empty(file)):
            raise UsageError(f"'{file}' is there already, and a key is not written over; name another file with --out")
    key = Ed25519PrivateKey.generate()
    path.parent.mkdir(parents=True, exist_ok=True)
    contents = (
        (path, key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()), 0o600),
        (public, f"{public_line(key.public_key())} {path.name}\n".encode(), 0o644),
    )
    written = []
    try:
        for file, content, mode in contents:
            if file.exists():
                _LOG.warning("newwiki: '%s' was empty, as a full disk leaves a file; a new key replaces it", file)
                file.unlink()
            written.append(file)
            _write_new(file, content, mode)
    except OSError:
        for file in written:
            file.unlink(missing_ok=True)
        raise
    return fingerprint(key.public_key())


def read_private(path: Path) -> Ed25519PrivateKey:
    """Read an Ed25519 key from a file in OpenSSH or PKCS #8 format.

    Raises UsageError for an unreadable file, another kind of key, or a key with a passphrase.
    """
    content = _content(path)
    readers: Iterable[Callable[..., object]] = (load_ssh_private_key, load_pem_private_key)
    for read in readers:
        try:
            key = read(content, password=None)
        except TypeError:
            raise UsageError(
                f"the key in '{path}' asks for a passphrase; make one without by `newwiki bundle keygen`"
            ) from None
        except (ValueError, UnsupportedAlgorithm):
            continue
        if isinstance(key, Ed25519PrivateKey):
            return key
    what = "is empty" if not content else "holds no private key of Ed25519"
    raise UsageError(f"'{path}' {what}; make one with `newwiki bundle keygen`")


def trusted_keys(places: Iterable[Path]) -> Mapping[str, str]:
    """Return the names of public keys by fingerprint, from files with a key per line or folders with *.pub files.

    The name of a key is the comment at the end of its line, or else the name of its file. Raises UsageError for a file
    with other content, or if a place holds no key.
    """
    trusted: dict[str, str] = {}
    for place in places:
        files = sorted(place.glob("*.pub")) if place.is_dir() else [place]
        named = dict(entry for file in files for entry in _named(file))
        if not named:
            raise UsageError(f"'{place}' holds no public key; a folder of keys has files *.pub, a file one a line")
        trusted |= named
    return trusted


def read_public(line: str) -> Ed25519PublicKey:
    """Parse an Ed25519 public key in OpenSSH's format. Raises ValueError for any other text."""
    try:
        key = load_ssh_public_key(line.encode())
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError("another kind of key")
    return key


def public_line(key: Ed25519PublicKey) -> str:
    """Return the key as a line: `ssh-ed25519 AAAA…`."""
    return key.public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()


def fingerprint(key: Ed25519PublicKey) -> str:
    """Return the fingerprint as `SHA256:…`, as `ssh-keygen -l -f FILE.pub` prints it."""
    return f"SHA256:{b64encode(ssh_key_fingerprint(key, hashes.SHA256())).decode().rstrip('=')}"


def _named(file: Path) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(_content(file).decode("utf-8", "replace").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            key = read_public(line)
        except ValueError:
            raise UsageError(f"'{file}', line {number}: this is no public key of Ed25519 (ssh-ed25519 AAAA…)") from None
        yield fingerprint(key), " ".join(line.split()[2:]) or file.stem


def _content(path: Path) -> bytes:
    try:
        with open_regular(path) as stream:
            return stream.read(_LONGEST)
    except OSError as error:
        raise UsageError(f"the key '{path}' cannot be read: {error.strerror}") from None


def _is_empty(path: Path) -> bool:
    return path.is_file() and path.stat().st_size == 0


def _write_new(path: Path, content: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with open(descriptor, "wb") as stream:
        stream.write(content)
