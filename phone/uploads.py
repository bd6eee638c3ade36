"""PUT /phone/photos/<uuid>: the bytes of a photo that a message announced."""

import io
from http import HTTPStatus
from uuid import UUID

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, JsonResponse
from django.utils.translation import gettext as _

from closures import direct_upload, evidence
from closures.models import Photo
from dispatch.problems import ActionRefused, Problem
from engineers.input_values import read_number
from engineers.models import Engineer


def _too_large() -> list[Problem]:
    limit = settings.PHOTO_MAX_BYTES // 2**20
    return [Problem("too_large", "photo", _("Photos can be at most %(limit)s MB.") % {"limit": limit})]


def _unknown() -> list[Problem]:
    sentence = _("This photo has not been announced. Send its message first.")
    return [Problem("unknown_photo", "photo", sentence)]


def store_photo(*, request: HttpRequest, photo_id: UUID, engineer: Engineer) -> JsonResponse:
    """Store the body; the same PUT again is a success without effect. Refusals carry `problems`."""
    photo = Photo.objects.filter(pk=photo_id, by=engineer).select_related("job").first()
    if photo is None:
        return refusal_for(HTTPStatus.NOT_FOUND, _unknown())
    if (read_number(request.headers.get("Content-Length")) or 0) > settings.PHOTO_MAX_BYTES:
        return refusal_for(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large())
    try:
        # read as a stream: DATA_UPLOAD_MAX_MEMORY_SIZE is meant for forms
        stored = evidence.store(photo=photo, content=io.BytesIO(request.read(settings.PHOTO_MAX_BYTES + 1)))
    except RequestDataTooBig:
        return refusal_for(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, _too_large())
    except ActionRefused as refused:
        return refusal_for(HTTPStatus.UNPROCESSABLE_ENTITY, refused.problems)
    return JsonResponse({"photo_id": str(photo_id), "sha256": stored.sha256, "stored": True})


def create_address(*, request: HttpRequest, photo_id: UUID, engineer: Engineer) -> JsonResponse:
    """Where the phone may put this photo by itself; an empty `url` where it has to come through us."""
    photo = Photo.objects.filter(pk=photo_id, by=engineer, stored_at=None).first()
    size = read_number(request.GET.get("size"))
    address = direct_upload.create_upload_address(photo, size=size) if photo and size else None
    if address is None:
        return JsonResponse({"url": "", "headers": {}})
    return JsonResponse({"url": address.url, "headers": address.headers})


def confirm_put(*, photo_id: UUID, engineer: Engineer) -> JsonResponse:
    """The phone has put the photo where it was told to: answered as `put_photo`."""
    photo = Photo.objects.filter(pk=photo_id, by=engineer).select_related("job").first()
    if photo is None:
        return refusal_for(HTTPStatus.NOT_FOUND, _unknown())
    try:
        stored = direct_upload.confirm_upload(photo)
    except ActionRefused as refused:
        return refusal_for(HTTPStatus.UNPROCESSABLE_ENTITY, refused.problems)
    return JsonResponse({"photo_id": str(photo_id), "sha256": stored.sha256, "stored": True})


def refusal_for(status: HTTPStatus, problems: list[Problem]) -> JsonResponse:
    said = [{"code": one.code, "where": one.where, "message": one.message} for one in problems]
    return JsonResponse({"photo_id": None, "stored": False, "problems": said}, status=status)
