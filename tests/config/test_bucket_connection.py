"""A process has one connection to the bucket, whatever thread asks for it."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from config.bucket_storage import Bucket

THREADS = 4


def test_all_threads_share_one_connection() -> None:
    bucket = Bucket(bucket_name="evidence", access_key="key", secret_key="secret", region_name="us-east-1")
    together = Barrier(THREADS)

    def connect(_number: int) -> int:
        together.wait(30)
        return id(bucket.connection.meta.client)

    with ThreadPoolExecutor(THREADS) as threads:
        assert len(set(threads.map(connect, range(THREADS)))) == 1
