from __future__ import annotations

from django.urls import path

from apps.api import pages, uploads, views, views_found, views_judging, views_knowledge

app_name = "api"

urlpatterns = [
    path("docs/api/", pages.reference, name="reference"),
    path("docs/api/lockscope.py", pages.client, name="client"),
    path("tokens/", pages.tokens, name="tokens"),
    path("tokens/<int:token_id>/revoke/", pages.revoke, name="revoke"),
    path("api/v1/schema/", pages.schema, name="schema"),
    path("api/v1/uploads/", uploads.resumable, name="resumable"),
    path("api/v1/uploads/<slug:name>/", uploads.resumable_one, name="resumable_one"),
    path("api/v1/cases/", views.cases, name="cases"),
    path("api/v1/cases/<slug:key>/", views.one_case, name="case"),
    path("api/v1/cases/<slug:key>/bundles/", views.bundles, name="bundles"),
    path("api/v1/cases/<slug:key>/state/", views.state, name="state"),
    path("api/v1/cases/<slug:key>/live/", views.live_watch, name="live"),
    path("api/v1/cases/<slug:key>/analysis/", views_found.analysis, name="analysis"),
    path("api/v1/cases/<slug:key>/waiters/", views_found.waiters, name="waiters"),
    path("api/v1/cases/<slug:key>/findings/", views_found.findings, name="findings"),
    path("api/v1/cases/<slug:key>/judgements/<slug:judged>/", views_judging.judgements, name="judgements"),
    path("api/v1/cases/<slug:key>/tunings/", views_found.tunings, name="tunings"),
    path("api/v1/cases/<slug:key>/graph/", views_found.graph, name="graph"),
    path("api/v1/cases/<slug:key>/series/", views_found.series, name="series"),
    path("api/v1/cases/<slug:key>/seen-before/", views_found.seen, name="seen_before"),
    path("api/v1/cases/<slug:key>/exports/<slug:kind>/", views_found.export, name="export"),
    path("api/v1/cases/<slug:key>/outcome/", views_knowledge.outcome, name="outcome"),
    path("api/v1/cases/<slug:key>/notes/", views.notes, name="notes"),
    path("api/v1/cases/<slug:key>/links/", views.links, name="links"),
    path("api/v1/cases/<slug:key>/links/<int:link_id>/", views.one_link, name="link"),
    path("api/v1/teams/<slug:slug>/knowledge/", views_knowledge.entries, name="entries"),
    path("api/v1/teams/<slug:slug>/knowledge/pack/", views_knowledge.pack, name="pack"),
    path("api/v1/teams/<slug:slug>/knowledge/<int:entry_id>/", views_knowledge.one_entry, name="entry"),
    path("api/v1/teams/<slug:slug>/knowledge/<int:entry_id>/state/", views_knowledge.entry_state, name="entry_state"),
    path("api/v1/teams/<slug:slug>/knowledge/<int:entry_id>/look/", views_knowledge.entry_look, name="entry_look"),
    path("api/v1/unjudged/", views_knowledge.nobody_judged, name="unjudged"),
    path("api/v1/worth/", views_knowledge.worth, name="worth"),
]
