"""An evidence pack as one ZIP, the same bytes each time, with a manifest that names the SHA-256 of every file."""

import hashlib
import json
import zipfile
from typing import IO

from board.evidence.pack_files import PackFile, pack_files
from dispatch.models import Job

FORMAT = 1
# the first moment that a ZIP knows: the time of making is nobody's evidence
NO_TIME = (1980, 1, 1, 0, 0, 0)
OWNER_ONLY = 0o600 << 16


def write_archive(job: Job, handle: IO[bytes]) -> None:
    """Write all files, `manifest.json` and `SHA256SUMS` (for `sha256sum --check`) to a file opened for writing."""
    listed: list[dict[str, object]] = []
    with zipfile.ZipFile(handle, "w") as archive:
        for file in pack_files(job):
            _write(archive, file)
            listed.append(_entry(file))
        manifest = {
            "format": FORMAT,
            "job": job.provider_job_id,
            "last_event": job.last_event_seq,
            "files": listed,
        }
        text = json.dumps(manifest, ensure_ascii=False, indent=2, sort_keys=True)
        manifest_file = PackFile("manifest.json", text.encode() + b"\n")
        _write(archive, manifest_file)
        sums = "".join(f"{entry['sha256']}  {entry['path']}\n" for entry in [*listed, _entry(manifest_file)])
        _write(archive, PackFile("SHA256SUMS", sums.encode()))


def _entry(file: PackFile) -> dict[str, object]:
    sha256 = hashlib.sha256(file.content).hexdigest()
    return {"path": file.path, "bytes": len(file.content), "sha256": sha256}


def _write(archive: zipfile.ZipFile, file: PackFile) -> None:
    info = zipfile.ZipInfo(file.path, NO_TIME)
    info.external_attr = OWNER_ONLY
    is_picture = file.path.endswith(".jpg")
    info.compress_type = zipfile.ZIP_STORED if is_picture else zipfile.ZIP_DEFLATED
    archive.writestr(info, file.content)
