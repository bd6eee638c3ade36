"""Pictures: what is taken, what is left of it, and what is refused."""

import base64
import hashlib
import io
import random
import signal
import struct
import subprocess
import sys
import zipfile
import zlib
from functools import partial
from pathlib import Path

import pytest
from PIL import Image, ImageCms, PngImagePlugin

from closures.photos import image_process, image_validation
from closures.photos.image_validation import BadPicture, DecoderBusy
from tests import make
from tests.closures.poison import MARKER_BOMBS, marker_bomb, poison_jpeg

DATA = Path(__file__).parent.parent / "data"
# 96 × 64 with a red corner, a camera's name and a position in its EXIF; made with libx265
HEIC = (DATA / "photo.heic").read_bytes()
# the same with a few bytes changed: libheif 1.x ends its process on it
CRASHING = (DATA / "crashing.heic").read_bytes()
CAMERA, GPS = "SpyPhone 9", {1: "N", 2: (51.0, 30.0, 12.0), 3: "W", 4: (0.0, 7.0, 39.0)}


def drawn(mode: str = "RGB") -> Image.Image:
    """48 × 32, green with a red quarter at the top left."""
    image = Image.new("RGB", (48, 32), "green")
    image.paste("red", (0, 0, 24, 16))
    return image.convert(mode)


def photograph(
    form: str, image: Image.Image | None = None, *, orientation: int = 1, **options: object
) -> bytes:
    camera = Image.Exif()
    camera[0x010F], camera[0x0112], camera[0x8825] = CAMERA, orientation, GPS
    content = io.BytesIO()
    (image or drawn()).save(content, form, exif=camera, **options)
    return content.getvalue()


def opened(raw: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(image_validation.clean(raw).content))
    image.load()
    return image


def is_red(image: Image.Image, point: tuple[int, int]) -> bool:
    red, green, _ = image.getpixel(point)
    return red > 200 and green < 60


@pytest.mark.parametrize(
    ("raw", "form", "size"),
    [
        (photograph("JPEG"), "JPEG", (48, 32)),
        (photograph("JPEG", progressive=True), "JPEG", (48, 32)),
        (photograph("PNG"), "PNG", (48, 32)),
        (photograph("WEBP"), "WEBP", (48, 32)),
        (photograph("WEBP", lossless=True), "WEBP", (48, 32)),
        (HEIC, "HEIF", (96, 64)),
    ],
    ids=["JPEG", "progressive JPEG", "PNG", "WebP", "lossless WebP", "HEIC"],
)
def test_photo_is_re_encoded_as_jpeg(raw: bytes, form: str, size: tuple[int, int]) -> None:
    picture = image_validation.clean(raw)

    stored = Image.open(io.BytesIO(picture.content))
    assert (stored.format, stored.mode, stored.size) == ("JPEG", "RGB", size)
    assert (picture.width, picture.height, picture.original_type) == (*size, form)
    assert picture.sha256 == hashlib.sha256(raw).hexdigest()
    assert picture.stored_sha256 == hashlib.sha256(picture.content).hexdigest()
    assert (is_red(stored, (2, 2)), is_red(stored, (size[0] - 2, size[1] - 2))) == (True, False)


# where the red corner of the picture ends up
TURNED = {
    1: (2, 2),
    2: (45, 2),
    3: (45, 29),
    4: (2, 29),
    5: (2, 2),
    6: (29, 2),
    7: (29, 45),
    8: (2, 45),
}


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize("orientation", TURNED)
def test_photo_is_turned_upright(orientation: int, form: str) -> None:
    image = opened(photograph(form, orientation=orientation))

    assert image.size == ((48, 32) if orientation < 5 else (32, 48))
    assert is_red(image, TURNED[orientation])
    assert image.getexif().get(0x0112) is None


@pytest.mark.parametrize("orientation", [0, 9, 4711])
def test_orientation_that_does_not_exist_is_left_alone(orientation: int) -> None:
    assert opened(photograph("JPEG", orientation=orientation)).size == (48, 32)


def test_camera_data_that_is_damaged_is_no_reason_to_refuse() -> None:
    raw = bytearray(photograph("JPEG", orientation=6))
    at = raw.index(b"Exif\0\0") + 14
    raw[at : at + 60] = b"\xff" * 60

    assert image_validation.clean(bytes(raw)).original_type == "JPEG"


