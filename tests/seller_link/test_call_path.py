"""How many of our modules createJob passes between request and row (docs/architecture.md, The path of createJob)."""

from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any
from uuid import uuid4

import pytest

from tests.function_calls import watching_calls
from tests.seller_link.inbox import say
from tests.seller_link.wire import message

pytestmark = pytest.mark.django_db
ROOT = Path(__file__).resolve().parents[2]
# the server in front of it (uvicorn_server, asgi, request_queue) has three more
MOST_OF_CREATE_JOB = 10


def modules_passed(call: Callable[[], Any]) -> set[str]:
    """Our own with a function called on the way; models and packages' `__init__` do not count."""
    passed: set[str] = set()

    def note(frame: FrameType) -> None:
        path = Path(frame.f_code.co_filename)
        is_ours = path.is_relative_to(ROOT) and ".venv" not in path.parts
        names = {path.stem, *path.parts}
        if is_ours and not names & {"models", "__init__", "tests"}:
            passed.add(".".join(path.relative_to(ROOT).with_suffix("").parts))

    with watching_calls(note):
        call()
    return passed


def test_create_job_passes_few_modules() -> None:
    # schemas are read once in a process
    say("createJob", message("createJob"))

    another = message("createJob", messageId=str(uuid4()), sellerJobId="SJ-another", reservationKey="R-2")
    passed = modules_passed(lambda: say("createJob", another))

    assert len(passed) <= MOST_OF_CREATE_JOB, sorted(passed)
