"""The parts of a day's board that are the same for everybody who looks at it, rendered once for all of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.template.loader import render_to_string
from django.utils import timezone

from board.day.board_presenter import Board, lay_out_board
from board.day.lanes import Lane
from board.day.live_day import BoardView, LiveDay

# element id: template. Rows of engineers and headings of areas come in addition.
PARTS = {
    "counts": "board/day/_counts.html",
    "risk-chips": "board/day/_risk_chips.html",
    "filter-choices": "board/day/_filter_choices.html",
    "waiting": "board/day/_waiting_list.html",
    "now": "board/day/_now.html",
    "legend": "board/day/_legend.html",
}


@dataclass(frozen=True)
class BoardParts:
    """HTML by element id. Boards of another `shape` (rows, hours) need their page anew; `lanes` are what the rows'
    HTML was made of, by its id."""

    shape: tuple[Any, ...]
    html: dict[str, str]
    lanes: dict[str, Lane]

    def changed_since(self, earlier: "BoardParts") -> dict[str, str]:
        return {name: html for name, html in self.html.items() if earlier.html.get(name) != html}


def render_parts(view: BoardView, live: LiveDay, *, earlier: BoardParts | None = None) -> BoardParts:
    """All of them, as the page of the day has them; a row that is as it was is taken from the `earlier` ones."""
    with view.as_reader():
        board = lay_out_board(
            view.day,
            data=live.data,
            axis=live.axis,
            lanes=live.lanes,
            today=timezone.localdate(live.data.now),
            options=view.options,
        )
        lanes = {f"lane-{lane.staff_number}": lane for lane in board.lanes}
        shape = (board.axis_start, board.quarters, board.density, *lanes)
        same = earlier if earlier and earlier.shape == shape else BoardParts(shape, {}, {})
        return BoardParts(shape, dict(_render(board, same)), lanes)


def _render(board: Board, earlier: BoardParts) -> Iterator[tuple[str, str]]:
    shared = {"board": board, "day": board.day}
    for name, template in PARTS.items():
        yield name, render_to_string(template, shared)
    for number, group in enumerate(board.groups, start=1):
        yield f"area-{number}", render_to_string("board/day/_area.html", {"group": group, "number": number})
        for lane in group.lanes:
            name, row = f"lane-{lane.staff_number}", {**shared, "lane": lane, "area": group.key}
            is_same = earlier.lanes.get(name) == lane
            yield name, earlier.html[name] if is_same else render_to_string("board/day/_lane.html", row)
