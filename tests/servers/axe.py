"""What axe finds on a page: https://www.deque.com/axe, the copy inside axe-playwright-python.

That package's own `run` loads axe anew for each look, finds the address of each node and brings home the rules that
were kept as well. Stories look hundreds of times, and nobody here reads any of that.
"""

from collections.abc import Sequence
from typing import Any

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

RUN_AXE = "async (options) => (await axe.run(document, options)).violations"


def list_barriers(page: Page, *, extra_rules: Sequence[str] = ()) -> list[str]:
    """Rule and HTML of each node that breaks it on the page as it is, with its contrast where that is too low; empty
    when nobody is shut out. `extra_rules` are off by default."""
    page.wait_for_load_state()
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    rules = {rule: {"enabled": True} for rule in extra_rules}
    options = {"resultTypes": ["violations"], "rules": rules, "selectors": False}
    return [
        f"{violation['id']}: {_describe(node)}"
        for violation in page.evaluate(RUN_AXE, options)
        for node in violation["nodes"]
    ]


def _describe(node: dict[str, Any]) -> str:
    checks = [check["data"] for check in node["any"] if isinstance(check["data"], dict)]
    ratios = [f" {data['contrastRatio']}:1" for data in checks if "contrastRatio" in data]
    return "".join([node["html"][:120], *ratios])
