"""Asks the company's OpenID Connect provider who somebody is (ADR 0027). Loaded only where OIDC_ISSUER is set: see
engineers.sign_in.company_sign_in_views.

Authlib checks state, PKCE, signature, issuer, audience, nonce and times; here is what it leaves to its caller.
"""

from collections.abc import Mapping
from typing import Any

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.django_client import DjangoIntegration, OAuth
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from joserfc.errors import JoseError

from engineers.input_values import UNSTORABLE, replace_unstorable
from engineers.sign_in.company_sign_in import ProviderRefused, ProviderUnavailable
from engineers.sign_in.provider_calls import metadata_of, provider_call

SECONDS = 5
NAME = "company"
# RFC 7518: what only the provider can make; a shared secret is none
ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]


def authorize(request: HttpRequest, *, redirect_uri: str) -> HttpResponse:
    """Sends the person to the provider; state, nonce and PKCE verifier are kept in the session.

    Raises ProviderUnavailable.
    """
    try:
        response: HttpResponse = _client().authorize_redirect(request, redirect_uri)
    except (requests.RequestException, RuntimeError, ValueError) as problem:
        raise ProviderUnavailable(type(problem).__name__) from problem
    return response


def read_claims(request: HttpRequest) -> Mapping[str, Any]:
    """The claims of the person who came back. Each answer counts once.

    Raises ProviderRefused, ProviderUnavailable.
    """
    try:
        claims: Mapping[str, Any] = replace_unstorable(_read_claims(request))
    except (OAuthError, JoseError, KeyError, TypeError) as problem:
        raise ProviderRefused(
            f"{type(problem).__name__} {getattr(problem, 'error', '')}".strip()
        ) from problem
    except (requests.RequestException, RuntimeError, ValueError) as problem:
        raise ProviderUnavailable(type(problem).__name__) from problem
    return claims


def _read_claims(request: HttpRequest) -> Mapping[str, Any]:
    # before the provider is asked for anything: whoever began nothing in this browser costs no call
    if not DjangoIntegration(NAME).get_state_data(request.session, request.GET.get("state")):
        raise ProviderRefused("state")
    client = _client()
    issuer = client.server_metadata["issuer"]
    # RFC 9207: an answer of another provider
    if request.GET.get("iss", issuer) != issuer:
        raise ProviderRefused("issuer of the answer")
    options = {
        "iss": {"essential": True, "value": issuer},
        "aud": {"essential": True, "value": client.client_id},
        "sub": {"essential": True},
    }
    with provider_call(_provider().issuer):
        return _ask_for_claims(client, request, options)


def _ask_for_claims(client: Any, request: HttpRequest, options: dict[str, Any]) -> Mapping[str, Any]:
    token = client.authorize_access_token(request, claims_options=options)
    claims = token.get("userinfo")
    if claims is None:
        raise ProviderRefused("no id token")
    # replaced by another character, two subjects could become one
    if UNSTORABLE.search(str(claims["sub"])):
        raise ProviderRefused("subject")
    if "email" in claims or "userinfo_endpoint" not in client.server_metadata:
        return dict(claims)
    more = client.userinfo(token=token)
    if more.get("sub") != claims["sub"]:
        raise ProviderRefused("subject of the user info")
    return {**more, **claims}


def sign_out_address(*, back_to: str) -> str:
    """Where the person signs out at the provider, too; empty where it has no such page, or does not answer."""
    try:
        client = _client()
        url: str = client.create_logout_url(back_to, client_id=client.client_id)["url"]
    except (requests.RequestException, RuntimeError, ValueError, ProviderUnavailable):
        return ""
    return url


def _provider() -> Any:
    provider = settings.SIGN_IN.provider
    if provider is None:
        raise ProviderUnavailable("not set")
    return provider


def _client() -> Any:
    """With the provider's own description of itself, which must be that of the issuer whom we trust."""
    provider = _provider()
    registry = OAuth()
    registry.register(
        NAME,
        client_id=provider.client_id,
        client_secret=provider.client_secret,
        server_metadata_url=f"{provider.issuer}/.well-known/openid-configuration",
        client_kwargs={
            "scope": "openid email profile",
            "code_challenge_method": "S256",
            "default_timeout": SECONDS,
        },
    )
    client = registry.create_client(NAME)
    # with it, the client loads none
    client.server_metadata = metadata_of(provider.issuer, lambda: _read_metadata(client, provider.issuer))
    return client


def _read_metadata(client: Any, trusted: str) -> dict[str, Any]:
    metadata: dict[str, Any] = client.load_server_metadata()
    if not isinstance(metadata.get("issuer"), str) or metadata["issuer"].rstrip("/") != trusted:
        raise ProviderUnavailable("issuer of the metadata")
    supported = metadata.get("id_token_signing_alg_values_supported") or ALGORITHMS
    metadata["id_token_signing_alg_values_supported"] = [name for name in supported if name in ALGORITHMS]
    return metadata
