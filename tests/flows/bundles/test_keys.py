"""Keys: made once, never written over, read by ssh-keygen, and trusted by file or folder."""

import errno
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from flows.bundles.keys import fingerprint, make_pair, public_path, read_private, trusted_keys
from flows.cli import main
from newwiki.errors import UsageError

_DATABASE = Path("newwiki.duckdb")


def test_a_private_key_is_its_owners_alone_and_the_public_one_is_that_of_it(tmp_path: Path) -> None:
    told = make_pair(tmp_path / "new" / "alice", _DATABASE)
    private = tmp_path / "new" / "alice"
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert fingerprint(read_private(private).public_key()) == told
    assert trusted_keys([public_path(private)]) == {told: "alice"}


def test_no_key_is_written_over(tmp_path: Path) -> None:
    make_pair(tmp_path / "alice", _DATABASE)
    before = (tmp_path / "alice").read_bytes()
    with pytest.raises(UsageError, match=r"'.*alice' is there already, and a key is not written over"):
        make_pair(tmp_path / "alice", _DATABASE)
    (tmp_path / "bob.pub").write_text("mine")
    with pytest.raises(UsageError, match=r"'.*bob\.pub' is there already"):
        make_pair(tmp_path / "bob", _DATABASE)
    (tmp_path / "carol").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match=r"'.*carol' is there already"):
        make_pair(tmp_path / "carol", _DATABASE)
    assert (tmp_path / "alice").read_bytes() == before
    assert {one.name for one in tmp_path.iterdir()} == {"alice", "alice.pub", "bob.pub", "carol"}


@pytest.mark.parametrize("left", [("alice",), ("alice.pub",), ("alice", "alice.pub")])
def test_empty_keys_that_a_full_disk_left_are_replaced_and_reported(
    left: tuple[str, ...], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for name in left:
        (tmp_path / name).touch()
    if "alice" in left:
        with pytest.raises(UsageError, match=r"'.*alice' is empty; make one with `newwiki bundle keygen`"):
            read_private(tmp_path / "alice")
    told = make_pair(tmp_path / "alice", _DATABASE)
    assert fingerprint(read_private(tmp_path / "alice").public_key()) == told
    assert caplog.text.count("was empty, as a full disk leaves a file; a new key replaces it") == len(left)


def test_a_full_disk_leaves_both_files_of_a_key_or_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write(path: Path, content: bytes, mode: int) -> None:
        path.touch()
        if path.suffix == ".pub":
            raise OSError(errno.ENOSPC, "No space left on device")
        path.write_bytes(content)

    monkeypatch.setattr("flows.bundles.keys._write_new", write)
    with pytest.raises(OSError, match="No space left"):
        make_pair(tmp_path / "alice", _DATABASE)
    assert list(tmp_path.iterdir()) == []


def test_the_command_prints_the_fingerprint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["newwiki", "keygen"])
    assert main() == 0
    told = fingerprint(read_private(Path("newwiki-key")).public_key())
    assert capsys.readouterr().out == f"{told} newwiki-key.pub\n"
    assert main() == 2


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="there is no ssh-keygen here")
def test_ssh_keygen_reads_ours_and_we_read_its_own(tmp_path: Path) -> None:
    told = make_pair(tmp_path / "alice", _DATABASE)
    asked = ["ssh-keygen", "-l", "-f", str(tmp_path / "alice")]
    assert told in subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    theirs = tmp_path / "theirs"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "Bob B.", "-f", theirs], check=True)
    assert trusted_keys([public_path(theirs)]) == {fingerprint(read_private(theirs).public_key()): "Bob B."}


def test_a_key_of_pkcs8_signs_too(tmp_path: Path) -> None:
    key = Ed25519PrivateKey.generate()
    path = tmp_path / "key.pem"
    path.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    assert fingerprint(read_private(path).public_key()) == fingerprint(key.public_key())


def test_keys_are_trusted_by_file_and_by_folder(tmp_path: Path) -> None:
    told = [make_pair(tmp_path / "keys" / name, _DATABASE) for name in ("alice", "bob")]
    lines = [public_path(tmp_path / "keys" / name).read_text() for name in ("alice", "bob")]
    (tmp_path / "both").write_text("# whom we know\n\n" + "".join(lines))
    unnamed = tmp_path / "carol.pub"
    unnamed.write_text(" ".join(lines[0].split()[:2]))
    assert (
        trusted_keys([tmp_path / "keys"])
        == trusted_keys([tmp_path / "both"])
        == dict(zip(told, ("alice", "bob"), strict=True))
    )
    assert trusted_keys([unnamed]) == {told[0]: "carol"}


def test_what_is_no_key_is_named(tmp_path: Path) -> None:
    elliptic = generate_private_key(SECP256R1())
    (tmp_path / "other").write_bytes(elliptic.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    (tmp_path / "other.pub").write_bytes(elliptic.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH))
    (tmp_path / "text").write_text("ssh-ed25519 AAAA\n")
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "other", tmp_path / "text"):
        with pytest.raises(UsageError, match="holds no private key of Ed25519; make one with `newwiki bundle keygen`"):
            read_private(path)
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_private(tmp_path / "nowhere")
    for path in (tmp_path / "other.pub", tmp_path / "text"):
        with pytest.raises(UsageError, match=r"line 1: this is no public key of Ed25519"):
            trusted_keys([path])
    with pytest.raises(UsageError, match="holds no public key"):
        trusted_keys([tmp_path / "empty"])
