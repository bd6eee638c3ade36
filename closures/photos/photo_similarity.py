"""Photos that were used on another job before: the same file, or a picture that looks almost the same.

Almost the same is told by a difference hash of 64 bits (dHash): whether each of 8 × 8 points is brighter than its
neighbour. It survives another size, quality and a little light, not another view. A picture without any structure, as
a lens cap's, looks like every other such picture and has none.
"""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from operator import itemgetter, or_

from django.db.models import Q
from PIL import Image

from closures.models import Photo, PhotoFingerprint
from dispatch.models import Job

SIDE = 8
BITS = SIDE * SIDE
# of 64 bits; two photos of one wall from one place differ by ten and more
MAX_DISTANCE = 5
# less structure than this says nothing
LEAST_BITS = 6
BANDS = ("band_1", "band_2", "band_3", "band_4")
BAND_BITS = BITS // len(BANDS)
MAX_CANDIDATES = 20_000
# more other jobs say nothing more
MAX_SHOWN = 500


@dataclass(frozen=True)
class ReusedPhoto:
    """A photo of the job and the one of another job; `distance` is in bits, 0 also for the same file."""

    photo: Photo
    other: Photo
    is_same_file: bool
    distance: int


def difference_hash(picture: bytes) -> int | None:
    """64 bits of a picture of ours (the thumbnail); None for one without structure."""
    with Image.open(io.BytesIO(picture)) as opened:
        grey = opened.convert("L").resize((SIDE + 1, SIDE), Image.Resampling.LANCZOS)
    levels = grey.tobytes()
    bits = 0
    for row in range(SIDE):
        line = levels[row * (SIDE + 1) : (row + 1) * (SIDE + 1)]
        for left, right in pairwise(line):
            bits = bits << 1 | (left > right)
    return bits if LEAST_BITS <= bits.bit_count() <= BITS - LEAST_BITS else None


def record_fingerprint(photo: Photo, thumbnail: bytes) -> None:
    """Keep what the picture looks like, once."""
    bits = difference_hash(thumbnail)
    if bits is not None:
        values = dict(zip(BANDS, _bands(bits), strict=True))
        PhotoFingerprint.objects.get_or_create(photo=photo, defaults=values)


def _bands(bits: int) -> list[int]:
    """Two hashes that differ in three bits at most have one of four bands in common, which an index finds."""
    mask = (1 << BAND_BITS) - 1
    return [bits >> shift & mask for shift in range(BITS - BAND_BITS, -1, -BAND_BITS)]


def _bits(fingerprint: PhotoFingerprint) -> int:
    return _join(getattr(fingerprint, name) for name in BANDS)


def _join(bands: Iterable[int]) -> int:
    return reduce(lambda bits, band: bits << BAND_BITS | band, bands, 0)


def find_reused(job: Job, photos: Sequence[Photo]) -> list[ReusedPhoto]:
    """Of these photos of the job those that another job has too, the surest first; four queries at most."""
    found = {(pair.photo.pk, pair.other.pk): pair for pair in _look_alikes(job, photos)}
    found |= {(pair.photo.pk, pair.other.pk): pair for pair in _same_files(job, photos)}
    return sorted(found.values(), key=lambda pair: (pair.distance, pair.photo.taken_at, pair.other.taken_at))


def _others(job: Job) -> Q:
    return ~Q(job=job)


def _same_files(job: Job, photos: Sequence[Photo]) -> list[ReusedPhoto]:
    by_hash = {photo.stored_sha256: photo for photo in photos if photo.stored_sha256}
    if not by_hash:
        return []
    others = Photo.objects.filter(_others(job), stored_sha256__in=by_hash).select_related("job", "by__user")
    return [
        ReusedPhoto(by_hash[other.stored_sha256], other, is_same_file=True, distance=0)
        for other in others[:MAX_SHOWN]
    ]


def _look_alikes(job: Job, photos: Sequence[Photo]) -> list[ReusedPhoto]:
    own = list(PhotoFingerprint.objects.filter(photo__in=photos)) if photos else []
    if not own:
        return []
    wanted = [Q(**{f"{name}__in": {getattr(fingerprint, name) for fingerprint in own}}) for name in BANDS]
    candidates = PhotoFingerprint.objects.filter(reduce(or_, wanted)).exclude(photo__job=job)
    # numbers only: of a million photos a few thousand have a band in common by chance
    rows = candidates.order_by("-pk").values_list("photo", *BANDS)[:MAX_CANDIDATES]
    mine = [(fingerprint.photo_id, _bits(fingerprint)) for fingerprint in own]
    theirs = [(other, _join(bands)) for other, *bands in rows]
    near = [
        (photo, other, distance)
        for other, bits in theirs
        for photo, own_bits in mine
        if (distance := (own_bits ^ bits).bit_count()) <= MAX_DISTANCE
    ]
    near = sorted(near, key=itemgetter(2))[:MAX_SHOWN]
    others = Photo.objects.select_related("job", "by__user").in_bulk(
        [other for _photo, other, _distance in near]
    )
    known = {photo.pk: photo for photo in photos}
    return [
        ReusedPhoto(known[photo], others[other], is_same_file=False, distance=distance)
        for photo, other, distance in near
        if other in others
    ]
