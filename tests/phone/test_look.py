"""Dark is dark, whether the phone says so or its owner: the tokens of both are the same."""

import re

from phone.pwa import STATIC

TOKENS = (STATIC / "css" / "tokens.css").read_text()
BY_THE_PHONE = r'\(prefers-color-scheme: dark\) \{\s*:root:not\(\[data-theme="light"\]\) \{(.*?)\}'
BY_THE_OWNER = r':root\[data-theme="dark"\] \{(.*?)\}'


def tokens(pattern: str) -> dict[str, str]:
    found = re.search(pattern, TOKENS, re.DOTALL)
    assert found, pattern
    return dict(re.findall(r"(--[\w-]+): ([^;]+);", found[1]))


def test_dark_by_choice_is_dark_by_the_phone() -> None:
    assert tokens(BY_THE_OWNER) == tokens(BY_THE_PHONE) != {}
