"""What a record says in place of the name of an erased office account: a code, and how people read it."""

import re

from django.utils.translation import gettext as _

OFFICE_CODE = re.compile(r"former-office-(\d+)")


def former_office_code(pk: int) -> str:
    """A staff number may be the same as an account's number."""
    return f"former-office-{pk}"


def name_for_reader(name: str) -> str:
    """The stored name, of an erased office account in the reader's language."""
    found = OFFICE_CODE.fullmatch(name)
    return _("Former office account %(number)s") % {"number": found[1]} if found else name
