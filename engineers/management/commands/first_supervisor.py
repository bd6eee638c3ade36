"""manage.py first_supervisor: the account with all permissions that a new installation begins with."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from engineers import staff
from engineers.models import Role, SignInLink, User
from engineers.sign_in import sign_in_links
from engineers.sign_in.sign_in_link_views import link_address


class Command(BaseCommand):
    help = (
        "Create a superuser and print a one-time link with which that person chooses a password. Does nothing once "
        "somebody with all permissions can sign in, or while a link that was printed before still works."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("username")
        parser.add_argument("--name", required=True, help="first and last name")
        parser.add_argument("--new-link", action="store_true", help="the link was lost: print another one")

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        # as the form of the sign-in reads it
        username = User.normalize_username(options["username"])
        superusers = User.objects.filter(is_superuser=True, is_active=True)
        if known := [user for user in superusers if user.has_usable_password()]:
            self.stdout.write(f"There is a supervisor with all permissions: {known[0].username}.")
            return
        user = User.objects.select_for_update().filter(username=username).first()
        links = SignInLink.objects.usable(timezone.now()).filter(user__in=superusers)
        if options["new_link"]:
            links = links.exclude(user=user)
        if pending := links.select_related("user").first():
            self._tell_of(pending)
            return
        if user is None:
            user = hire_superuser(username=username, name=options["name"])
        elif not user.is_superuser:
            raise CommandError(f"{user.username} is somebody else's user name. Choose another one.")
        link = sign_in_links.issue(user=user, by=user)
        self.stdout.write(
            f"{user.username} chooses a password here, once, until {timezone.localtime(link.expires_at):%d %b %H:%M}:\n"
            f"  {link_address(link.secret)}"
        )

    def _tell_of(self, link: SignInLink) -> None:
        username = link.user.username
        self.stdout.write(
            f"{username} has a link that works until {timezone.localtime(link.expires_at):%d %b %H:%M}. "
            f"If it was lost: manage.py first_supervisor {username} --name NAME --new-link"
        )


def hire_superuser(*, username: str, name: str) -> User:
    """Raises CommandError with each field that is wrong."""
    if not name.strip():
        raise CommandError("--name: write first and last name")
    first, last = staff.split_name(name)
    try:
        User(username=username, first_name=first, last_name=last).full_clean(exclude=["password"])
    except ValidationError as problem:
        fields = {"first_name": "--name", "last_name": "--name"}
        lines = [
            f"{fields.get(field, field)}: {text}"
            for field, texts in problem.message_dict.items()
            for text in texts
        ]
        raise CommandError("\n".join(lines)) from problem
    user = staff.hire_office(username=username, password=None, name=name, role=Role.SUPERVISOR)
    user.is_superuser = True
    user.save(update_fields=["is_superuser"])
    return user
