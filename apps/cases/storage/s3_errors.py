"""Errors of an S3-compatible store as those of a file system: the program knows what to do where a file is not there,
or the storage is away.
"""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError

MISSING = {"404", "NoSuchKey", "NotFound", "NoSuchUpload", "InvalidPart"}

FULL = {"507", "InsufficientStorage", "QuotaExceeded", "StorageFull", "XMinioStorageFull"}


@contextmanager
def errors_of_files(name: str) -> Iterator[None]:
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in MISSING:
            raise FileNotFoundError(name) from error
        if code in FULL:
            raise OSError(errno.ENOSPC, f"the storage refused: {code}") from error
        raise OSError(f"the storage refused: {code}") from error
    except BotoCoreError as error:
        raise OSError(f"the storage is away: {type(error).__name__}") from error
