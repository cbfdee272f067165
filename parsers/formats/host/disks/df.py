"""``df``, ``bdf`` and ``df -i`` of every system: how much room file systems have left.

    Filesystem           1K-blocks      Used Available Use% Mounted on                      Linux, Solaris
    /dev/mapper/pond-m   104857600  98000000   6857600  94% /srv/mail
    Filesystem    1024-blocks      Free %Used    Iused %Iused Mounted on                    AIX: space and inodes
    /dev/lv04         8388608    419432   95%    81223    42% /depot
    /dev/vx/dsk/rollsdg/rolls vxfs  2.0T  1.2T  750G  62% /srv/rolls                        a row alone, by grep

Yields ``Room``: the share in use as printed, and what is left. Images and views are full by nature: unknown.
Columns are found by their headings in any language; a row alone has those of ``df``, with ``-i`` of ``df -i``. A name
too long for its column stands on a line of its own. Tolerated: cut rows, ``-`` where nothing is counted. Source: df(1)
of GNU coreutils, Solaris and AIX, bdf(1M); headings of other languages from the translations of coreutils 8 and 9.
"""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple

from parsers.filling import room_standing
from parsers.grammars.cells import Cells, figure
from parsers.output import Output
from parsers.records.states import Room
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Span, Table

_AMOUNT: Final = r"-?\d[\d.,]{0,24}(?:[KMGTPE]i?B?)?$|-$"
_SHARE: Final = r"\d{1,3}(?:[.,]\d)?%$|-$"
_DIRECTORY: Final = r"/"
_TABLE: Final = Table(
    Column(
        "device", "Filesystem", "Dateisystem", "Sys. de fichiers", "Sys. fich.", "S.ficheros", "File system",
        "Sist. Arq.", "Sist.fichs", "Файловая система", "Файл.система", "ファイルシス", "文件系统", "檔案系統",
        "System plików", "System pl.", "Bestandssysteem", "Souborový systém", "Filsystem", cell=r"\S", needed=True,
    ),
    Column("type", "Type", "Typ", "Tipo", "Тип", "タイプ", "类型", cell=r"[A-Za-z][\w.+-]{0,30}$"),
    Column(
        "KiB", "1K-blocks", "1024-blocks", "kbytes", "1K-Blöcke", "1K-blocs", "blocs de 1K", "bloques de 1K",
        "1K-blocchi", "Blocos de 1K", "1K-блоков", "1K-ブロック", "1K-块", "1K-bl", "1K-blokken", "1K-bloky",
        "1K-block", cell=_AMOUNT,
    ),
    Column("half KiB", "512-blocks", "blocks", cell=_AMOUNT),
    Column("MiB", "1M-blocks", "MB blocks", "1048576-blocks", cell=_AMOUNT),
    Column("GiB", "1G-blocks", "GB blocks", cell=_AMOUNT),
    Column(
        "size", "Size", "Größe", "Taille", "Tamaño", "Dim.", "Tam.", "Размер", "サイズ", "容量", "大小", "rozm.",
        "Grootte", "Vel.", "Storlek", cell=_AMOUNT,
    ),
    Column(
        "used", "Used", "Benutzt", "Utilisé", "Util.", "Usados", "Usado", "Usati", "Использовано", "使用", "已用",
        "użyte", "Gebruikt", "Použito", "Använt", cell=_AMOUNT,
    ),
    Column(
        "available", "Available", "Avail", "avail", "Verfügbar", "Verf.", "Disponible", "Dispo", "Disponibles", "Disp",
        "Disp.", "Disponib.", "Dispon.", "Disponível", "Доступно", "Дост", "使用可", "残り", "可用", "dostępne",
        "dost.",
        "Beschikbaar", "Besch.", "Dostupné", "Dost.", "Tillgängligt", "Tillg.", "Free", cell=_AMOUNT,
    ),
    Column(
        "share", "Use%", "Capacity", "%used", "Verw%", "Uti%", "Uso%", "Использовано%", "使用%", "已用%", "%uż.",
        "Geb%", "Anv%", cell=_SHARE,
    ),
    Column("inodes", "Inodes", "I-Nodes", "Inœuds", "Nodos-i", "Inode", "Iノード", "Inod", cell=_AMOUNT),
    Column(
        "iused", "IUsed", "IBenutzt", "IUtil.", "IUtilisé", "NUsados", "IUsati", "IUsado", "I使用",
        "IИспользовано", cell=_AMOUNT,
    ),
    Column("ifree", "IFree", "IFrei", "ILibre", "NLibres", "ILiberi", "ILivre", "I残り", "IСвободно", cell=_AMOUNT),
    Column("ishare", "IUse%", "%iused", "IVerw%", "IUti%", "NUso%", "IUso%", "I使用%", cell=_SHARE),
    Column(
        "mount", "Mounted on", "Mounted", "Eingehängt auf", "Monté sur", "Montado en", "Montato su", "Montado em",
        "Cмонтировано в", "Смонтировано в", "マウント位置", "挂载点", "掛載點", "zamont. na", "Aangekoppeld op",
        "Připojeno do", "Monterat på", cell=_DIRECTORY, needed=True,
    ),
    row=(
        r"/\S{1,250}(?:\s|$)"
        r"|\S{1,250}(?:\s{1,200}[a-z][\w.]{1,20})?(?:\s{1,200}-?[\d.,]{1,24}[KMGTPE]?i?){2,3}\s{1,40}\d{1,3}%"
        r"|(?=[^\n]{0,300}(?<!\S)\d{1,3}%(?:\s|$))(?=(?:[^\n]{0,300}\s)?/)\S"
    ),
    frame=r"total\s|\S{1,250}(?:\s{1,200}0){3}\s{1,40}-\s{1,8}/|\S{1,250}\s{1,40}(?:[a-z]\S{1,20}\s{1,40})?-\s{1,40}-\s",
)  # fmt: skip
_VOLUME: Final = (
    r"/dev/vx/dsk/\S{1,500}(?:\s{1,80}[a-z]\w{1,20})?(?:\s{1,80}\d{1,20}(?:[.,]\d{1,3})?[KMGTPk]?){3}\s{1,80}\d{1,3}%"
)
_LONG: Final = r"[\d.,]{1,24}[KMGTPE]?i?\s{1,40}[\d.,]{1,24}[KMGTPE]?i?\s"
_IMAGES: Final = frozenset(("squashfs", "iso9660", "udf", "erofs", "cramfs", "overlay", "tmpfs", "devtmpfs"))
_IMAGE_DEVICES: Final = ("/dev/loop", "/dev/sr", "/dev/cd", "/devices", "devfs", "/proc")
_SPACE: Final = ("device", "size", "used", "available", "share", "mount")
_INODES: Final = ("device", "inodes", "iused", "ifree", "ishare", "mount")
_TYPED: Final = ("device", "type", "size", "used", "available", "share", "mount")
_LETTERS: Final = "KMGTPE"
_BLOCKS: Final = {"size": 1.0, "KiB": 1.0, "half KiB": 0.5, "MiB": 2.0**10, "GiB": 2.0**20}
"""KiB of a figure without a letter, by the column of the size."""
_OTHER_ROW: Final = re.compile(r"/\S{1,400} \d{1,20} \d")


