"""The development authority, proven by real handshakes."""

import socket
import ssl
import stat
import threading
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from demo.development_ca import DEMO_SUBJECTS, ensure_demo_certificates, issue, make_authority, save

FILES = sorted(f"{name}.{kind}" for name in ("ca", *DEMO_SUBJECTS) for kind in ("key", "pem"))


def server_context(folder: Path, name: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=folder / "ca.pem")
    context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def client_context(folder: Path, name: str, *, trusted: Path | None = None) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=(trusted or folder) / "ca.pem")
    if name:
        context.load_cert_chain(folder / f"{name}.pem", folder / f"{name}.key")
    return context


def common_name(peer: object) -> str:
    assert isinstance(peer, dict)
    return dict(pair for part in peer["subject"] for pair in part)["commonName"]


def shake_hands(server: ssl.SSLContext, client: ssl.SSLContext, *, host: str) -> tuple[str, str]:
    """Whom the server saw and whom the client saw; raises what the client's side raises."""
    seen: list[str] = []
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as listener:
        listener.bind((host if host != "localhost" else "127.0.0.1", 0))
        listener.listen()

        def answer() -> None:
            connection, _ = listener.accept()
            with connection:
                try:
                    with server.wrap_socket(connection, server_side=True) as secure:
                        seen.append(common_name(secure.getpeercert()))
                        secure.sendall(b"!")
                except ssl.SSLError:
                    seen.append("refused")

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            with (
                socket.create_connection(listener.getsockname()[:2]) as raw,
                client.wrap_socket(raw, server_hostname=host) as secure,
            ):
                # with TLS 1.3 a refused client learns of it only when it reads
                if secure.recv(1) != b"!":
                    raise ssl.SSLError("closed")
                return seen[0], common_name(secure.getpeercert())
        finally:
            thread.join()


@pytest.fixture
def certs(tmp_path: Path) -> Path:
    ensure_demo_certificates(tmp_path)
    return tmp_path


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost"])
def test_each_side_sees_the_other_by_name(certs: Path, host: str) -> None:
    seen = shake_hands(server_context(certs, "partner"), client_context(certs, "seller"), host=host)

    assert seen == ("seller", "partner")


def test_client_without_certificate_is_refused(certs: Path) -> None:
    with pytest.raises(ssl.SSLError):
        shake_hands(server_context(certs, "seller"), client_context(certs, ""), host="127.0.0.1")


def test_client_of_another_authority_is_refused(certs: Path, tmp_path: Path) -> None:
    other = tmp_path / "stranger"
    ensure_demo_certificates(other)

    with pytest.raises((ssl.SSLError, ConnectionResetError)):
        shake_hands(
            server_context(certs, "seller"),
            client_context(other, "partner", trusted=certs),
            host="127.0.0.1",
        )


def test_server_of_another_authority_is_refused_by_the_client(certs: Path, tmp_path: Path) -> None:
    other = tmp_path / "stranger"
    ensure_demo_certificates(other)

    with pytest.raises(ssl.SSLCertVerificationError):
        shake_hands(server_context(other, "seller"), client_context(certs, "partner"), host="127.0.0.1")


def test_files_are_for_the_owner_only(certs: Path) -> None:
    assert {path.name: stat.S_IMODE(path.stat().st_mode) for path in certs.iterdir()} == dict.fromkeys(
        FILES, 0o600
    )


def test_keys_are_p256_in_pkcs8(certs: Path) -> None:
    pem = (certs / "partner.key").read_bytes()

    assert pem.splitlines()[0] == b"-----BEGIN PRIVATE KEY-----"
    assert load_pem_private_key(pem, password=None).curve.name == "secp256r1"  # type: ignore[union-attr]


def test_second_start_keeps_the_certificates(certs: Path) -> None:
    before = {path.name: path.read_bytes() for path in certs.iterdir()}

    made = ensure_demo_certificates(certs)

    assert (made, {path.name: path.read_bytes() for path in certs.iterdir()}) == (False, before)


def test_missing_file_renews_all_of_them(certs: Path) -> None:
    before = (certs / "ca.pem").read_bytes()
    (certs / "seller.key").unlink()

    assert ensure_demo_certificates(certs)
    assert sorted(path.name for path in certs.iterdir()) == FILES
    assert (certs / "ca.pem").read_bytes() != before


def test_unreadable_certificate_is_renewed(certs: Path) -> None:
    (certs / "seller.pem").write_text("not a certificate")

    assert ensure_demo_certificates(certs)
    assert shake_hands(
        server_context(certs, "seller"), client_context(certs, "partner"), host="127.0.0.1"
    ) == ("partner", "seller")


@pytest.mark.parametrize(("days", "renewed"), [(6, True), (8, False)])
def test_certificate_is_renewed_a_week_before_it_ends(certs: Path, days: int, *, renewed: bool) -> None:
    authority = make_authority()
    save(certs, "ca", certificate=authority.cert_pem, key=authority.private_key_pem)
    for name in DEMO_SUBJECTS:
        issue(authority, certs, name)
    issue(authority, certs, "seller", valid_for=timedelta(days=days))

    assert ensure_demo_certificates(certs) == renewed


def test_leaf_of_another_authority_is_renewed(certs: Path) -> None:
    issue(make_authority(), certs, "seller")

    assert ensure_demo_certificates(certs)


def test_key_of_another_certificate_is_renewed(certs: Path) -> None:
    (certs / "seller.key").write_bytes((certs / "partner.key").read_bytes())

    assert ensure_demo_certificates(certs)


def test_leaf_cannot_issue_certificates(certs: Path) -> None:
    constraints = {
        name: x509.load_pem_x509_certificate((certs / f"{name}.pem").read_bytes())
        .extensions.get_extension_for_class(x509.BasicConstraints)
        .value
        for name in ("ca", "seller")
    }

    assert (constraints["ca"].ca, constraints["ca"].path_length) == (True, 0)
    assert constraints["seller"].ca is False
