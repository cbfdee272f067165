"""The one Django process of a start: migrate, collect static files, and after "go" on standard input the samples and
the sign-in link.

One process, because each start of Django costs more than all of its work here. It answers on standard output, a line
each: ``ready`` when web and worker may start, ``link PATH`` at the end. What the commands print goes to standard error.
"""

from __future__ import annotations

import hashlib
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent
SAMPLES_WAIT_S = 60
STAMP = ".collected"


def static_digest(*sources: Path) -> str:
    """Changes when any static file does; names, sizes and times are enough and need no reading."""
    digest = hashlib.sha256()
    for path in _static_inputs(sources):
        stat = path.stat()
        digest.update(f"{path}\0{stat.st_size}\0{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _static_inputs(sources: tuple[Path, ...]) -> Iterator[Path]:
    """requirements.txt counts too: what names and compresses them comes with the packages."""
    yield BASE_DIR / "requirements.txt"
    for source in sources:
        yield from sorted(path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def is_collected(target: Path, *sources: Path) -> bool:
    stamp = target / STAMP
    return stamp.exists() and stamp.read_text(encoding="ascii") == static_digest(*sources)


def collect_static() -> None:
    from django.conf import settings
    from django.core.management import call_command

    target = Path(settings.STATIC_ROOT)
    sources = [Path(folder) for folder in settings.STATICFILES_DIRS]
    if is_collected(target, *sources):
        return
    digest = static_digest(*sources)
    call_command("collectstatic", interactive=False, verbosity=0, clear=True)
    (target / STAMP).write_text(digest, encoding="ascii")


def collect_static_alone() -> None:
    """For the tests, which have no database yet."""
    set_up()
    collect_static()


def set_up() -> None:
    sys.path.insert(0, str(BASE_DIR))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()


def migrate() -> None:
    from django.core.management import call_command

    call_command("migrate", interactive=False, verbosity=0, stdout=sys.stderr)


def sign_in_path() -> str:
    from django.core.management import call_command

    out = io.StringIO()
    call_command("sign_in_link", stdout=out)
    return out.getvalue().strip().splitlines()[-1]


def load_samples() -> None:
    """The first time only; it waits for their verdicts, so that the page that opens has something to show. Without them
    it opens too.
    """
    from django.core.management import CommandError, call_command

    from apps.cases.models import Case

    if Case.objects.exists():  # asked here: the command brings the whole reading of bundles with it
        return
    try:
        call_command("load_samples", wait=SAMPLES_WAIT_S, stdout=sys.stderr)
    except CommandError as error:
        sys.stderr.write(f"{error}\n")


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    from django.core.exceptions import ImproperlyConfigured

    try:
        set_up()
    except ImproperlyConfigured as error:  # a variable with a bad value: its name and why, without forty lines of calls
        sys.stderr.write(f"{error}\n")
        return 1
    migrate()
    collect_static()
    say("ready")
    if sys.stdin.readline().strip() != "go":
        return 0
    path = sign_in_path()  # the first time it makes the account and the team, whose samples are to be loaded
    load_samples()
    say(f"link {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
