"""How much travels to a phone; tests/bench/weight.py measures the same on the wire to a real browser."""

from pathlib import Path

import brotli
import pytest

from phone.pwa import STATIC, addresses, scripts_of
from tests.phone.phone import Phone
from tests.scanner_files import scanner_files

KB = 1024


def travels(found: list[str]) -> float:
    """Kilobytes as whitenoise compresses them."""
    paths: list[Path] = [STATIC / address.removeprefix("/static/") for address in found]
    return sum(len(brotli.compress(path.read_bytes())) for path in paths) / KB


def test_script_style_and_scanner_keep_to_their_weight() -> None:
    assert travels([*scripts_of("page"), *scripts_of("job")]) <= 40
    assert travels([address for address in addresses() if address.endswith(".css")]) <= 12
    assert travels(scanner_files()) <= 420


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/phone/", "/phone/shell/", "/phone/words.js", "/phone/sw.js"])
def test_page_travels_compressed(phone: Phone, path: str) -> None:
    answer = phone.client.get(path, headers={"accept-encoding": "gzip, br"})

    assert answer.headers["Content-Encoding"] == "gzip"
    assert len(answer.content) <= 10 * KB
