"""manage.py reset_second_factor: for the only supervisor whose telephone was lost."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from engineers.models import User
from engineers.sign_in import second_factor


class Command(BaseCommand):
    help = "Remove a user's authenticator and recovery codes; the user sets up new ones at the next sign-in."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = User.objects.filter(username=options["username"]).first()
        if user is None:
            raise CommandError(f"There is no user with the user name {options['username']}.")
        second_factor.reset(user=user, by=None)
        self.stdout.write(f"{user.username} is signed out and must set up two-factor authentication again.")
