"""Evidence by its signed link."""

from django.http import FileResponse, Http404, HttpRequest

from closures.photos import evidence, thumbnails
from engineers.permissions import for_everyone
from engineers.throttling import RateLimit, rate_limited_by_address

# each reads the storage. The seller fetches what an hour without a connection has held back, and a whole office opens
# pages with thirty thumbnails
PHOTOS, THUMBNAILS = RateLimit("evidence", 600), RateLimit("evidence_small", 1200)


@for_everyone
@rate_limited_by_address(PHOTOS)
def photo(_request: HttpRequest, token: str) -> FileResponse:
    """A photo by its signed link: the seller fetches it with a plain GET (installation-jobs.md, files)."""
    opened = evidence.open_signed(token)
    if opened is None:
        raise Http404
    response = FileResponse(opened, content_type="image/jpeg")
    # the link is the only key, and what it opens never changes
    response.headers["Cache-Control"] = "private, max-age=86400, immutable"
    return response


@for_everyone
@rate_limited_by_address(THUMBNAILS)
def thumbnail(_request: HttpRequest, token: str) -> FileResponse:
    """The small picture by the photo's own link; the photo itself as long as there is no small one."""
    opened = thumbnails.open_signed(token)
    if opened is None:
        raise Http404
    file, is_small = opened
    response = FileResponse(file, content_type="image/jpeg")
    cache_control = "max-age=86400, immutable" if is_small else "no-cache"
    response.headers["Cache-Control"] = f"private, {cache_control}"
    return response
