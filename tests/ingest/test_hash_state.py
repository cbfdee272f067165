"""SHA-256 that is gone on with by another process: the same as in one go, whatever came before."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.cases import storage
from apps.ingest import checks
from apps.ingest.uploads import hash_state
from apps.ingest.uploads.hash_state import STATE_BYTES, Sha256


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.binary(max_size=300), max_size=6))
def test_pieces_hash_as_the_whole(pieces: list[bytes]) -> None:
    state = b""
    for piece in pieces:
        digest = Sha256(state)
        digest.update(piece)
        state = digest.state()
    assert Sha256(state).hexdigest() == hashlib.sha256(b"".join(pieces)).hexdigest()


def test_a_copy_goes_its_own_way_and_a_digest_changes_nothing() -> None:
    first = Sha256()
    first.update(b"oulu")
    other = first.copy()
    other.update(b" and lund")
    assert first.hexdigest() == first.hexdigest() == hashlib.sha256(b"oulu").hexdigest()
    assert other.hexdigest() == hashlib.sha256(b"oulu and lund").hexdigest()


def test_another_process_goes_on() -> None:
    digest = Sha256()
    digest.update(b"x" * 100)
    words = """import sys
from apps.ingest.uploads.hash_state import Sha256
digest = Sha256(bytes.fromhex(sys.argv[1]))
digest.update(b"y")
print(digest.hexdigest())"""
    found = subprocess.run([sys.executable, "-c", words, digest.state().hex()], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == hashlib.sha256(b"x" * 100 + b"y").hexdigest()


@pytest.mark.parametrize("state", [b"short", b"\xff" * STATE_BYTES, bytes(STATE_BYTES), bytes(STATE_BYTES + 1)], ids=len)
def test_what_is_no_state_is_refused(state: bytes) -> None:
    with pytest.raises(ValueError, match="not a state"):
        Sha256(state)


def test_a_python_that_cannot_do_it_is_refused_only_where_it_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_state, "is_available", lambda: False)
    assert checks.uploads_can_go_on() == []
    monkeypatch.setattr(storage, "parts", lambda: object())
    assert [found.id for found in checks.uploads_can_go_on()] == ["ingest.E001"]
