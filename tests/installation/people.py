"""The people of an installation, through nginx and TLS as their browsers: link, second factor, an engineer."""

import re
import subprocess
from base64 import b32decode
from dataclasses import dataclass

import urllib3
from django_otp.oath import totp

from demo.rehearsal.app_client import HttpSession, SessionResponse, UnexpectedAnswer
from tests.installation.names import HOST, SELLER

PASSWORD = "correct-horse-battery"
LINK = re.compile(rf"https://{HOST}(/start/[\w-]+/)")
KEY = re.compile(r'id="key">([A-Z2-7 ]+)<')
# as a supervisor enters it under People
HIRE = f"""
from datetime import time
from engineers import staff
from engineers.models import Area
area = Area.objects.create(name="Leeds", postcodes="LS")
staff.hire_engineer(username="aled", password="{PASSWORD}", name="Aled Hughes", staff_number="LS001",
    phone="07700 900101", home=staff.Position(latitude=53.829, longitude=-1.5405),
    shifts=[staff.ShiftPattern(tuple(range(7)), time(7), time(20))], areas=[area])
"""


@dataclass
class SecureSession(HttpSession):
    """A browser at https://: other cookie names than a demo's, and forms say where they come from."""

    def fetch(
        self, method: str, path: str, *, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> SessionResponse:
        token = {
            "X-CSRFToken": self.cookies.get("__Host-csrf", ""),
            "Origin": self.base,
            "Referer": self.base,
        }
        return super().fetch(method, path, body=body, headers={**token, **(headers or {})})


def browser() -> SecureSession:
    pool = urllib3.PoolManager(retries=False, ca_certs=f"{SELLER}/ca.pem")
    return SecureSession(f"https://{HOST}", pool=pool)


def supervisor_signs_in(printed: str) -> SecureSession:
    """By the link that install.sh printed: a password, then an authenticator."""
    found = LINK.search(printed)
    assert found, "install.sh printed no link for the first supervisor"
    session = browser()
    session.get(found.group(1))
    answer = _submit(session, found.group(1), new_password1=PASSWORD, new_password2=PASSWORD)
    assert any("/second-factor/" in value for value in answer.headers.values()), answer.headers
    key = KEY.search(session.get("/second-factor/").text)
    assert key, "no key of an authenticator is shown"
    code = totp(b32decode(key.group(1).replace(" ", "")))
    _submit(session, "/second-factor/", code=f"{code:06}", next="/board/")
    assert session.get("/board/").status == 200
    return session


def engineer_signs_in() -> SecureSession:
    subprocess.run(["fibre-dispatch", "shell", "-c", HIRE], check=True)
    session = browser()
    session.sign_in(username="aled", password=PASSWORD)
    return session


def _submit(session: SecureSession, path: str, **fields: str) -> SessionResponse:
    fields["csrfmiddlewaretoken"] = session.cookies["__Host-csrf"]
    answer = session.submit(path, fields)
    if answer.status not in {200, 302}:
        raise UnexpectedAnswer("POST", path, answer.status, answer.text)
    return answer
