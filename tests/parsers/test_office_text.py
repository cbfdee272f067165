"""Words of documents of office programs: a line a paragraph, whatever the archive holds beside them."""

from __future__ import annotations

import io
import zipfile
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import pytest

from apps.diagnosis.engine.analysis import analyse, inputs_of
from apps.diagnosis.engine.core.model import Verdict
from apps.diagnosis.engine.report import Clock
from parsers.documents.office_text import is_office, office_words

WORD: Final = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
SHEET: Final = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
OPEN: Final = 'xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0"'
SICK: Final = (
    "Hello, this is what the node shows:",
    "[root@tench4 ~]# gabconfig -a",
    "GAB Port Memberships",
    "===============================================================",
    "Port a gen   51c001 membership 01",
    "Port a gen   51c001    jeopardy ;1",
)
WELL: Final = (*SICK[:4], "Port a gen   51c001 membership 01", "Port h gen   51c003 membership 01")


def _of_word(lines: tuple[str, ...]) -> dict[str, str]:
    rows = "".join(f'<w:p><w:pPr/><w:r><w:t xml:space="preserve">{escape(one)}</w:t></w:r></w:p>' for one in lines)
    styles = f'<?xml version="1.0"?><w:styles {WORD}><w:style><w:name w:val="failed"/></w:style></w:styles>'
    return {
        "word/document.xml": f'<?xml version="1.0"?>\n<w:document {WORD}><w:body>{rows}</w:body></w:document>',
        "word/styles.xml": styles,
    }


def _of_excel(lines: tuple[str, ...]) -> dict[str, str]:
    cells = "".join(f"<si><t>{escape(one)}</t></si>" for one in lines)
    rows = "".join(f'<row r="{at}"><c r="A{at}" t="s"><v>{at}</v></c></row>' for at in range(len(lines)))
    return {
        "xl/sharedStrings.xml": f'<?xml version="1.0"?><sst {SHEET}>{cells}</sst>',
        "xl/worksheets/sheet1.xml": f'<?xml version="1.0"?><worksheet {SHEET}>{rows}</worksheet>',
    }


def _of_writer(lines: tuple[str, ...]) -> dict[str, str]:
    gap = ' <text:s text:c="2"/>'
    rows = "".join(f"<text:p>{escape(one).replace('   ', gap)}</text:p>" for one in lines)
    return {"content.xml": f'<?xml version="1.0"?><office:document-content {OPEN}>{rows}</office:document-content>'}


def _verdict(folder: Path, parts: dict[str, str], name: str) -> Verdict:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(
            "[Content_Types].xml", "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>"
        )
        for path, text in parts.items():
            archive.writestr(path, text)
    (folder / name).write_bytes(held.getvalue())
    with TemporaryDirectory() as workspace:
        verdict = analyse(list(inputs_of([str(folder / name)])), Path(workspace), clock=Clock()).diagnosis.verdict
    assert verdict is not None
    return verdict


@pytest.mark.parametrize("make", [_of_word, _of_excel, _of_writer], ids=["word", "excel", "writer"])
def test_a_session_pasted_into_a_document_is_judged(make: object, tmp_path: Path) -> None:
    assert callable(make)
    assert "jeopardy" in _verdict(tmp_path, make(SICK), "a.docx").title
    assert _verdict(tmp_path, make(WELL), "b.docx").form == "healthy"


def test_cells_of_a_row_stand_on_one_line() -> None:
    cells = "".join(f"<w:tc><w:p><w:r><w:t>{one}</w:t></w:r></w:p></w:tc>" for one in ("eth3", "DOWN"))
    line = "<w:p><w:r><w:t>a &lt;b&gt;</w:t><w:tab/><w:t>c</w:t></w:r></w:p>"
    text = f"<w:document {WORD}>{line}<w:tr>{cells}</w:tr></w:document>".encode()
    assert is_office(text)
    whole = b"".join(office_words(iter([text])))
    assert whole == b"a <b>\tc\neth3  DOWN  \n"
    assert b"".join(office_words(text[at : at + 1] for at in range(len(text)))) == whole


def test_other_xml_is_no_document() -> None:
    assert not is_office(b'<?xml version="1.0"?><cluster name="pond"><clusternodes/></cluster>')
    assert not is_office(b"[root@tench4 ~]# cat http://schemas.openxmlformats.org/")
