"""The questions_answers entries of a message (installation-jobs.md, questions_answers entries)."""

from collections.abc import Iterator
from typing import Any

from seller_sandbox.jobs.findings import Finding
from seller_sandbox.jobs.schemas import read_instant

ENTRY_TEXTS = ("question", "question_code", "answer", "response_received", "source")
FILE_TEXTS = ("name", "type", "object_path")


def check_answers(
    entries: list[Any], *, sources: set[str], photo_source: str | None = None
) -> Iterator[Finding]:
    """Findings of all entries; `photo_source` is allowed as well where an entry has files."""
    for number, entry in enumerate(entries):
        where = f"/questions_answers/{number}"
        if not isinstance(entry, dict):
            yield Finding("answerShape", where, "An entry must be an object")
            continue
        yield from _texts(entry, ENTRY_TEXTS, where=where)
        yield from _received(entry, where=where)
        yield from _source(entry, where=where, sources=sources, photo_source=photo_source)
        yield from _files(entry, where=where)


def _texts(entry: dict[str, Any], names: tuple[str, ...], *, where: str) -> Iterator[Finding]:
    for name in names:
        if name not in entry:
            yield Finding("answerMember", f"{where}/{name}", f"{name} is missing")
        elif not isinstance(entry[name], str) or not entry[name]:
            yield Finding("answerMember", f"{where}/{name}", f"{name} must be a text that is not empty")


def _received(entry: dict[str, Any], *, where: str) -> Iterator[Finding]:
    received = entry.get("response_received")
    if not isinstance(received, str) or not received:
        return
    try:
        read_instant(received)
    except ValueError:
        yield Finding("answerTime", f"{where}/response_received", "Not an instant with an offset")


def _source(
    entry: dict[str, Any], *, where: str, sources: set[str], photo_source: str | None
) -> Iterator[Finding]:
    source = entry.get("source")
    allowed = sources | ({photo_source} if photo_source and entry.get("files") else set())
    if isinstance(source, str) and source and source not in allowed:
        wanted = " or ".join(sorted(allowed))
        yield Finding("answerSource", f"{where}/source", f"source must be {wanted} here")


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
        if not isinstance(file.get("url", ""), str):
            yield Finding("fileShape", f"{here}/url", "url must be a text")
