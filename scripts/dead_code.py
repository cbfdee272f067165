"""Names that nothing uses, by vulture: ``python -m scripts.dead_code`` (in ``make lint``) prints them and fails where
there are any.

vulture reads Python only. A name that also stands in a template, a script of the pages, a TOML text or a string is used
there, and names that Django, Celery and other libraries look for are listed in ``GIVEN``. Tests do not count as use.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

from vulture.core import Vulture

ROOT = Path(__file__).resolve().parent.parent
CODE = ("apps", "config", "parsers", "scripts")
OTHERS = (".html", ".js", ".toml", ".txt", ".yml", ".sh")
EXCLUDED = [
    "*/migrations/*", "*/apps.py", "*/config/settings.py", "*/config/gunicorn.py", "*/config/urls.py",
    "*/scripts/load/locustfile.py",
]  # fmt: skip
DECORATED = ["@rule*", "@parser*", "@shared_task*", "@receiver*", "@*.connect*", "@register.*"]
GIVEN = frozenset((
    # django-allauth asks its adapters
    "get_totp_label", "generate_authenticator_name", "has_second_factor", "is_reauthentication_required",
    "respond_user_inactive",
    "get_client_ip", "pre_social_login", "is_auto_signup_allowed", "get_connect_redirect_url",
    # Django REST framework, and its description in OpenAPI
    "page_size_query_param", "get_page_size", "authenticate_header", "TokenScheme", "target_class",
    "get_security_definition",
    "auto_schema", "get_severity", "get_verdict", "get_verdict_form", "get_has_password",
    # Django: forms, middleware, storage, files, querysets, the cache
    "clean_level", "label_from_instance", "process_exception", "process_view", "support_js_module_import_aggregation",
    "temporary_file_path",
    "_result_cache", "_class", "get_session_cookie_age",
    # the standard library: io, html.parser, tarfile
    "readinto", "handle_starttag", "handle_data", "handle_endtag", "gname",
    # values of a choice, reached through all of its values
    "HIGH", "LOW", "IN_WORK", "AGREED",
    # called by tests only: what parsers put out, and the static files before the servers start
    "MemorySink", "collect_static_alone",
))  # fmt: skip


def words_of(root: Path) -> Counter[str]:
    """How often each word stands in the program's own files."""
    run = subprocess.run(["git", "ls-files"], cwd=root, check=True, capture_output=True, text=True)  # noqa: S607 - git
    listed = run.stdout.splitlines()
    inside = (
        name
        for name in listed
        if name.startswith((*CODE, "manage.py", "templates", "static/js", ".ci", "Dockerfile", "docker-compose"))
    )
    texts = (
        (root / name).read_text(encoding="utf-8")
        for name in inside
        if name.endswith((".py", *OTHERS)) and (root / name).exists()
    )
    return Counter(word for text in texts for word in re.findall(r"\w+", text))


def unused(root: Path) -> list[str]:
    vulture = Vulture(ignore_decorators=DECORATED)
    vulture.scavenge([str(root / folder) for folder in CODE], exclude=EXCLUDED)
    words = words_of(root)
    found = (one for one in vulture.get_unused_code(min_confidence=60) if one.typ not in ("import", "unreachable_code"))
    alone = (one for one in found if words[one.name] < 2 and one.name not in GIVEN)
    return [f"{Path(one.filename).relative_to(root)}:{one.first_lineno}: {one.typ} {one.name}" for one in alone]


def main() -> int:
    found = unused(ROOT)
    sys.stdout.writelines(f"{line}\n" for line in found)
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
