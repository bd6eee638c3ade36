"""Whose the names, numbers and addresses of an imported file are: somebody's who is stored, or an earlier row's."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from engineers.models import Engineer, User


@dataclass
class KnownIdentities:
    """All in lower case. `seen` grows with the rows of the file."""

    by_staff_number: dict[str, Engineer]
    by_user_name: dict[str, Engineer]
    office_names: set[str]
    # address -> key of the user who has it
    addresses: dict[str, int]
    seen: set[str] = field(default_factory=set)

    def engineer_of(self, cells: Mapping[str, str]) -> Engineer | None:
        """With the row's staff number, otherwise with its user name; None for a new one."""
        number, name = _lower(cells, "staff_number"), _user_name(cells)
        return self.by_staff_number.get(number) or self.by_user_name.get(name)

    def problems(self, cells: Mapping[str, str]) -> Iterator[str]:
        """Sentences; each row is asked about once."""
        engineer, name, address = self.engineer_of(cells), _user_name(cells), _lower(cells, "email")
        named, user = self.by_user_name.get(name), engineer.user_id if engineer else None
        if engineer and named and engineer != named:
            yield _("The staff number is one engineer's, the user name another's.")
        if name in self.office_names:
            yield _("Somebody else has this user name. Choose a different one.")
        if self.addresses.get(address, user) != user:
            yield _("Somebody else has this e-mail address. Enter a different one.")
        if self._is_repeated(f"number {_lower(cells, 'staff_number')}", f"name {name}"):
            yield _("An earlier row has the same staff number or user name.")
        if self._is_repeated(f"address {address}"):
            yield _("An earlier row has the same e-mail address.")

    def _is_repeated(self, *keys: str) -> bool:
        keys_of_row = {key for key in keys if not key.endswith(" ")}
        is_repeated = bool(keys_of_row & self.seen)
        self.seen |= keys_of_row
        return is_repeated


def _lower(cells: Mapping[str, str], column: str) -> str:
    return cells.get(column, "").lower()


def _user_name(cells: Mapping[str, str]) -> str:
    return str(User.normalize_username(_lower(cells, "user_name"))).lower()


def known_identities(engineers: Iterable[Engineer]) -> KnownIdentities:
    """`engineers` with their users; one query."""
    stored = list(engineers)
    users = list(User.objects.values_list("pk", "username", "email", "engineer"))
    return KnownIdentities(
        by_staff_number={engineer.staff_number.lower(): engineer for engineer in stored},
        by_user_name={engineer.user.username.lower(): engineer for engineer in stored},
        office_names={name.lower() for _pk, name, _email, engineer in users if engineer is None},
        addresses={email.lower(): pk for pk, _name, email, _engineer in users if email},
    )
