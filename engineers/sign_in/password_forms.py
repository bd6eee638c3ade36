"""The forms in which people choose a password of their own."""

from typing import Any

from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.forms import ValidationError
from django.utils.translation import gettext as _


class NewPasswordForm(SetPasswordForm):  # type: ignore[type-arg]  # not subscriptable at run time
    """With the rules in one sentence, as the description of the field."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["new_password1"].help_text = _(
            "Use at least 10 characters. Avoid your name and common passwords."
        )
        # its label says that it must be the same
        self.fields["new_password2"].help_text = ""


class OwnPasswordForm(NewPasswordForm, PasswordChangeForm):
    """A temporary password cannot be chosen again."""

    def clean_new_password1(self) -> str:
        chosen: str = self.cleaned_data["new_password1"]
        if self.user.check_password(chosen):
            raise ValidationError(_("This is your current password. Choose a different one."))
        return chosen
