"""The password that somebody chooses instead of the own one."""

from django.contrib.auth import update_session_auth_hash
from django.db import transaction
from django.http import HttpRequest

from engineers import staff
from engineers.audit import record_audit
from engineers.models import User
from engineers.sessions import is_stored


@transaction.atomic
def change_own_password(request: HttpRequest, *, user: User, before: str) -> bool:
    """Save the password that `user` has got, in place of the hash `before`; every other device is signed out by
    Django, and a link that could replace the password ends.

    False, and nothing has changed, where the account was suspended, its password replaced or its access ended while
    this request was under way. It was hashed before: that takes a quarter of a second, and SQLite has one writer.
    """
    current = User.objects.select_for_update().get(pk=user.pk)
    if not (current.is_active and current.password == before and is_stored(request.session)):
        return False
    user.must_change_password = False
    # whatever else was read with the account may be old by now
    user.save(update_fields=["password", "must_change_password"])
    update_session_auth_hash(request, user)
    user.sign_in_links.filter(used_at=None).delete()
    staff.forget_phones(user)
    record_audit(actor=user, action="password_changed", subject=user.username)
    return True
