"""What was fetched, compared with what the message says of the file: pure."""

from collections.abc import Iterator
from dataclasses import dataclass
from email.message import Message
from hashlib import sha256
from typing import Protocol

from seller_sandbox.messages.findings import Finding, remark

TRIED_AGAIN = {408, 425, 429}
# how the bytes of a media type begin; types that are not named here are taken as they are called
BEGINNINGS = {
    "image/jpeg": (b"\xff\xd8\xff",),
    "image/png": (b"\x89PNG\r\n\x1a\n",),
    "image/webp": (b"RIFF",),
    "application/pdf": (b"%PDF-",),
}


class Named(Protocol):
    """What the message says of a file."""

    pointer: str
    name: str
    media_type: str
    object_path: str
    url: str


@dataclass(frozen=True)
class Fetched:
    """What a plain GET gave; `error` when it gave nothing whole."""

    status: int | None = None
    content: bytes = b""
    content_type: str = ""
    disposition: str = ""
    error: str = ""

    @property
    def is_worth_another_try(self) -> bool:
        return self.status is None or self.status >= 500 or self.status in TRIED_AGAIN

    @property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest() if self.content else ""


def compare(file: Named, fetched: Fetched, stored: Fetched) -> list[Finding]:
    """All findings: `fetched` came from `url`, `stored` from `object_path`."""
    if fetched.status != 200:
        reason = fetched.error or f"status {fetched.status}"
        return [Finding("fileNotFetched", f"{file.pointer}/url", f"Cannot be fetched: {reason}")]
    return [*_content(file, fetched), *_name(file, fetched), *_stored(file, fetched, stored)]


def _content(file: Named, fetched: Fetched) -> Iterator[Finding]:
    if not fetched.content:
        yield Finding("fileEmpty", f"{file.pointer}/url", "The file has no bytes")
        return
    served = fetched.content_type.partition(";")[0].strip().lower()
    if served != file.media_type:
        yield Finding("fileType", f"{file.pointer}/type", f"It is served as {served or 'nothing'}")
    beginnings = BEGINNINGS.get(file.media_type)
    if beginnings and not fetched.content.startswith(beginnings):
        yield Finding("fileType", f"{file.pointer}/type", f"The bytes are no {file.media_type}")


def _name(file: Named, fetched: Fetched) -> Iterator[Finding]:
    header = Message()
    header["Content-Disposition"] = fetched.disposition or "inline"
    served = header.get_filename()
    if served and served != file.name:
        yield Finding("fileName", f"{file.pointer}/name", "It is served under another name")


def _stored(file: Named, fetched: Fetched, stored: Fetched) -> Iterator[Finding]:
    """A bucket that is not ours to read stays a remark."""
    where = f"{file.pointer}/object_path"
    if stored.status != 200:
        yield remark("objectNotReadable", where, f"object_path gives status {stored.status or stored.error}")
    elif len(stored.content) != len(fetched.content):
        yield Finding("fileDiffers", where, "The object has another size than the file behind url")
    elif stored.sha256 != fetched.sha256:
        yield Finding("fileDiffers", where, "The object has another hash than the file behind url")
