"""manage.py access_token: create, list and revoke tokens for the partner's interface."""

from argparse import ArgumentParser
from datetime import datetime, timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from engineers.models import Area
from partner_api import access_tokens
from partner_api.access_tokens import MAX_DAYS
from partner_api.models import AccessToken, Scope


class Command(BaseCommand):
    help = "Create, list or revoke access tokens for the partner's other systems"

    def add_arguments(self, parser: ArgumentParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True)
        create = actions.add_parser("create", help="print a new token; it is shown this once")
        create.add_argument("name", help="of the system that will use it")
        create.add_argument("--scope", action="append", required=True, choices=Scope.values)
        create.add_argument(
            "--area", action="append", default=[], help="name; without any it reads all areas"
        )
        create.add_argument("--days", type=int, help="until it expires; without it never does")
        actions.add_parser("list", help="those that are not revoked, with their last use")
        actions.add_parser("revoke", help="end one").add_argument(
            "key", type=int, help="number from the list"
        )

    def handle(self, *_args: Any, action: str, **options: Any) -> None:
        {"create": self._create, "list": self._list, "revoke": self._revoke}[action](options)

    def _create(self, options: dict[str, Any]) -> None:
        names = options["area"]
        areas = list(Area.objects.filter(name__in=names))
        if missing := set(names) - {area.name for area in areas}:
            raise CommandError(f"--area: no area is called {', '.join(sorted(missing))}")
        try:
            issued = access_tokens.issue(
                name=options["name"],
                scopes=options["scope"],
                areas=areas,
                expires_at=_expires_at(options["days"]),
                by=None,
            )
        except access_tokens.TokenRefused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(issued.secret)

    def _list(self, _options: dict[str, Any]) -> None:
        for token in AccessToken.objects.filter(revoked_at=None):
            used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
            ends = f"{token.expires_at:%Y-%m-%d}" if token.expires_at else "never"
            scopes = ", ".join(token.scopes)
            self.stdout.write(
                f"{token.pk}\t{token.start}…\t{token.name}\t{scopes}\tused {used}\texpires {ends}"
            )

    def _revoke(self, options: dict[str, Any]) -> None:
        if not access_tokens.revoke(pk=options["key"], by=None):
            raise CommandError(f"{options['key']}: no token has this number, or it is revoked already")


def _expires_at(days: int | None) -> datetime | None:
    if days is None:
        return None
    if not 1 <= days <= MAX_DAYS:
        raise CommandError(f"--days: give 1 to {MAX_DAYS}, or leave it out for a token that never expires")
    return timezone.now() + timedelta(days=days)
