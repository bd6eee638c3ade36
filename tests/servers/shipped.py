"""Settings of a demo whose static files go out as in production: collected, named by their hash, compressed ahead."""

from pathlib import Path

from config.settings import *  # noqa: F403
from config.settings import DATABASES, STORAGES

STATIC_ROOT = Path(DATABASES["default"]["NAME"]).parent / "static"
WHITENOISE_USE_FINDERS = False
STORAGES = {
    **STORAGES,
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
