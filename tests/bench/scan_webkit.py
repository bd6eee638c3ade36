"""The same labels in WebKit, Safari's engine."""

from pathlib import Path

from tests.bench import scan
from tests.bench.rows import Row
from tests.servers import webkit

# fewer than in Chromium: its wasm is the same, and each picture takes its way through the driver
EACH = 5
missing = webkit.missing


def measure(_folder: Path, *, each: int = EACH) -> list[Row]:
    with scan.served() as url, webkit.driver() as driven:
        session = webkit.Session(driven)
        session.open(f"{url}/")
        found = scan.looks(scan.in_a_page(session.run), each=each)
    return scan.rows_of("webkit", found, keeps_table=each == EACH)
