"""The evidence bucket: as django-storages has it, and with addresses to which a phone may put one photo itself."""

import base64
from typing import Any

from botocore.exceptions import ClientError
from storages.backends.s3 import S3Storage

# what comes is looked at before it is anything
UNTOLD = "application/octet-stream"


class Bucket(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """`takes_puts`: phones reach the bucket, and its CORS rules let our pages put (docs/operating.md)."""

    def get_default_settings(self) -> dict[str, Any]:
        return {**super().get_default_settings(), "takes_puts": False}

    def signed_put(self, name: str, *, size: int, sha256: str, seconds: int) -> tuple[str, dict[str, str]]:
        """Address and headers for a PUT of exactly these bytes; a browser adds the length by itself."""
        checksum = base64.b64encode(bytes.fromhex(sha256)).decode()
        wanted = {"ContentType": UNTOLD, "ContentLength": size, "ChecksumSHA256": checksum}
        url = self.connection.meta.client.generate_presigned_url(
            "put_object", Params={"Bucket": self.bucket_name, "Key": name, **wanted}, ExpiresIn=seconds
        )
        return url, {"content-type": UNTOLD, "x-amz-checksum-sha256": checksum}

    def size_there(self, name: str) -> int | None:
        """How large the object is; None when there is none."""
        try:
            head = self.connection.meta.client.head_object(Bucket=self.bucket_name, Key=name)
        except ClientError as problem:
            if problem.response["ResponseMetadata"]["HTTPStatusCode"] == 404:
                return None
            raise
        return int(head["ContentLength"])
