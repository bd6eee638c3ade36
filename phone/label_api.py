"""POST /phone/scan-photo: reads a label's photo for a phone that could not. Nothing of it is kept."""

from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from closures import barcodes, image_validation
from closures.image_validation import BadPicture
from dispatch import ont_label_parser
from dispatch.problems import Problem
from engineers.permissions import for_engineer
from engineers.throttling import RateLimit, rate_limited
from phone.job_access import json_response


@for_engineer
@rate_limited(RateLimit("label_reading", 60))
@require_POST
def scan_photo(request: HttpRequest) -> HttpResponse:
    """Every code in the picture and what is taken from them; `expected` may be given with each value of the job."""
    try:
        raw = _body(request)
        with image_validation.decoder_slot():
            found = _read_label(raw, expected=tuple(request.GET.getlist("expected")))
    except RequestDataTooBig:
        limit = settings.PHOTO_MAX_BYTES // 2**20
        refused = Problem("too_large", "photo", _("Photos can be at most %(limit)s MB.") % {"limit": limit})
        return _refusal(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, [refused])
    except BadPicture as bad:
        return _refusal(HTTPStatus.UNPROCESSABLE_ENTITY, bad.problems)
    return json_response(found)


def _read_label(raw: bytes, *, expected: tuple[str, ...]) -> dict[str, Any]:
    picture = image_validation.grey(raw, long_edge=barcodes.LONG_EDGE)
    codes = barcodes.read_codes(
        picture, enough=lambda found: not ont_label_parser.parse_label(found, expected=expected).unsure
    )
    return {"codes": codes, **asdict(ont_label_parser.parse_label(codes, expected=expected))}


def _body(request: HttpRequest) -> bytes:
    """As a stream: DATA_UPLOAD_MAX_MEMORY_SIZE is meant for forms."""
    raw = request.read(settings.PHOTO_MAX_BYTES + 1)
    if len(raw) > settings.PHOTO_MAX_BYTES:
        raise RequestDataTooBig
    return raw


def _refusal(status: HTTPStatus, problems: list[Problem]) -> JsonResponse:
    said = [{"code": one.code, "where": one.where, "message": one.message} for one in problems]
    return json_response({"codes": [], "problems": said}, status=status)
