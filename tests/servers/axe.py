"""What axe finds on a page: https://www.deque.com/axe, the copy inside axe-playwright-python.

That package's own `run` loads axe anew for each look and brings home the rules that were kept as well; half of a look
went into that, and stories look hundreds of times.
"""

from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

# nothing here asks where on the page a node is: its HTML is shown
NODES_WITHOUT_ADDRESS = {"selectors": False, "ancestry": False, "xpath": False}
VIOLATIONS = """async (options) => (await axe.run(document, options)).violations"""


def violations(page: Page, *also: str) -> list[dict[str, Any]]:
    """The rules that the page breaks as it is, each with its nodes; `also` names rules that are off by default."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    enabled = {rule: {"enabled": True} for rule in also}
    options = {"resultTypes": ["violations"], "rules": enabled, **NODES_WITHOUT_ADDRESS}
    found: list[dict[str, Any]] = page.evaluate(VIOLATIONS, options)
    return found
