"""The bytes of photos that a message announced, and labels that the server reads for a phone that cannot."""

import io
from collections.abc import Callable
from dataclasses import asdict
from http import HTTPStatus
from typing import Any
from uuid import UUID

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from closures.models import Photo
from closures.photos import barcodes, direct_upload, image_validation
from closures.photos.image_validation import BadPicture
from dispatch import ont_label_parser
from dispatch.problems import ActionRefused, Problem
from engineers.input_values import read_number
from engineers.models import Engineer
from engineers.throttling import RateLimit
from phone.api_view import PhoneView, ProblemsFound

# a photo straight to the bucket is three requests
UPLOADS = RateLimit("uploads", 300)


class PictureView(PhoneView):
    """Its body is a picture, which is read as a stream: DATA_UPLOAD_MAX_MEMORY_SIZE is meant for forms."""

    def read_picture(self, **also: Any) -> bytes:
        """Raises ProblemsFound for more than PHOTO_MAX_BYTES."""
        limit, request = settings.PHOTO_MAX_BYTES, self.http_request
        length = read_number(request.headers.get("Content-Length")) or 0
        if length > limit or len(picture := request.read(limit + 1)) > limit:
            message = _("Photos can be at most %(limit)s MB.") % {"limit": limit // 2**20}
            problem = Problem("too_large", "photo", message)
            raise ProblemsFound(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, [problem], **also)
        return picture


NOT_STORED = {"photo_id": None, "stored": False}


class PhotoView(PictureView):
    rate_limit = UPLOADS

    def put(self, request: Request, photo_id: UUID) -> Response:
        """Store the body; the same PUT again is a success without effect."""
        self.check_engineer(request.query_params)
        photo = _announced_photo(photo_id, self.engineer)
        picture = self.read_picture(**NOT_STORED)
        return _stored(photo, lambda: direct_upload.store_sent(photo, io.BytesIO(picture)))


class UploadAddressView(PhoneView):
    rate_limit = UPLOADS

    def get(self, request: Request, photo_id: UUID) -> Response:
        """Where the phone may put this photo by itself; an empty `url` where it has to come through us."""
        self.check_engineer(request.query_params)
        photo = Photo.objects.filter(pk=photo_id, by=self.engineer, stored_at=None).first()
        size = read_number(request.query_params.get("size"))
        address = direct_upload.create_upload_address(photo, size=size) if photo and size else None
        if address is None:
            return Response({"url": "", "headers": {}})
        return Response({"url": address.url, "headers": address.headers})


class ConfirmUploadView(PhoneView):
    rate_limit = UPLOADS

    def post(self, request: Request, photo_id: UUID) -> Response:
        """The phone has uploaded the photo to its presigned URL."""
        self.check_engineer(request.query_params)
        photo = _announced_photo(photo_id, self.engineer)
        return _stored(photo, lambda: direct_upload.confirm_upload(photo))


def _announced_photo(photo_id: UUID, engineer: Engineer) -> Photo:
    photo = Photo.objects.filter(pk=photo_id, by=engineer).select_related("job").first()
    if photo is None:
        message = _("This photo has not been announced. Send its message first.")
        problem = Problem("unknown_photo", "photo", message)
        raise ProblemsFound(HTTPStatus.NOT_FOUND, [problem], **NOT_STORED)
    return photo


def _stored(photo: Photo, store: Callable[[], Photo]) -> Response:
    try:
        stored = store()
    except ActionRefused as refused:
        raise ProblemsFound(HTTPStatus.UNPROCESSABLE_ENTITY, refused.problems, **NOT_STORED) from refused
    return Response({"photo_id": str(photo.pk), "sha256": stored.sha256, "stored": True})


class LabelView(PictureView):
    rate_limit = RateLimit("label_reading", 60)

    def post(self, request: Request) -> Response:
        """Every code in the picture and what is taken from them, for a phone that could not read it; nothing of it is
        kept."""
        raw = self.read_picture(codes=[])
        try:
            with image_validation.decoder_slot():
                return Response(_read_label(raw, expected=tuple(request.query_params.getlist("expected"))))
        except BadPicture as bad:
            raise ProblemsFound(HTTPStatus.UNPROCESSABLE_ENTITY, bad.problems, codes=[]) from bad


def _read_label(raw: bytes, *, expected: tuple[str, ...]) -> dict[str, Any]:
    picture = image_validation.grey(raw, long_edge=barcodes.LONG_EDGE)
    codes = barcodes.read_codes(
        picture, enough=lambda found: not ont_label_parser.parse_label(found, expected=expected).unsure
    )
    return {"codes": codes, **asdict(ont_label_parser.parse_label(codes, expected=expected))}
