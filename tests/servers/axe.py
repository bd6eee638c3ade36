"""What axe finds on a page: https://www.deque.com/axe, the copy inside axe-playwright-python.

That package's own `run` loads axe anew for each look, finds the address of each node and brings home the rules that
were kept as well. Stories look hundreds of times, and nobody here reads any of that.
"""

from collections.abc import Sequence
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RUN_AXE = "async (options) => (await axe.run(document, options)).violations"


def find_violations(page: Page, *, extra_rules: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The rules that the page breaks as it is, each with its nodes; `extra_rules` are off by default."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    rules = {rule: {"enabled": True} for rule in extra_rules}
    options = {"resultTypes": ["violations"], "rules": rules, "selectors": False}
    found: list[dict[str, Any]] = page.evaluate(RUN_AXE, options)
    return found
