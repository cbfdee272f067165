"""Addresses of the diagnosis pages."""

from __future__ import annotations

from django.urls import path

from apps.diagnosis.pages.compare import views as views_compare
from apps.diagnosis.pages.export import table_views as views_tables
from apps.diagnosis.pages.export import views as views_export
from apps.diagnosis.pages.graph import views as views_graph
from apps.diagnosis.pages.judging import closing_views as views_closing
from apps.diagnosis.pages.judging import views as views_judging
from apps.diagnosis.pages.live import views as views_live
from apps.diagnosis.pages.locks import views as views_locks
from apps.diagnosis.pages.search import views as views_search
from apps.diagnosis.pages.settings import views as views_settings
from apps.diagnosis.pages.timeline import views as views_timeline

app_name = "diagnosis"
urlpatterns = [
    path("cases/<slug:key>/", views_timeline.timeline_page, name="timeline"),
    path("cases/<slug:key>/timeline.json", views_timeline.timeline_json, name="timeline_json"),
    path("cases/<slug:key>/evidence/", views_timeline.evidence, name="evidence"),
    path("cases/<slug:key>/state/", views_timeline.state, name="state"),
    path("cases/<slug:key>/live/", views_live.live, name="live"),
    path("cases/<slug:key>/waiters/", views_timeline.waiters_page, name="waiters"),
    path("cases/<slug:key>/waiters.csv", views_timeline.waiters_csv, name="waiters_csv"),
    path("cases/<slug:key>/graph/", views_graph.graph_page, name="graph"),
    path("cases/<slug:key>/judge/", views_judging.judge_page, name="judge"),
    path("cases/<slug:key>/outcome/", views_closing.outcome, name="outcome"),
    path("cases/<slug:key>/locks/", views_locks.locks_page, name="locks"),
    path("cases/<slug:key>/settings/", views_settings.settings_page, name="settings"),
    path("cases/<slug:key>/tables/<slug:name>.csv", views_tables.table_csv, name="table_csv"),
    path("cases/<slug:key>/report/", views_export.report_page, name="report"),
    path("cases/<slug:key>/collect/<slug:product>.sh", views_export.collect_script, name="collect"),
    path("cases/<slug:key>/export.md", views_export.export_markdown, name="export_markdown"),
    path("cases/<slug:key>/export.json", views_export.export_json, name="export_json"),
    path("cases/<slug:key>/export.html", views_export.export_html, name="export_html"),
    path("search/", views_search.search_page, name="search"),
    path("compare/", views_compare.compare_page, name="compare"),
    path("knowledge/worth/", views_closing.worth, name="worth"),
    path("knowledge/", views_search.knowledge_page, name="knowledge"),
]
