"""All addresses. Each app names its own; there is no database administration site."""

from __future__ import annotations

from django.urls import include, path, re_path

from apps.api.problems import not_found

urlpatterns = [
    path("", include("apps.web.urls")),
    path("", include("apps.cases.urls")),
    path("", include("apps.diagnosis.urls")),
    path("", include("apps.diagnosis.learning_urls")),
    path("", include("apps.recurrence.urls")),
    path("", include("apps.ingest.urls")),
    path("accounts/", include("apps.accounts.urls")),
    path("accounts/", include("apps.accounts.allauth_urls")),
    path("teams/", include("apps.accounts.team_urls")),
    path("teams/", include("apps.webhooks.urls")),
    path("", include("apps.notices.urls")),
    path("", include("apps.sharing.urls")),
    path("", include("apps.operations.urls")),
    path("", include("apps.api.urls")),
    re_path(r"^api/", not_found, name="api_not_found"),
]

handler400 = "apps.api.problems.bad_request"
handler403 = "apps.web.views.forbidden"
handler404 = "apps.web.views.not_found"
handler429 = "apps.web.errors.locked_out"
handler500 = "apps.web.views.server_error"
