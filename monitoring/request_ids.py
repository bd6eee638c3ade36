"""The id of the request that something is done for: on each log line, in the tasks and the messages that it causes."""

import re
from uuid import uuid4

from structlog import contextvars

HEADER = "X-Request-ID"
NAME = "request_id"
MAX_LENGTH = 64
FORMAT = re.compile(rf"[A-Za-z0-9-]{{8,{MAX_LENGTH}}}")


def begin_request(proxy_id: str) -> str:
    """Bind the proxy's id, or a new one where it gave none that can stand in a log; that id."""
    request_id = proxy_id if FORMAT.fullmatch(proxy_id) else uuid4().hex
    contextvars.bind_contextvars(**{NAME: request_id})
    return request_id


def current_request_id() -> str:
    """Empty outside of a request and of a task that one queued."""
    return str(contextvars.get_contextvars().get(NAME, ""))
