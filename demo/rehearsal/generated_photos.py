"""Photos as a phone takes them: JPEG with camera metadata, no two alike."""

from datetime import datetime
from io import BytesIO
from random import Random

from PIL import Image, ImageDraw

SIZE = (1024, 768)
EXIF_MAKE, EXIF_MODEL, EXIF_TAKEN_AT, EXIF_ORIENTATION = 271, 272, 306, 274


def take_photo(*, words: str, taken_at: datetime, chance: Random) -> bytes:
    """A picture of coloured shapes with the words on it, about a hundred kilobytes."""
    picture = Image.effect_noise(SIZE, 12).convert("RGB")
    draw = ImageDraw.Draw(picture)
    for _ in range(12):
        left, top = chance.randrange(SIZE[0]), chance.randrange(SIZE[1])
        colour = tuple(chance.randrange(256) for _ in range(3))
        draw.rectangle((left, top, left + chance.randrange(40, 400), top + chance.randrange(40, 400)), colour)
    draw.text((40, 40), words, fill="white", stroke_width=2, stroke_fill="black", font_size=40)
    exif = Image.Exif()
    exif[EXIF_MAKE], exif[EXIF_MODEL], exif[EXIF_ORIENTATION] = "Rehearsal", "Pocket 1", 1
    exif[EXIF_TAKEN_AT] = taken_at.strftime("%Y:%m:%d %H:%M:%S")
    file = BytesIO()
    picture.save(file, "JPEG", quality=70, exif=exif)
    return file.getvalue()