PROFILE = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
TEXT = PngImagePlugin.PngInfo()
TEXT.add_text("Author", CAMERA)
LOOSE = b"<html><script>alert('SpyPhone 9')</script></html>"
XMP = b"<x:xmpmeta>SpyPhone 9</x:xmpmeta>"


@pytest.mark.parametrize(
    "raw",
    [
        photograph("JPEG", icc_profile=PROFILE, comment=CAMERA.encode(), xmp=XMP),
        photograph("PNG", icc_profile=PROFILE, pnginfo=TEXT),
        photograph("WEBP", icc_profile=PROFILE, xmp=XMP),
        HEIC.replace(b"FibrePhone", CAMERA.encode()),
        photograph("JPEG") + LOOSE,
        photograph("PNG") + LOOSE,
        make.jpeg() + photograph("JPEG"),
    ],
    ids=["JPEG", "PNG", "WebP", "HEIC", "JPEG with a tail", "PNG with a tail", "two JPEG"],
)
def test_nothing_but_the_picture_is_kept(raw: bytes) -> None:
    assert CAMERA.encode() in raw

    content = image_validation.clean(raw).content

    image = Image.open(io.BytesIO(content))
    assert dict(image.getexif()) == {}
    assert sorted(image.info) == ["jfif", "jfif_density", "jfif_unit", "jfif_version"]
    assert b"SpyPhone" not in content
    assert b"Exif" not in content
    assert content.endswith(b"\xff\xd9")


@pytest.mark.parametrize(
    ("form", "mode"),
    [
        ("JPEG", "CMYK"),
        ("JPEG", "L"),
        ("PNG", "RGBA"),
        ("PNG", "LA"),
        ("PNG", "P"),
        ("PNG", "1"),
        ("WEBP", "RGBA"),
    ],
)
def test_every_kind_of_colour_becomes_rgb(form: str, mode: str) -> None:
    image = opened(photograph(form, drawn(mode)))

    red, green = image.getpixel((2, 2)), image.getpixel((45, 29))
    assert image.mode == "RGB"
    assert red != green


def test_sixteen_bit_grey_is_not_blown_out() -> None:
    grey = Image.new("I;16", (48, 32), 0x4000)

    assert opened(photograph("PNG", grey)).getpixel((2, 2)) == pytest.approx((64, 64, 64), abs=3)


def test_photo_full_of_noise_is_kept() -> None:
    noise = Image.frombytes("RGB", (800, 600), random.Random(7).randbytes(800 * 600 * 3))

    assert image_validation.clean(photograph("JPEG", noise, quality=95)).width == 800


def png_chunk(kind: bytes, body: bytes, *, crc: int = 0) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body) ^ crc)


def png(width: int, height: int, body: bytes = b"", *, crc: int = 0, more: bytes = b"") -> bytes:
    head = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    pixels = png_chunk(b"IDAT", zlib.compress(body), crc=crc)
    return b"\x89PNG\r\n\x1a\n" + head + more + pixels + png_chunk(b"IEND", b"")


def bomb_of_words() -> bytes:
    """Made when its test runs: each worker imports this file, and few run the test."""
    return png(8, 8, b"\0" * 72, more=png_chunk(b"zTXt", b"a\0\0" + zlib.compress(b"\0" * 2**27)))


def as_format(form: str) -> bytes:
    content = io.BytesIO()
    drawn().save(content, form)
    return content.getvalue()


def zipped() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        archive.writestr("photo.jpg", make.jpeg())
    return content.getvalue()


