"""Reading the environment. Every setting comes through here, and a bad value stops the start with the
variable's name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import overload

from django.core.exceptions import ImproperlyConfigured

TRUE_WORDS = frozenset({"1", "true", "yes", "on"})
FALSE_WORDS = frozenset({"0", "false", "no", "off"})
BYTE_UNITS = {"": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
BYTES_PATTERN = re.compile(r"([0-9]{1,18}) ?(KiB|MiB|GiB|TiB|)")
MIN_SECRET_CHARS = 32
MIN_SECRET_VARIETY = 8
SAMPLE_WORDS = ("change", "secret", "example", "sample", "insecure", "password", "placeholder")


class BadSetting(ImproperlyConfigured):
    """An environment variable with a value that cannot be used; the value itself is not repeated, it may be a
    secret.
    """

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name} {reason}")
        self.name = name


def env_str(name: str, default: str) -> str:
    """The value without surrounding blanks; empty counts as not set."""
    return os.environ.get(name, "").strip() or default


def env_required(name: str) -> str:
    value = env_str(name, "")
    if not value:
        raise BadSetting(name, "must be set")
    return value


def env_bool(name: str, *, default: bool) -> bool:
    word = env_str(name, "").lower()
    if not word:
        return default
    if word in TRUE_WORDS:
        return True
    if word in FALSE_WORDS:
        return False
    raise BadSetting(name, "must be true or false")


def env_int(name: str, default: int, *, least: int = 0) -> int:
    word = env_str(name, "")
    if not word:
        return default
    try:
        value = int(word)
    except ValueError:
        raise BadSetting(name, "must be a whole number") from None
    if value < least:
        raise BadSetting(name, f"must be {least} or more")
    return value


def env_bytes(name: str, default: int) -> int:
    """A size: plain bytes, or a number with KiB, MiB, GiB or TiB."""
    word = env_str(name, "")
    if not word:
        return default
    match = BYTES_PATTERN.fullmatch(word)
    if match is None or int(match[1]) == 0:
        raise BadSetting(name, "must be a size such as 500 MiB or 20 GiB")
    return int(match[1]) * BYTE_UNITS[match[2]]


def env_list(name: str, default: list[str]) -> list[str]:
    """Values separated by commas; blanks around them are dropped."""
    word = env_str(name, "")
    if not word:
        return default
    values = [value.strip() for value in word.split(",")]
    if not all(values):
        raise BadSetting(name, "has an empty entry between commas")
    return values


def env_choice(name: str, default: str, choices: tuple[str, ...]) -> str:
    value = env_str(name, default)
    if value not in choices:
        raise BadSetting(name, f"must be one of {', '.join(choices)}")
    return value


@overload
def env_path(name: str, default: Path) -> Path: ...
@overload
def env_path(name: str, default: None) -> Path | None: ...
def env_path(name: str, default: Path | None) -> Path | None:
    value = env_str(name, "")
    if not value:
        return default
    path = Path(value)
    if not path.is_absolute():
        raise BadSetting(name, "must be an absolute path")
    return path


def env_secret(name: str) -> str:
    """A secret from the variable, or from the file that NAME_FILE points to (container secrets); empty where neither is
    set.
    """
    file_name = env_str(f"{name}_FILE", "")
    if not file_name:
        return env_str(name, "")
    if env_str(name, ""):
        raise BadSetting(name, f"and {name}_FILE are both set; keep one")
    try:
        return Path(file_name).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        raise BadSetting(f"{name}_FILE", "names a file that cannot be read") from None


def refuse_weak_secret(name: str, value: str) -> None:
    """A signing key that is absent, short, repetitive or copied from a sample stops the start."""
    if not value:
        raise BadSetting(name, "must be set (or its _FILE)")
    if len(value) < MIN_SECRET_CHARS or len(set(value)) < MIN_SECRET_VARIETY:
        raise BadSetting(name, f"must be random and at least {MIN_SECRET_CHARS} characters")
    if any(word in value.lower() for word in SAMPLE_WORDS):
        raise BadSetting(name, "is a sample value; make one of your own")
