"""All addresses. Each app names its own; there is no database administration site."""

from __future__ import annotations

from django.urls import include, path

# BEGIN TEMPORARY while the apps are being written
from pathlib import Path  # noqa: E402

_apps = Path(__file__).resolve().parent.parent / "apps"
urlpatterns = [path("", include("apps.web.urls"))]
for _name, _prefix in (("cases", ""), ("diagnosis", ""), ("ingest", ""), ("accounts", "accounts/"), ("sharing", "s/")):
    if (_apps / _name / "urls.py").exists():
        urlpatterns.append(path(_prefix, include(f"apps.{_name}.urls")))
# END TEMPORARY

handler400 = "apps.web.views.bad_request"
handler403 = "apps.web.views.forbidden"
handler404 = "apps.web.views.not_found"
handler500 = "apps.web.views.server_error"
