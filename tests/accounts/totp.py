"""What an authenticator app does (RFC 6238): six digits of a key and a time."""

from __future__ import annotations

import base64
import hashlib
import hmac
import time


def code(secret: str, *, at: float | None = None) -> str:
    counter = int((time.time() if at is None else at) // 30)
    digest = hmac.digest(base64.b32decode(secret), counter.to_bytes(8), hashlib.sha1)
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start : start + 4]) & 0x7FFFFFFF) % 1_000_000:06d}"
