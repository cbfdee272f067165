"""Errors of an S3-compatible store as those of a file system: the program knows what to do where a file is not there,
or the storage is away.

A store that takes connections and says nothing would hold each page, and in time all threads, for as long as a client
waits. So the first that waited in vain speaks for those who come after it, for some seconds.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import BotoCoreError, ClientError, ConnectTimeoutError, ReadTimeoutError

MISSING = {"404", "NoSuchKey", "NotFound", "NoSuchUpload", "InvalidPart"}

FULL = {"507", "InsufficientStorage", "QuotaExceeded", "StorageFull", "XMinioStorageFull"}


SILENT_S = 10.0
"""So long nobody asks a store that did not answer."""


class Silence:
    """Until when the store of this process is taken to be silent, on the monotonic clock."""

    until = 0.0


@contextmanager
def errors_of_files(name: str) -> Iterator[None]:
    """OSError where the store is away or refuses, FileNotFoundError where it has no such object."""
    if time.monotonic() < Silence.until:
        raise OSError("the storage is away: it did not answer a moment ago")
    try:
        yield
    except ClientError as error:
        code = str(error.response.get("Error", {}).get("Code", ""))
        if code in MISSING:
            raise FileNotFoundError(name) from error
        if code in FULL:
            raise OSError(errno.ENOSPC, f"the storage refused: {code}") from error
        raise OSError(f"the storage refused: {code}") from error
    except (ConnectTimeoutError, ReadTimeoutError) as error:
        Silence.until = time.monotonic() + SILENT_S
        raise OSError(f"the storage is away: {type(error).__name__}") from error
    except BotoCoreError as error:
        raise OSError(f"the storage is away: {type(error).__name__}") from error
