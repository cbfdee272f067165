"""Files of cases in an S3-compatible store: read in ranges as they are needed, errors as those of a file system.

Only here and in the two modules beside it does anything know of S3; the rest of the program asks
``apps/cases/storage.py``.
"""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import datetime
from threading import Lock
from typing import Any

from botocore.config import Config
from storages.backends.s3 import S3Storage

from apps.cases.storage.s3_errors import errors_of_files
from apps.cases.storage.s3_parts import Parts

RANGE_BYTES = 1 << 20
PATIENCE_S = 900


class RangedFile(io.RawIOBase):
    """A stored file of which only what is read is fetched."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int) -> None:
        self._fetch = fetch
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def readinto(self, buffer: Any, /) -> int:
        count = min(len(buffer), self._size - self._at)
        if count <= 0:
            return 0
        data = self._fetch(self._at, count)
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class CaseStorage(S3Storage):  # type: ignore[misc]  # django-storages has no types
    """Names are made by us and never taken twice; nothing is served from the store's own address.

    Its client is made once for all threads, who may share it: making one takes a good part of a second.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self._making = Lock()
        self._session: Any = None
        self._shared: Any = None
        self._patient: Any = None

    @property
    def connection(self) -> Any:
        with self._making:
            if self._shared is None:
                self._shared = super().connection
        return self._shared

    def _create_session(self) -> Any:
        if self._session is None:
            self._session = super()._create_session()
        return self._session

    def _open(self, name: str, mode: str = "rb") -> Any:
        if mode != "rb":
            raise ValueError("stored files are never changed")
        return io.BufferedReader(
            RangedFile(lambda at, count: self._range(name, at, count), self.size(name)), RANGE_BYTES
        )

    def _range(self, name: str, at: int, count: int) -> bytes:
        with errors_of_files(name):
            found = self.bucket.Object(self._normalize_name(name)).get(Range=f"bytes={at}-{at + count - 1}")
            data: bytes = found["Body"].read()
        return data

    def open(self, name: str, mode: str = "rb") -> Any:
        """Without Django's wrapper, which hides where a file stands."""
        return self._open(name, mode)

    def _save(self, name: str, content: Any) -> str:
        with errors_of_files(name):
            return str(super()._save(name, content))

    def delete(self, name: str) -> None:
        with errors_of_files(name):
            super().delete(name)

    def exists(self, name: str) -> bool:
        with errors_of_files(name):
            return bool(super().exists(name))

    def size(self, name: str) -> int:
        with errors_of_files(name):
            return int(super().size(name))

    def listdir(self, path: str) -> tuple[list[str], list[str]]:
        with errors_of_files(path):
            folders, files = super().listdir(path)
        return list(folders), list(files)

    def get_modified_time(self, name: str) -> datetime:
        with errors_of_files(name):
            moment: datetime = super().get_modified_time(name)
        return moment

    def delete_prefix(self, prefix: str) -> None:
        """A thousand at once, which deleting one by one would take an hour for."""
        with errors_of_files(prefix):
            self.bucket.objects.filter(Prefix=self._normalize_name(prefix).rstrip("/") + "/").delete()

    @property
    def parts(self) -> Parts:
        """For a file that comes in pieces."""
        return Parts(self)

    def patient_client(self) -> Any:
        """One that waits long for an answer, and asks once."""
        config = self.client_config.merge(Config(read_timeout=PATIENCE_S, retries={"total_max_attempts": 1}))
        place = {
            "region_name": self.region_name,
            "endpoint_url": self.endpoint_url,
            "use_ssl": self.use_ssl,
            "verify": self.verify,
        }
        with self._making:
            if self._patient is None:
                self._patient = self._create_session().client("s3", config=config, **place)
        return self._patient
