"""The pictures of the cards' icons are made from tokens.css and the sprite by frontend/vendor.mjs."""

import re
from pathlib import Path

import pytest

from board.formatting import BROKEN_BADGE, StateBadge, legend
from dispatch.skills import KNOWN

CSS = Path(__file__).resolve().parents[2] / "static" / "css"
PICTURE = re.compile(r"^((?:\.state-[a-z-]+ )?\.icon-[a-z-]+) \{.*stroke='%23(\w+)'", re.MULTILINE)


def pictures() -> list[dict[str, str]]:
    """Of the light and of the dark theme: the colour for each selector."""
    text = (CSS / "board" / "day" / "card_icons.css").read_text()
    return [dict(PICTURE.findall(theme)) for theme in text.split("@media (prefers-color-scheme: dark)")]


def colours(token: str) -> list[str]:
    return re.findall(rf"{token}: #(\w+);", (CSS / "tokens.css").read_text())[:2]


@pytest.mark.parametrize(
    "badge", [badge for badge in legend() if badge.slug != "in-review"], ids=lambda badge: badge.slug
)
def test_state_has_its_picture_in_both_themes(badge: StateBadge) -> None:
    found = [theme[f".state-{badge.slug} .icon-{badge.icon}"] for theme in pictures()]
    assert found == colours(f"--state-{badge.slug}")


def test_every_other_icon_of_a_card_has_a_muted_picture() -> None:
    icons = {flag.icon for flag in KNOWN.values()} | {"flag", "pin", "users", "inbox", BROKEN_BADGE.icon}
    for theme, muted in zip(pictures(), colours("--muted"), strict=True):
        assert {theme[f".icon-{icon}"] for icon in icons} == {muted}
