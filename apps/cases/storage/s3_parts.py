"""Objects of an S3-compatible store that are put together from parts, which come one after another from whichever
process.

Nothing is to be seen under the name until all parts are joined. All parts but the last have to be of 5 MiB or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import IO, Any, Protocol

from apps.cases.storage.s3_errors import errors_of_files
from parsers.dataclass import dataclass


class Store(Protocol):
    """What an S3-compatible store of django-storages offers."""

    bucket_name: str

    @property
    def connection(self) -> Any:
        """The resource of boto3."""

    def patient_client(self) -> Any:
        """A client that waits long enough for all parts to be joined."""

    def _normalize_name(self, name: str) -> str:
        """The key of an object."""


@dataclass(frozen=True, slots=True)
class Begun:
    """An object that waits for its parts."""

    name: str
    number: str
    at: datetime


class Parts:
    """``number`` is the store's own for one object that was begun. FileNotFoundError where it knows it, or a part, no
    longer.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._client: Any = store.connection.meta.client

    def begin(self, name: str) -> str:
        with errors_of_files(name):
            return str(self._client.create_multipart_upload(**self._place(name))["UploadId"])

    def put(self, name: str, number: str, which: int, part: IO[bytes]) -> str:
        """The first is 1. Gives the store's mark of it, by which it is joined. Put again, it takes the place of the
        former.
        """
        with errors_of_files(name):
            put = self._client.upload_part(**self._place(name), UploadId=number, PartNumber=which, Body=part)
        return str(put["ETag"])

    def join(self, name: str, number: str, marks: Sequence[str]) -> None:
        """Asked once and waited for: some stores copy all bytes meanwhile, for minutes."""
        parts = [{"PartNumber": which, "ETag": mark} for which, mark in enumerate(marks, 1)]
        with errors_of_files(name):
            self._store.patient_client().complete_multipart_upload(
                **self._place(name), UploadId=number, MultipartUpload={"Parts": parts}
            )

    def abandon(self, name: str, number: str) -> None:
        """No error where it is gone already."""
        with suppress(FileNotFoundError), errors_of_files(name):
            self._client.abort_multipart_upload(**self._place(name), UploadId=number)

    def unfinished(self, prefix: str) -> Iterator[Begun]:
        """Those that were begun below a prefix and neither joined nor abandoned."""
        with errors_of_files(prefix):
            pages = self._client.get_paginator("list_multipart_uploads").paginate(
                Bucket=self._store.bucket_name, Prefix=prefix
            )
            for page in pages:
                yield from (
                    Begun(found["Key"], found["UploadId"], found["Initiated"]) for found in page.get("Uploads", ())
                )

    def _place(self, name: str) -> dict[str, str]:
        return {"Bucket": self._store.bucket_name, "Key": self._store._normalize_name(name)}
