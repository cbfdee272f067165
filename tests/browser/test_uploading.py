"""Other ways in than one bundle: a transcript, a folder, the same file again."""

from __future__ import annotations

import io
import re
import tarfile
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.moves import becomes_the_case, open_page, send, settled

WAITERS = "".join(
    f"0x7F3C0001A0{n:02X} waiting {20 + n}.250000000 seconds, NSDThread: for I/O completion on disk lund_nsd07\n"
    for n in range(12)
)
TRANSCRIPT = (
    "[root@lund-n3 ~]# date\nMon Mar 15 10:40:00 CET 2027\n[root@lund-n3 ~]# mmfsadm dump waiters\n"
    f"{WAITERS}[root@lund-n3 ~]# exit\n"
)


def new_case(page: Page, title: str, *files: Path) -> str:
    """Uploads, waits until all is read, and gives the address of the case."""
    page.goto("/upload/")
    page.get_by_label("Title of a new case").fill(title)
    send(page, *files)
    settled(page)
    return page.url.removesuffix("upload/")


def test_a_pasted_transcript_is_read_with_the_node_of_its_prompt(page: Page) -> None:
    open_page(page, "/upload/")
    page.get_by_text("Paste a console transcript").click()
    page.get_by_label("Output of commands").fill(TRANSCRIPT)
    page.get_by_role("button", name="Send the transcript").click()
    becomes_the_case(page)
    expect(page.locator("#verdict")).to_contain_text("lund_nsd07")
    settled(page)
    row = page.locator("#reading tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("lund-n3")


def test_a_file_that_is_there_already_is_reported(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "waiters.txt"
    file.write_text(WAITERS)
    case = new_case(page, "Sent twice", file)
    send(page, file)
    expect(page).to_have_url(re.compile("then=case"))
    expect(page.locator(".bundle-state")).to_have_count(2)  # nothing new was read, so the page stays and says why
    expect(page.locator(".bundle-state").last).to_contain_text("Already in this case")
    page.goto(f"{case}files/")
    expect(page.locator(".files-bundle")).to_have_count(2)
    expect(page.get_by_text("1 file", exact=True)).to_be_visible()


def test_a_folder_comes_with_the_paths_of_its_files(page: Page, tmp_path: Path) -> None:
    folder = tmp_path / "collected"
    for name in ("lund-n3", "lund-n4"):
        (folder / name).mkdir(parents=True)
        (folder / name / "waiters.txt").write_text(TRANSCRIPT.replace("lund-n3", name))
    open_page(page, "/upload/")
    page.get_by_label("Title of a new case").fill("A folder of two")
    page.locator("input[data-folder]").set_input_files(folder)
    settled(page)
    paths = page.locator("#reading tbody .mono")
    expect(paths).to_have_count(2)
    expect(paths.filter(has_text="lund-n3/waiters.txt")).to_have_count(1)
    expect(paths.filter(has_text="lund-n4/waiters.txt")).to_have_count(1)


def test_files_can_be_dropped(page: Page) -> None:
    open_page(page, "/upload/")
    transfer = page.evaluate_handle(
        "(text) => { const transfer = new DataTransfer(); transfer.items.add(new File([text], "
        "'dropped.txt')); return transfer; }",
        WAITERS,
    )
    page.dispatch_event("[data-drop]", "drop", {"dataTransfer": transfer})
    settled(page)
    expect(page.locator("#reading tbody")).to_contain_text("dropped.txt")


def test_a_bundle_with_a_bad_member_is_read_beside_it(page: Page, tmp_path: Path) -> None:
    bundle = tmp_path / "mixed.tar.gz"
    with tarfile.open(bundle, "w:gz") as archive:
        for name, content in {
            "waiters.txt": WAITERS.encode(),
            "broken.gz": b"\x1f\x8b\x08\x00 no gzip",
            "<b>photo</b>.jpg": b"\xff\xd8\xff\xe0",
        }.items():
            member = tarfile.TarInfo(f"dump/{name}")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    case = new_case(page, "One <i>bad</i> member", bundle)
    expect(page.locator(".verdict-title")).to_contain_text("lund_nsd07")
    page.goto(f"{case}files/")
    expect(page.get_by_role("heading", name="One <i>bad</i> member")).to_be_visible()
    expect(
        page.locator(".files-bundle, section[aria-label=Problems]").filter(has_text="broken.gz").first
    ).to_be_visible()
