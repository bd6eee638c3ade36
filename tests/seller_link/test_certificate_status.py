"""A file with the lists of several authorities: each certificate is judged by the lists of its own."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding
from pytest_django import Settings

from seller_link import certificate_expiry, certificate_files
from seller_link.caller_authorization import RejectionCause
from seller_link.certificate_status import find_rejection_cause
from tests.servers.certificates import Authority, Identity


@pytest.fixture
def write_lists(settings: Settings, tmp_path: Path) -> Callable[..., Path]:
    """All in one file, in this order; its path."""

    def write(*lists: str) -> Path:
        path = tmp_path / "revoked.pem"
        path.write_bytes(b"".join(Path(each).read_bytes() for each in lists))
        settings.SELLER_CRL = str(path)
        return path

    return write


def objection(identity: Identity) -> RejectionCause | None:
    certificate = x509.load_pem_x509_certificate(Path(identity.certificate).read_bytes())
    return find_rejection_cause(certificate.public_bytes(Encoding.DER))


@pytest.fixture
def ours(authority: Authority) -> Identity:
    return authority.issue("seller")


@pytest.fixture
def theirs(other_authority: Authority) -> Identity:
    return other_authority.issue("seller")


def test_each_list_of_a_file_counts(
    authority: Authority,
    other_authority: Authority,
    ours: Identity,
    theirs: Identity,
    write_lists: Callable[..., Path],
) -> None:
    write_lists(authority.revoke(), other_authority.revoke(theirs))

    assert [objection(ours), objection(theirs)] == [None, RejectionCause.REVOKED]


def test_list_of_another_authority_that_has_ended_rejects_nobody_else(
    authority: Authority,
    other_authority: Authority,
    ours: Identity,
    theirs: Identity,
    write_lists: Callable[..., Path],
) -> None:
    ended = other_authority.revoke(renewed_in=timedelta(hours=-1))
    for lists in ([authority.revoke(ours), ended], [ended, authority.revoke(ours)]):
        write_lists(*lists)

        assert [objection(ours), objection(theirs)] == [RejectionCause.REVOKED, RejectionCause.NO_CURRENT_CRL]

    assert certificate_expiry.unusable_certificates()[-1:] == [certificate_expiry.CRL_FILE]


def test_newer_list_of_the_same_authority_counts(
    authority: Authority, ours: Identity, write_lists: Callable[..., Path]
) -> None:
    ended = authority.revoke(ours, renewed_in=timedelta(hours=-1))
    write_lists(ended, authority.revoke())

    assert objection(ours) is None
    assert certificate_expiry.CRL_FILE not in certificate_expiry.unusable_certificates()


def test_certificate_whose_authority_has_no_list_is_rejected(
    authority: Authority, theirs: Identity, write_lists: Callable[..., Path]
) -> None:
    write_lists(authority.revoke())

    assert objection(theirs) == RejectionCause.NO_CURRENT_CRL


@pytest.mark.parametrize("spoil", ["A", ""], ids=["wrong", "cut"])
def test_file_with_a_list_that_cannot_be_read_is_named(
    our_certificates: None,
    authority: Authority,
    ours: Identity,
    write_lists: Callable[..., Path],
    spoil: str,
) -> None:
    path = write_lists(authority.revoke())
    text = path.read_text()
    path.write_text(text + (text.replace("-----\nM", "-----\nA", 1) if spoil else text[:60]))

    assert objection(ours) == RejectionCause.NO_CURRENT_CRL
    assert certificate_files.server_problems() == [
        f"SELLER_CRL: {path} is no list of revoked certificates in PEM; fetch it again from the authority"
    ]