JPEG = make.jpeg(width=400, height=300)
WRONG_TYPE, UNREADABLE, TOO_MANY = "wrong_type", "unreadable", "too_many_pixels"
SENTENCES = {
    WRONG_TYPE: "Photos must be JPEG, PNG, WebP or HEIC files.",
    UNREADABLE: "The photo is damaged or incomplete. Take it again.",
    TOO_MANY: "Photos can have at most 40 megapixels.",
}
HOSTILE = {
    "nothing": (b"", WRONG_TYPE),
    "text": (b"hello", WRONG_TYPE),
    "HTML": (LOOSE, WRONG_TYPE),
    "SVG": (b'<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', WRONG_TYPE),
    "GIF": (as_format("GIF"), WRONG_TYPE),
    "TIFF": (as_format("TIFF"), WRONG_TYPE),
    "BMP": (as_format("BMP"), WRONG_TYPE),
    "ICO": (as_format("ICO"), WRONG_TYPE),
    "PPM": (as_format("PPM"), WRONG_TYPE),
    "EPS": (as_format("EPS"), WRONG_TYPE),
    "PDF": (as_format("PDF"), WRONG_TYPE),
    "ZIP": (zipped(), WRONG_TYPE),
    "base64 of a JPEG": (base64.b64encode(JPEG), WRONG_TYPE),
    "JPEG's first bytes only": (JPEG[:3], UNREADABLE),
    "JPEG of a head": (JPEG[:300], UNREADABLE),
    "JPEG cut in the middle": (JPEG[: len(JPEG) // 2], UNREADABLE),
    "JPEG without its end": (JPEG[:-40], UNREADABLE),
    "PNG cut in the middle": (photograph("PNG", drawn())[:-60], UNREADABLE),
    "PNG with a wrong checksum": (png(8, 8, b"\0" * 72, crc=1), UNREADABLE),
    "PNG without size": (png(0, 0), UNREADABLE),
    "PNG with a bomb of words": (bomb_of_words, UNREADABLE),
    "WebP cut in the middle": (photograph("WEBP", drawn())[:-80], UNREADABLE),
    "HEIC cut in the middle": (HEIC[:400], UNREADABLE),
    "HEIC's first bytes only": (HEIC[:24], UNREADABLE),
    "HEIC that ends libheif": (CRASHING, UNREADABLE),
    "HEIC larger than it is": (
        HEIC.replace(struct.pack(">II", 96, 64), struct.pack(">II", 30000, 30000)),
        TOO_MANY,
    ),
    "film": (b"\0\0\0\x18ftypisom\0\0\0\0isommp42", WRONG_TYPE),
    "48 megapixels": (png(8000, 6000), TOO_MANY),
    "a bomb of pixels": (png(30000, 30000), TOO_MANY),
    "one pixel too wide": (png(40_000_001, 1), TOO_MANY),
}


@pytest.mark.parametrize("hostile", HOSTILE)
def test_what_is_no_whole_photo_is_refused_with_a_sentence(hostile: str) -> None:
    raw, code = HOSTILE[hostile]

    with pytest.raises(BadPicture) as refusal:
        image_validation.clean(raw() if callable(raw) else raw)

    (problem,) = refusal.value.problems
    assert (problem.code, problem.where, problem.message) == (code, "photo", SENTENCES[code])


@pytest.mark.parametrize("bomb", MARKER_BOMBS)
def test_header_of_millions_of_markers_is_no_photo(bomb: str) -> None:
    raw = marker_bomb(bomb)

    for look in (image_validation.clean, partial(image_validation.grey, long_edge=1600)):
        with pytest.raises(BadPicture) as refusal:
            look(raw)
        assert refusal.value.problems[0].code in {UNREADABLE, WRONG_TYPE}


def test_decoder_is_ended_by_its_limit(tmp_path: Path) -> None:
    """The same program with the CPU time of one breath, and a picture that takes longer."""
    hasty = tmp_path / "image_process.py"
    hasty.write_text(Path(image_process.__file__).read_text().replace("CPU_SECONDS = 15", "CPU_SECONDS = 1"))

    command = [sys.executable, "-I", str(hasty), "clean", "0"]
    done = subprocess.run(command, input=poison_jpeg(scans=80), capture_output=True, check=False)

    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")


def test_busy_machine_is_no_fault_of_the_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(image_validation, "DECODER_SECONDS", 0)

    with pytest.raises(DecoderBusy):
        image_validation.clean(JPEG)


@pytest.mark.parametrize("seed", range(200))
def test_damaged_photo_is_kept_or_refused_and_never_an_error(seed: int) -> None:
    chance = random.Random(seed)
    raw = bytearray(photograph(chance.choice(["JPEG", "PNG", "WEBP"]), orientation=6))
    for _ in range(chance.randint(1, 4)):
        raw[chance.randrange(min(len(raw), 300))] = chance.randrange(256)

    try:
        assert Image.open(io.BytesIO(image_validation.clean(bytes(raw)).content)).mode == "RGB"
    except BadPicture as refusal:
        assert len(refusal.problems) == 1
