"""The shape of questions_answers entries (installation-jobs.md, questions_answers entries)."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote, urlsplit

from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.messages.findings import FORMAT, Finding, missing

ENTRY_TEXTS = ("question", "question_code", "answer", "response_received", "source")
FILE_TEXTS = ("name", "type", "object_path")
MEDIA_TYPE = re.compile(r"[a-z]+/[a-z0-9][a-z0-9.+-]*")


def check_shape(entries: list[Any]) -> Iterator[Finding]:
    """Findings of all entries and their files, each alone."""
    for number, entry in enumerate(entries):
        where = f"/questions_answers/{number}"
        if not isinstance(entry, dict):
            yield Finding("answerShape", where, "An entry must be an object")
            continue
        yield from _texts(entry, ENTRY_TEXTS, where=where)
        yield from _received(entry, where=where)
        yield from _files(entry, where=where)


def _texts(entry: dict[str, Any], names: tuple[str, ...], *, where: str) -> Iterator[Finding]:
    for name in names:
        if entry.get(name) is None:
            yield missing("answerMember", f"{where}/{name}", f"{name} is missing")
        elif not isinstance(entry[name], str) or not entry[name]:
            yield Finding("answerMember", f"{where}/{name}", f"{name} must be a text that is not empty")


def _received(entry: dict[str, Any], *, where: str) -> Iterator[Finding]:
    received = entry.get("response_received")
    if not isinstance(received, str) or not received:
        return
    try:
        read_instant(received)
    except ValueError:
        here = f"{where}/response_received"
        yield Finding("answerTime", here, "Not an instant with an offset", detail=FORMAT)


def _files(entry: dict[str, Any], *, where: str) -> Iterator[Finding]:
    files = entry.get("files", [])
    if not isinstance(files, list):
        yield Finding("fileShape", f"{where}/files", "files must be an array")
        return
    for number, file in enumerate(files):
        here = f"{where}/files/{number}"
        if not isinstance(file, dict):
            yield Finding("fileShape", here, "A file must be an object")
            continue
        yield from _texts(file, FILE_TEXTS, where=here)
        yield from _addresses(file, where=here)


def _addresses(file: dict[str, Any], *, where: str) -> Iterator[Finding]:
    """The full endpoint with the file name, a media type, and an address for a plain GET."""
    path, name, media_type = (_text(file, member) for member in ("object_path", "name", "type"))
    if path and not _is_address(path):
        yield Finding("objectPath", f"{where}/object_path", "Not a full endpoint with scheme and host")
    elif path and name and last_part(path) != name:
        yield Finding("objectPath", f"{where}/object_path", "The last part of object_path is not the name")
    if media_type and not MEDIA_TYPE.fullmatch(media_type):
        yield Finding("fileType", f"{where}/type", "Not a media type")
    url = file.get("url", "")
    if not isinstance(url, str) or (url and not _is_address(url)):
        yield Finding("fileShape", f"{where}/url", "url must be an address for a plain GET")


def last_part(address: str) -> str:
    return unquote(urlsplit(address).path.rsplit("/", 1)[-1])


def _text(file: dict[str, Any], member: str) -> str:
    value = file.get(member)
    return value if isinstance(value, str) else ""


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.hostname) and " " not in text
