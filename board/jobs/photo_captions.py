"""What the board says beside a photo: what the phone doubted, and what was done to it."""

from django.utils.translation import gettext as _

from closures.models import Photo


def doubts(photo: Photo) -> str:
    """What the phone warned of; the engineer used it all the same. Empty for a good one."""
    words = {"blur": _("Blurred"), "dark": _("Very dark"), "unreadable": _("Label may not be readable")}
    found = [word for name, word in words.items() if photo.checks.get(name)]
    if found and photo.checks.get("used_anyway"):
        found.append(_("used anyway"))
    return ", ".join(found)


def remarks(photo: Photo) -> list[str]:
    """Drawn on, and by whom it was signed."""
    found = []
    if photo.original_sha256:
        original = {"fingerprint": photo.original_sha256[:12]}
        found.append(_("Drawn on; the original was %(fingerprint)s") % original)
    if photo.signer:
        found.append(_("Signed by %(name)s") % {"name": photo.signer})
    return found
