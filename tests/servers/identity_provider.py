"""A small OpenID Connect provider in a process of its own: discovery, keys, authorization code with PKCE, tokens.

Whoever asks is signed in as the claims say that a test has put (`Provider.person`); `spoil` changes what the next token
says, or how it is signed.
"""

import base64
import hashlib
import json
import secrets
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import requests
from joserfc import jws
from joserfc.jwk import RSAKey

from tests.servers.ports import free_port

CLIENT_ID, CLIENT_SECRET = "dispatch", "a secret of the client"
PERSON = {"sub": "p-1", "email": "dana@partner.example", "email_verified": True, "name": "Dana Whitlock"}
SECONDS = 15


@dataclass(frozen=True)
class Provider:
    issuer: str
    process: subprocess.Popen[bytes]

    def person(self, **claims: Any) -> None:
        """Who is signed in at the provider from now on."""
        self._control({"person": {**PERSON, **claims}})

    def spoil(self, **how: Any) -> None:
        """Members of the next token; `key`: `other` for an unknown key, `none` for no signature."""
        self._control({"spoil": how})

    def visit(self, address: str) -> str:
        """What a browser does there: back at our address, with its path and query."""
        answer = requests.get(address, allow_redirects=False, timeout=SECONDS)
        assert answer.status_code == 302, answer.text
        back = urlsplit(answer.headers["Location"])
        return f"{back.path}?{back.query}"

    def tokens_given(self) -> int:
        return self._counts()["tokens"]

    def descriptions_given(self) -> int:
        return self._counts()["descriptions"]

    def _counts(self) -> dict[str, int]:
        counts: dict[str, int] = requests.get(f"{self.issuer}/control", timeout=SECONDS).json()
        return counts

    def _control(self, change: dict[str, Any]) -> None:
        requests.post(f"{self.issuer}/control", json=change, timeout=SECONDS).raise_for_status()


@contextmanager
def running() -> Iterator[Provider]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-m", "tests.servers.identity_provider", str(port)])
    provider = Provider(f"http://127.0.0.1:{port}", process)
    try:
        _wait(provider)
        yield provider
    finally:
        process.terminate()
        process.wait(SECONDS)


def _wait(provider: Provider) -> None:
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        try:
            provider.person()
        except requests.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("the provider did not start")


class _Handler(BaseHTTPRequestHandler):
    issuer = ""
    keys = {
        "usual": RSAKey.generate_key(2048, {"kid": "k1"}),
        "other": RSAKey.generate_key(2048, {"kid": "k1"}),
    }
    person: dict[str, Any] = dict(PERSON)
    spoilt: dict[str, Any] = {}
    codes: dict[str, dict[str, str]] = {}
    tokens = descriptions = 0

    def do_GET(self) -> None:
        address = urlsplit(self.path)
        if address.path == "/.well-known/openid-configuration":
            _Handler.descriptions += 1
            self._answer(_metadata(self.issuer))
        elif address.path == "/jwks":
            self._answer({"keys": [self.keys["usual"].as_dict(private=False)]})
        elif address.path == "/control":
            self._answer({"tokens": _Handler.tokens, "descriptions": _Handler.descriptions})
        elif address.path == "/authorize":
            self._authorize({name: values[0] for name, values in parse_qs(address.query).items()})
        else:
            self._answer({}, 404)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        if self.path == "/control":
            change = json.loads(body)
            _Handler.person = change.get("person", _Handler.person)
            _Handler.spoilt = change.get("spoil", {})
            self._answer({})
        else:
            self._token({name: values[0] for name, values in parse_qs(body).items()})

    def _authorize(self, query: dict[str, str]) -> None:
        code = secrets.token_urlsafe()
        self.codes[code] = query
        back = urlencode({"code": code, "state": query["state"], "iss": self.issuer})
        self.send_response(302)
        self.send_header("Location", f"{query['redirect_uri']}?{back}")
        self.end_headers()

    def _token(self, form: dict[str, str]) -> None:
        asked = self.codes.pop(form.get("code", ""), None)
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        sent = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        is_right = (
            asked and base64.urlsafe_b64encode(challenge).decode().rstrip("=") == asked["code_challenge"]
        )
        if not asked or not is_right or self.headers["Authorization"] != f"Basic {sent}":
            self._answer({"error": "invalid_grant"}, 400)
            return
        _Handler.tokens += 1
        self._answer(
            {"access_token": "a", "token_type": "Bearer", "id_token": self._id_token(asked["nonce"])}
        )

    def _id_token(self, nonce: str) -> str:
        now, how = int(time.time()), dict(self.spoilt)
        key = how.pop("key", "usual")
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + 300, "nonce": nonce}
        claims = {
            name: value for name, value in {**claims, **self.person, **how}.items() if value is not None
        }
        if key == "none":
            parts = [json.dumps(part).encode() for part in ({"alg": "none"}, claims)]
            return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), ""])
        # the library writes no half of a surrogate pair; as an escape it is JSON
        content = json.dumps(claims).encode()
        return jws.serialize_compact({"alg": "RS256", "kid": "k1", "typ": "JWT"}, content, self.keys[key])

    def _answer(self, body: dict[str, Any], status: int = 200) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def log_message(self, *_parts: Any) -> None:
        """Quiet."""


def _metadata(issuer: str) -> dict[str, Any]:
    paths = {"authorization": "authorize", "token": "token", "end_session": "end"}
    return {
        "issuer": issuer,
        **{f"{name}_endpoint": f"{issuer}/{path}" for name, path in paths.items()},
        "jwks_uri": f"{issuer}/jwks",
        "id_token_signing_alg_values_supported": ["RS256", "none"],
    }


if __name__ == "__main__":
    port = int(sys.argv[1])
    _Handler.issuer = f"http://127.0.0.1:{port}"
    HTTPServer(("127.0.0.1", port), _Handler).serve_forever()