@parser(
    "df",
    version=4,
    product="",
    claims=rf"(?:{_TABLE.claims}|{_VOLUME})",
    owns=rf"(?:{_TABLE.owns}|{_LONG})",
    commands=("df", "bdf"),
    priority=-2,
)
def df(section: OpenSection, out: Output) -> None:
    """``df``: how full file systems are, in space and in inodes."""
    section.state.setdefault("heading", _heading(section))
    for row in _TABLE.rows(section, out, "no size, used and available"):
        for taken in (_space(row), _inodes(row)):
            if taken is not None:
                _put(section, row, taken)


def _heading(section: OpenSection) -> tuple[Span, ...]:
    """Columns of a row that has no heading above it, by the options of the command."""
    args = section.command.args if section.command is not None else ()
    names = _INODES if "-i" in args else _TYPED if any("T" in one for one in args) else _SPACE
    return tuple(Span(name, 0, 0) for name in names)


def _put(section: OpenSection, row: Cells, taken: Taken) -> None:
    device, mount, kind = row.text("device") or "", row.text("mount") or "", row.text("type")
    if _OTHER_ROW.match(mount):
        mount = device  # cut off, and the next row taken for it
    section.add(
        Room,
        row.line,
        source="df",
        sort=taken.sort,
        name=mount if device.startswith("/") or device in ("", "none", mount) else f"{device} ({mount})",
        share=taken.share,
        left=taken.left_share,
        size=taken.size if taken.sort == "file system" else None,
        state=taken.words,
        standing="unknown" if taken.size == 0 or _is_image(device, mount, kind) else room_standing(taken.share),
    )


def _is_image(device: str, mount: str, kind: str | None) -> bool:
    """What is full by its nature, or repeats what lies below it."""
    return kind in _IMAGES or device in _IMAGES or device.startswith(_IMAGE_DEVICES) or mount.startswith("/snap/")


class Taken(NamedTuple):
    """A share in per cent; amounts in KiB or in inodes."""

    sort: Literal["file system", "inodes of"]
    share: float
    size: float | None
    left: float | None

    @property
    def left_share(self) -> float | None:
        """What users may still take, in per cent."""
        return round(100 * self.left / self.size, 3) if self.size and self.left is not None else None

    @property
    def words(self) -> str:
        """Share and rest in words."""
        unit = " inodes" if self.sort == "inodes of" else " KiB"
        return f"{self.share:g} % full" + (f", {self.left:.0f}{unit} left" if self.left is not None else "")


def _space(row: Cells) -> Taken | None:
    column = next((name for name in _BLOCKS if row.text(name)), "size")
    size, used, available = (_amount(row.text(name), _BLOCKS[column]) for name in (column, "used", "available"))
    if used is None and size is not None and available is not None:
        used = size - available
    share = row.number("share")
    if share is None and size and used is not None:
        share = round(100 * used / size, 1)
    return None if share is None else Taken("file system", share, size, available)


def _inodes(row: Cells) -> Taken | None:
    size, used, available = (_amount(row.text(name), 1.0) for name in ("inodes", "iused", "ifree"))
    share = row.number("ishare")
    if size is None and used == 0 == available:
        size = 0.0  # a map of the automounter
    if available is None and used is not None and share:
        available = used * (100 - share) / share
    return None if share is None else Taken("inodes of", share, size, available)


def _amount(text: str | None, unit: float) -> float | None:
    """A figure of ``df``; with a letter a number of KiB, MiB ..., else one of the unit of its column."""
    if text is None:
        return None
    digits = text.rstrip(_LETTERS + "iBk")
    letter = text[len(digits) : len(digits) + 1].upper()
    number = figure(digits)
    if number is None or number < 0:
        return None
    return number * 2.0 ** (10 * _LETTERS.index(letter)) if letter in _LETTERS and letter else number * unit
