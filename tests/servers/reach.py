"""Whether everybody can read and hit what stands on a page: axe, sizes of targets, texts of one language, space."""

from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Page

from tests.servers.axe import list_barriers
from tests.servers.browser import Window
from tools.catalogue import DOMAINS, file_of, read

# theme and type as the me page keeps them
LOOKS = {"light": ("light", ""), "dark": ("dark", ""), "large": ("light", "large")}
TARGET, MAIN_TARGET = 48, 56
IN_THE_PAGE = (Path(__file__).parent / "reach.js").read_text()


def look(page: Page, name: str) -> None:
    """Light, dark or with large letters, as the engineer chooses on the me page."""
    theme, options = LOOKS[name]
    page.evaluate(
        """([theme, letters]) => {
          for (const [key, value] of [["phone.theme", theme], ["phone.type", letters]])
            value ? localStorage.setItem(key, value) : localStorage.removeItem(key);
          dispatchEvent(new Event("look"));
        }""",
        [theme, options],
    )


def barriers(page: Page, *, enhanced: bool) -> list[str]:
    """What axe finds; `enhanced`: text has a contrast of 7:1."""
    return list_barriers(page, extra_rules=["color-contrast-enhanced"] if enhanced else [])


def _asked(page: Page, name: str, *sizes: int) -> list[str]:
    page.wait_for_load_state()
    found: list[str] = page.evaluate(f"(given) => {{ {IN_THE_PAGE} return {name}(...given); }}", sizes)
    return found


def too_small(page: Page) -> list[str]:
    """Targets of less than 48 px, or a main button of less than 56."""
    return _asked(page, "tooSmall", TARGET, MAIN_TARGET)


def cut_off(page: Page) -> list[str]:
    """What does not fit its box, or makes the page wider than the screen."""
    return _asked(page, "cutOff")


def english_left(page: Page, language: str) -> list[str]:
    """Texts of ours that stand on the page in English although the language has other words for them."""
    return sorted(set(_asked(page, "said")) & set(_in_english(language)))


def _in_english(language: str) -> Iterator[str]:
    files = [read(file_of(language, domain).read_text()) for domain in DOMAINS]
    ours = {translation for translations in files for forms in translations.values() for translation in forms}
    # what is a word of both languages is no sign
    yield from (text.singular for translations in files for text in translations if text.singular not in ours)


def looked_at_by_everybody(window: Window, name: str) -> list[str]:
    """All findings on a page of the phone, in every look, with its pictures."""
    page, found = window.page, []
    for how in LOOKS:
        look(page, how)
        findings = [*barriers(page, enhanced=True), *too_small(page), *cut_off(page)]
        found += [f"{name}, {how}: {line}" for line in findings]
        window.picture(f"phone-{name}" if how == "light" else f"phone-{name}-{how}")
    look(page, "light")
    return found
