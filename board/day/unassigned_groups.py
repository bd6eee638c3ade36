"""The unassigned jobs of the board in groups, each under a heading that says what all of them share."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from board.day.cards import Card
from board.day.view_options import UnassignedSort
from board.day.window_halves import WindowHalf
from board.formatting import RiskWord
from dispatch.risk import LEAST_URGENT_FIRST, Level


@dataclass(frozen=True)
class CardGroup:
    """Unassigned jobs of one part of the day, of one window (no `name`) or of one level of risk; `window` and `risk`
    (`Late`) when all have the same."""

    name: str
    window: str
    cards: list[Card]
    risk: RiskWord | None = None


def group_cards(cards: Iterable[Card], *, sort: str) -> list[CardGroup]:
    """In the order that the dispatcher chose; inside a group the most urgent window first, as the cards come."""
    return _by_risk(cards) if sort == UnassignedSort.RISK else _by_window(cards)


def _by_risk(cards: Iterable[Card]) -> list[CardGroup]:
    found: dict[str, list[Card]] = {level: [] for level in reversed(LEAST_URGENT_FIRST)}
    for card in cards:
        found[card.risk.slug].append(card)
    return [_card_group(str(Level(level).label), members) for level, members in found.items() if members]


def _by_window(cards: Iterable[Card]) -> list[CardGroup]:
    """Morning, afternoon, each other window that several share, then the rest."""
    found: dict[str, list[Card]] = {half: [] for half in WindowHalf}
    for card in cards:
        found[card.window_half].append(card)
    shared, rest = _share_windows(found[WindowHalf.OTHER])
    named = [(str(half.label), found[half]) for half in (WindowHalf.MORNING, WindowHalf.AFTERNOON)]
    named += [("", members) for members in shared]
    named.append((str(WindowHalf.OTHER.label), rest))
    return [_card_group(name, members) for name, members in named if members]


def _share_windows(cards: Iterable[Card]) -> tuple[list[list[Card]], list[Card]]:
    """Those of each window that at least two have, and all others."""
    by_window: dict[str, list[Card]] = {}
    for card in cards:
        by_window.setdefault(card.window, []).append(card)
    shared = [members for members in by_window.values() if len(members) > 1]
    return shared, [members[0] for members in by_window.values() if len(members) == 1]


def _card_group(name: str, cards: Sequence[Card]) -> CardGroup:
    windows, risks = {card.window for card in cards}, {card.risk.label for card in cards}
    is_shared = len(risks) == 1 and cards[0].risk.label
    return CardGroup(
        name, windows.pop() if len(windows) == 1 else "", list(cards), cards[0].risk if is_shared else None
    )
