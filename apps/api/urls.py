from __future__ import annotations

from django.urls import path

from apps.api import pages, views

app_name = "api"

urlpatterns = [
    path("tokens/", pages.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", pages.revoke, name="revoke"),
    path("api/v1/cases/", views.cases, name="cases"),
    path("api/v1/cases/<str:key>/", views.one_case, name="case"),
    path("api/v1/cases/<str:key>/bundles/", views.bundles, name="bundles"),
    path("api/v1/cases/<str:key>/state/", views.state, name="state"),
    path("api/v1/cases/<str:key>/analysis/", views.analysis, name="analysis"),
    path("api/v1/cases/<str:key>/waiters/", views.waiters, name="waiters"),
    path("api/v1/cases/<str:key>/notes/", views.notes, name="notes"),
    path("api/v1/cases/<str:key>/links/", views.links, name="links"),
    path("api/v1/cases/<str:key>/links/<int:link_id>/", views.one_link, name="link"),
]
