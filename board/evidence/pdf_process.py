"""Turns a page (HTML on standard input, its files in the folder of the first argument) into a PDF on standard output.

A process of its own, as closures/photos/image_process.py: the library takes seconds to load and much memory, so neither
web processes nor the worker carry it, and what goes wrong in it ends this process only. It imports nothing of ours.
"""

import ctypes
import resource
import signal
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import weasyprint
from weasyprint.urls import URLFetcher, URLFetcherResponse

MEMORY_BYTES = 2 * 1024**3
DOTS_PER_INCH = 150
JPEG_QUALITY = 80
PR_SET_PDEATHSIG = 1


class FolderOnly(URLFetcher):  # type: ignore[misc]
    """Opens files of one folder: nothing that a seller or an engineer wrote opens an address."""

    def __init__(self, folder: Path) -> None:
        super().__init__(allowed_protocols=("file",), allow_redirects=False)
        self.folder = folder.resolve()

    def fetch(self, url: str, headers: dict[str, str] | None = None) -> URLFetcherResponse:
        path = Path(unquote(urlsplit(url).path)).resolve()
        if self.folder not in path.parents:
            raise ValueError("not a file of this document")
        return super().fetch(url, headers)


def make_pdf(html: str, folder: Path) -> bytes:
    fetcher = FolderOnly(folder)
    document = weasyprint.HTML(string=html, base_url=f"{fetcher.folder}/", url_fetcher=fetcher)
    return bytes(document.write_pdf(optimize_images=True, dpi=DOTS_PER_INCH, jpeg_quality=JPEG_QUALITY))


def main() -> None:
    if sys.platform.startswith("linux"):
        # a worker that is killed leaves nothing behind
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.stdout.buffer.write(make_pdf(sys.stdin.read(), Path(sys.argv[1])))


if __name__ == "__main__":
    main()
