"""What the tests over the source files share."""

from collections.abc import Iterator

import pytest

from tests.conventions import sources


@pytest.fixture(autouse=True, scope="module")
def parsed_once() -> Iterator[None]:
    """Each file is parsed once for all rules of a module, and its syntax tree is dropped behind them."""
    yield
    sources.forget()
