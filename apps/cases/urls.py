from __future__ import annotations

from django.urls import path

from apps.cases.views import actions, audit, files, history, keeping, lists, notes, people, rawlines, retention, shapes, viewer, visits

app_name = "cases"

urlpatterns = [
    path("", lists.case_list, name="list"),
    path("trash/", lists.trash_list, name="trash_list"),
    path("not-understood/", shapes.not_understood, name="not_understood"),
    path("holds/", keeping.holds, name="holds"),
    path("retention/", retention.retention, name="retention"),
    path("retention/proofs/<int:proof_id>/", retention.proof, name="removal_proof"),
    path("cases/<slug:key>/edit/", actions.edit, name="edit"),
    path("cases/<slug:key>/trash/", actions.trash, name="trash"),
    path("cases/<slug:key>/restore/", actions.restore, name="restore"),
    path("cases/<slug:key>/remove/", keeping.remove, name="remove"),
    path("cases/<slug:key>/keeping/", keeping.keeping, name="keeping"),
    path("cases/<slug:key>/archive/", keeping.archive, name="archive"),
    path("cases/<slug:key>/unarchive/", keeping.unarchive, name="unarchive"),
    path("cases/<slug:key>/hold/", keeping.hold, name="hold"),
    path("cases/<slug:key>/release/", keeping.release, name="release"),
    path("cases/<slug:key>/hold/end/", keeping.hold_end, name="hold_end"),
    path("cases/<slug:key>/people/", people.people, name="people"),
    path("cases/<slug:key>/people/add/", people.person_add, name="person_add"),
    path("cases/<slug:key>/people/<int:membership_id>/remove/", people.person_remove, name="person_remove"),
    path("cases/<slug:key>/transfer/", people.transfer, name="transfer"),
    path("cases/<slug:key>/reason/", visits.visit, name="visit"),
    path("cases/<slug:key>/reason/end/", visits.visit_end, name="visit_end"),
    path("cases/<slug:key>/bundles/<int:bundle_id>/remove/", actions.bundle_remove, name="bundle_remove"),
    path("cases/<slug:key>/bundles/<int:bundle_id>/download/", files.bundle_download, name="bundle_download"),
    path("cases/<slug:key>/files/", files.files, name="files"),
    path("cases/<slug:key>/files/<int:artifact_id>/", viewer.file_page, name="file"),
    path("cases/<slug:key>/files/<int:artifact_id>/lines/", viewer.file_lines, name="file_lines"),
    path("cases/<slug:key>/files/<int:artifact_id>/words/", viewer.file_words, name="file_words"),
    path("cases/<slug:key>/files/<int:artifact_id>/raw/", viewer.file_raw, name="file_raw"),
    path("cases/<slug:key>/lines/", rawlines.raw_lines, name="lines"),
    path("cases/<slug:key>/history/", history.history, name="history"),
    path("cases/<slug:key>/history.<slug:kind>", audit.audit_export, name="audit_export"),
    path("audit/", audit.audit, name="audit"),
    path("audit.<slug:kind>", audit.audit_all, name="audit_all"),
    path("cases/<slug:key>/notes/", notes.notes, name="notes"),
    path("cases/<slug:key>/notes/form/", notes.note_form, name="note_form"),
    path("cases/<slug:key>/notes/<int:note_id>/edit/", notes.note_edit, name="note_edit"),
    path("cases/<slug:key>/notes/<int:note_id>/delete/", notes.note_delete, name="note_delete"),
]
