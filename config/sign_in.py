"""Settings of how people sign in beside their password: the company's OpenID Connect provider, and a new password by
mail. Both are off until they are set."""

from dataclasses import dataclass

from django.core.exceptions import ImproperlyConfigured

from config.environment import env_choice, env_int, env_list, env_secret, env_text, env_url
from config.message_channels import MailServer, mail_server

# nobody becomes a supervisor by signing in for the first time
NEW_ACCOUNT_ROLES = {"", "senior_dispatcher", "dispatcher", "planner", "auditor"}


@dataclass(frozen=True)
class IdentityProvider:
    """`issuer` as the tokens name it. `new_account_role`: of an account that is made at the first sign-in; empty where
    a supervisor makes every account. `second_factors`: what `amr` or `acr` of a token says where the provider has asked
    for a second factor."""

    issuer: str
    client_id: str
    client_secret: str
    label: str
    new_account_role: str
    second_factors: frozenset[str]


@dataclass(frozen=True)
class SignInSettings:
    """`provider` and `mail` are None until they are set."""

    provider: IdentityProvider | None
    mail: MailServer | None
    password_reset_minutes: int


def sign_in_settings(*, is_plain_http: bool) -> SignInSettings:
    """Raises ImproperlyConfigured with the name of the variable and the remedy."""
    return SignInSettings(
        provider=_provider(schemes=("https", "http") if is_plain_http else ("https",)),
        mail=mail_server(),
        password_reset_minutes=env_int("PASSWORD_RESET_MINUTES", 30, lowest=5, highest=1440),
    )


def _provider(*, schemes: tuple[str, ...]) -> IdentityProvider | None:
    issuer, secret = env_url("OIDC_ISSUER", schemes=schemes), env_secret("OIDC_CLIENT_SECRET")
    client_id, label = env_text("OIDC_CLIENT_ID"), env_text("OIDC_LABEL")
    role = env_choice("OIDC_NEW_ACCOUNT_ROLE", "", NEW_ACCOUNT_ROLES)
    factors = frozenset(env_list("OIDC_SECOND_FACTORS", "mfa"))
    if not issuer:
        return None
    for name, value in {"OIDC_CLIENT_ID": client_id, "OIDC_CLIENT_SECRET": secret}.items():
        if not value:
            raise ImproperlyConfigured(f"{name}: set it as the provider of OIDC_ISSUER has given it to you")
    return IdentityProvider(issuer, client_id, secret, label, role, factors)
