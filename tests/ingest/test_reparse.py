"""Reading stored texts again: by the command, by the buttons of an owner, and with the parsers' stamps shown."""

from __future__ import annotations

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from apps.audit.models import AuditEvent
from apps.cases.models import Artifact, Bundle, Case, SkippedShape
from apps.diagnosis.engine import analysis
from apps.ingest.reading import artifacts
from apps.ingest.reading.outcomes import parser_version
from tests.builders import People
from tests.ingest.material import bundle, send, tar, waiters
from tests.shown import shown

pytestmark = pytest.mark.usefixtures("inline")


@pytest.fixture
def case(client: Client, staff: People) -> Case:
    """Three nodes, read by the present parsers, with a file that is partly understood."""
    client.force_login(staff.alice)
    send(client, bundle(), team="lund-storage")
    case = Case.objects.get()
    send(
        client,
        tar({"oulu-n4/odd.txt": waiters("oulu-n4") + b"gulp 12 of 30 rows\ngulp 13 of 30 rows\nsip = 4\n"}),
        "odd.tgz",
        to=case,
    )
    return case


def output_of(*arguments: str) -> list[str]:
    out = io.StringIO()
    call_command("reparse", *arguments, stdout=out)
    return out.getvalue().splitlines()


def generations() -> list[int]:
    return list(Artifact.objects.order_by("pk").values_list("facts_generation", flat=True))


class TestShapes:
    def test_reading_keeps_the_shapes_of_what_it_did_not_understand(self, case: Case) -> None:
        rows = list(
            SkippedShape.objects.order_by("-lines").values_list("shape", "lines", "first_line", "artifact__path")
        )
        assert rows == [
            ("gulp # of # rows", 2, 26, "odd.tgz!oulu-n4/odd.txt"),
            ("sip = #", 1, 28, "odd.tgz!oulu-n4/odd.txt"),
        ]

    def test_they_are_replaced_when_the_file_is_read_anew(self, case: Case) -> None:
        output_of("--case", case.key)
        assert SkippedShape.objects.count() == 2


class TestTheCommand:
    def test_a_case_is_read_anew_and_diagnosed(self, case: Case) -> None:
        before = case.current_diagnosis_id
        now = parser_version()
        assert output_of("--case", case.key) == [
            f"{case.key}: 4 files read by version {now} (as now)",
            f"4 files queued, to be read by version {now}",
        ]
        assert generations() == [2, 2, 2, 2]
        case.refresh_from_db()
        assert case.current_diagnosis_id != before
        assert set(Artifact.objects.values_list("state", flat=True)) == {"parsed", "partly"}

    def test_one_file(self, case: Case) -> None:
        chosen = Artifact.objects.order_by("pk")[1]
        output_of("--artifact", str(chosen.pk))
        assert generations() == [1, 2, 1, 1]

    def test_only_what_other_versions_have_read(self, case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
        assert output_of("--all", "--changed")[-1].startswith("0 files queued")
        Artifact.objects.filter(path__contains="oulu-n2").update(parser_version="1.1")
        found = output_of("--all", "--changed")
        assert found[0] == f"{case.key}: 1 file read by version 1.1 (now {parser_version()})"
        assert generations() == [1, 2, 1, 1]
        assert set(Artifact.objects.values_list("parser_version", flat=True)) == {parser_version()}

    def test_everything(self, case: Case, client: Client, staff: People) -> None:
        send(client, waiters("other-n1"), "more.txt", team="lund-storage")
        assert output_of("--all")[-1].startswith("5 files queued")

    def test_a_dry_run_queues_nothing(self, case: Case) -> None:
        assert output_of("--all", "--dry-run") == [f"{case.key}: 4 files read by version {parser_version()} (as now)"]
        assert generations() == [1, 1, 1, 1]

    def test_bundles_are_walked_again_for_members_that_could_not_be_opened(self, case: Case) -> None:
        Artifact.objects.filter(path__contains="oulu-n3").delete()  # as if its archive had not been opened before
        assert output_of("--case", case.key, "--unpack")[-1] == "2 bundles queued to be unpacked again"
        assert Artifact.objects.filter(path__contains="oulu-n3", state="parsed").count() == 1
        assert Artifact.objects.count() == 4
        assert set(Bundle.objects.values_list("state", flat=True)) == {"expanded"}

    @pytest.mark.parametrize("arguments", [("--case", "CS-0"), ("--artifact", "0")])
    def test_what_is_not_there_is_reported(self, db: None, arguments: tuple[str, str]) -> None:
        with pytest.raises(CommandError, match="there is no"):
            call_command("reparse", *arguments)

    def test_one_of_the_three_must_be_chosen(self, db: None) -> None:
        with pytest.raises(CommandError):
            call_command("reparse")


class TestTheButtons:
    def test_an_owner_has_one_file_read_anew(self, case: Case, client: Client) -> None:
        artifact = Artifact.objects.order_by("pk")[0]
        page = shown(client.get(reverse("cases:file", args=[case.key, artifact.pk])))
        url = reverse("ingest:reparse_file", args=[case.key, artifact.pk])
        assert f'action="{url}"' in page
        assert parser_version() in page
        assert client.post(url).status_code == 302
        assert generations() == [2, 1, 1, 1]
        assert AuditEvent.objects.filter(verb="file.reparsed").count() == 1

    def test_an_owner_has_a_case_read_anew(self, case: Case, client: Client) -> None:
        page = shown(client.get(reverse("cases:files", args=[case.key])))
        url = reverse("ingest:reparse_case", args=[case.key])
        assert f'action="{url}"' in page
        assert f"by parser version {parser_version()}" in page
        assert client.post(url).status_code == 302
        assert generations() == [2, 2, 2, 2]

    def test_an_editor_is_not_offered_it(self, case: Case, client: Client, staff: People) -> None:
        client.force_login(staff.bob)
        assert "reparse" not in shown(client.get(reverse("cases:files", args=[case.key])))
        assert client.post(reverse("ingest:reparse_case", args=[case.key])).status_code == 403
        assert generations() == [1, 1, 1, 1]

    def test_a_file_that_is_being_read_is_left_alone(self, case: Case, client: Client) -> None:
        artifact = Artifact.objects.order_by("pk")[0]
        Artifact.objects.filter(pk=artifact.pk).update(state="reading")
        assert client.post(reverse("ingest:reparse_file", args=[case.key, artifact.pk])).status_code == 409

    def test_what_was_read_stays_until_the_new_reading_is_there(
        self, case: Case, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A parser that fails now leaves the file failed, and nothing of an older reading is mixed in."""
        seen: list[str] = []
        read = analysis.read_blocks

        def watched(*args: object, **kwargs: object) -> object:
            seen.extend(Artifact.objects.filter(state="reading").values_list("facts", flat=True))
            return read(*args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(artifacts, "read_blocks", watched)
        output_of("--artifact", str(Artifact.objects.order_by("pk")[0].pk))
        assert len(seen) == 1
        assert seen[0]
