"""Settings of planning that contradict each other are refused with their names and a remedy."""

from dataclasses import replace

import pytest
from django.conf import settings as project
from pytest_django import Settings

from dispatch.checks import travel_server_leaves_time_to_plan
from dispatch.planning.proposals import most_seconds

SERVER = replace(project.TRAVEL_SERVER, url="http://127.0.0.1:5000")


@pytest.mark.parametrize(
    ("url", "server_seconds", "task_seconds", "hint"),
    [
        (SERVER.url, 17, 30, ""),
        (
            SERVER.url,
            17.5,
            30,
            "Set WORKER_TASK_SECONDS to at least 30.5, or TRAVEL_SERVER_SECONDS to at most 17.",
        ),
        (SERVER.url, 5, 10, "Set WORKER_TASK_SECONDS to at least 18."),
        ("", 17.5, 30, ""),
    ],
)
def test_travel_server_leaves_time_to_plan(
    url: str, server_seconds: float, task_seconds: int, hint: str, settings: Settings
) -> None:
    settings.TRAVEL_SERVER = replace(SERVER, url=url, seconds=server_seconds)
    settings.WORKER_TASK_SECONDS = task_seconds

    found = travel_server_leaves_time_to_plan()

    assert [problem.hint for problem in found] == ([hint] if hint else [])
    assert all("TRAVEL_SERVER_SECONDS" in problem.msg for problem in found)
    assert most_seconds() >= 1
