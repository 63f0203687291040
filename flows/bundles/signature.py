"""A signature file: a line with the public key, and a line with the signature of the content."""

import base64
import binascii

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from flows.bundles.contents import FORMAT
from flows.bundles.keys import fingerprint, public_line, read_public

NAME = "signature"


def sign(content: bytes, key: Ed25519PrivateKey, form: str = FORMAT) -> bytes:
    """Sign content of a certain form, by default a bundle. The signature is invalid for any other form."""
    encoded = base64.b64encode(key.sign(_signed(content, form))).decode()
    return f"{public_line(key.public_key())}\n{encoded}\n".encode()


def signer_of(content: bytes, signature: bytes, form: str = FORMAT) -> str:
    """Return the fingerprint of the key that signed the content. Raises ValueError for an invalid signature."""
    try:
        line, encoded, rest = signature.decode("ascii").split("\n")
        key = read_public(line)
        if rest or public_line(key) != line:
            raise ValueError("more than a key")
        key.verify(base64.b64decode(encoded, validate=True), _signed(content, form))
    except InvalidSignature:
        raise ValueError("the signature is not of what the file holds: it was changed after it was signed") from None
    except (ValueError, binascii.Error):
        raise ValueError("its signature is none: a line with a public key, and one with what it has signed") from None
    return fingerprint(key)


def _signed(content: bytes, form: str) -> bytes:
    """Prefix the content with its form, so that a signed file cannot pass as a file of another kind."""
    return f"{form}\n".encode() + content
