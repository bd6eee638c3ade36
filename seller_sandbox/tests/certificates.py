"""Certificates for the tests: ours, theirs, an unknown caller's of the same authority, one of another authority."""

from pathlib import Path

import trustme

NAMES = ("localhost", "127.0.0.1", "::1")


def make_certificates(folder: Path) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(folder / "ca.pem")
    for name in ("seller", "partner", "stranger", "buyer-a", "buyer-b", "buyer-c"):
        _save(authority.issue_cert(*NAMES, common_name=name), folder, name)
    _save(authority.issue_cert(*NAMES, common_name="seller"), folder, "seller-next")
    _save(authority.issue_cert("elsewhere.example", common_name="partner"), folder, "elsewhere")
    _save(trustme.CA().issue_cert(*NAMES, common_name="partner"), folder, "forged")


def _save(leaf: trustme.LeafCert, folder: Path, name: str) -> None:
    leaf.private_key_pem.write_to_path(folder / f"{name}.key")
    leaf.cert_chain_pems[0].write_to_path(folder / f"{name}.pem")
