"""What can be asked of an endpoint: each app registers its operations in `apps.ready()`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from seller_sandbox.endpoints.exchange import JSON, Answer, Request, refuse

Receive = Callable[[Request], Answer]
NoteUnserved = Callable[[Request, Answer | None, str], None]
Refuse = Callable[[int, str, str], Answer]


UTF_8 = frozenset({"utf-8", "utf8"})


def note_nothing(_: Request, __: Answer | None, ___: str) -> None:
    """For what leaves no trace, like a download."""


@dataclass(frozen=True)
class Operation:
    """One path below the base path.

    `role` says who may call it, empty for any known caller. `receive` takes a message; `note_unserved` notes one that
    was not taken, with the answer (None when the line was closed) and the name of the fault switch, empty when the
    message itself was wrong. `refuse` writes a refusal (status, code, message) in the operation's own format.
    """

    path: str
    role: str
    receive: Receive
    note_unserved: NoteUnserved = note_nothing
    methods: tuple[str, ...] = ("POST",)
    media_types: tuple[str, ...] = (JSON,)
    # what a Content-Type may name as its character set; it may name none
    charsets: frozenset[str] = UTF_8
    refuse: Refuse = refuse

    def try_again(self, *, status: int = 503, seconds: int | None = 2) -> Answer:
        """Nothing has changed; the caller may repeat the message as it is."""
        answer = self.refuse(status, "tryAgain", "The message was not stored; send it again")
        return answer if seconds is None else answer.with_headers({"Retry-After": str(seconds)})


_operations: dict[str, Operation] = {}
# by folder: how paths below it that do not exist are refused
_folders: dict[str, Refuse] = {}


def register(**fields: Any) -> None:
    """Serve one more operation; `fields` are those of Operation."""
    operation = Operation(**fields)
    if operation.path in _operations:
        raise ValueError(f"two operations have the path {operation.path}")
    _operations[operation.path] = operation


def register_folder(path: str, *, refuse: Refuse) -> None:
    """Let refusals below this path have the format of its interface also where there is no operation."""
    _folders[path] = refuse


def refuse_of(path: str) -> Refuse:
    """How a request to this path is refused, whether there is such an operation or not."""
    if operation := find(path):
        return operation.refuse
    return next((found for folder, found in _folders.items() if path.startswith(f"{folder}/")), refuse)


def find(path: str) -> Operation | None:
    """The operation with this path below the base path."""
    return _operations.get(path)


def refusal_before_reading(request: Request, operation: Operation) -> Answer | None:
    """Method, media type and size, in this order (job-messages.md, Refusals)."""
    if request.method not in operation.methods:
        allowed = ", ".join(operation.methods)
        answer = operation.refuse(405, "methodNotAllowed", f"Use {allowed}")
        return answer.with_headers({"Allow": allowed})
    if request.method == "POST" and not is_readable(request.content_type, operation):
        return operation.refuse(415, "unsupportedMediaType", _media_type_remedy(operation))
    if request.body is None:
        answer = operation.refuse(413, "tooLarge", "A message may have 1 MiB at most")
        return answer.with_headers({"Connection": "close"})
    return None


def _media_type_remedy(operation: Operation) -> str:
    types, charsets = " or ".join(operation.media_types), ", ".join(sorted(operation.charsets))
    return f"Send {types}, without a charset or with one of {charsets}"


def is_readable(content_type: str, operation: Operation) -> bool:
    """Whether the header names a type that the operation reads, and one of its character sets where it names one."""
    media_type, *parameters = (part.strip().lower() for part in content_type.split(";"))
    charsets = [parameter for parameter in parameters if parameter.startswith("charset=")]
    return media_type in operation.media_types and all(
        charset.removeprefix("charset=").strip("\"'") in operation.charsets for charset in charsets
    )
