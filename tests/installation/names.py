"""What the installation test is called and where it lies, outside and inside the clean root."""

import tomllib

from tools.check_run import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
FOLDER = f"/opt/fibre-dispatch-{VERSION}"
SELLER = "/root/seller"
HOST = "dispatch.example.org"
PARTNER = "jobs.partner.example"
SELLER_PORTS = {"A": 9443, "B": 9444}
ANSWERS = {
    "HOST_NAME": HOST,
    "PARTNER_NAME": PARTNER,
    "SELLER_ENDPOINTS": ",".join(f"https://localhost:{port}" for port in SELLER_PORTS.values()),
    "SELLER_CA": f"{SELLER}/ca.pem",
    "SELLER_ALLOWED_SUBJECTS": "seller",
    "SELLER_ALLOWED_ADDRESSES": "127.0.0.1",
    "OFFICE_PHONE": '"0113 496 0111"',
    "ORDER_DESK_PHONE": '"0113 496 0100"',
    "SUPERVISOR": "dana",
    "SUPERVISOR_NAME": '"Dana Whitfield"',
}
