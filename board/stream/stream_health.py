"""Whether the live stream of the boards works: its heartbeat, and what `/readyz` says of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from monitoring import heartbeats
from monitoring.heartbeats import HeartbeatWriter

if TYPE_CHECKING:
    # each process asks for this health, and only the stream's own needs the whole board for it
    from board.stream.hub import Hub


def check_board_stream() -> None:
    """Raises NotReady where boards are sent to a stream that has no heartbeat; they ask by themselves meanwhile."""
    if settings.BOARD_STREAM_URL:
        heartbeats.check_heartbeat(heartbeats.BOARD_STREAM)


def heartbeat_of(hub: Hub) -> HeartbeatWriter:
    """Beats as long as the hub looks at the board, or would if one were open; to be started and ended."""
    return HeartbeatWriter(heartbeats.BOARD_STREAM, is_healthy=hub.is_looking)
