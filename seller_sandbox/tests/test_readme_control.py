"""README.md lists every request of the control interface: testers have nothing else."""

import re
from pathlib import Path

from seller_sandbox.console.lines.line_control_requests import LINE_ACTIONS
from seller_sandbox.console.orders.order_control_requests import ORDER_ACTIONS
from seller_sandbox.console.tickets.ticket_control_requests import TICKET_ACTIONS
from seller_sandbox.urls import urlpatterns

README = Path(__file__).resolve().parents[1] / "README.md"
DOCS = README.parents[1] / "docs"


def _without_names(text: str) -> str:
    """`/api/jobs/<id>` is `/api/jobs/<str:seller_job_id>`."""
    return re.sub(r"<[^>]+>", "<>", text)


def _pages() -> str:
    return README.read_text() + (DOCS / "fault-messages.md").read_text()


def test_every_path_is_listed() -> None:
    pages = _without_names(_pages())
    paths = [
        _without_names(f"/{entry.pattern}") for entry in urlpatterns if str(entry.pattern).startswith("api")
    ]

    assert len(paths) > 20
    # actions are in tables of their own
    assert [path for path in paths if path not in pages and not path.endswith("/<>/<>")] == []


def test_every_action_is_listed() -> None:
    pages = _pages()
    actions = [*ORDER_ACTIONS, *TICKET_ACTIONS, *LINE_ACTIONS]

    assert [action for action in actions if f"`{action}`" not in pages and f"/{action}`" not in pages] == []
