"""Mount tables and what decides how a GFS2 mount may be shared: ``/proc/mounts``, ``mount``, ``/etc/fstab``, exports,
``smb.conf``.

::

    /dev/mapper/pond-projects /srv/projects gfs2 rw,noatime,data=ordered 0 0        /proc/mounts, fstab
    /dev/mapper/pond-projects on /srv/projects type gfs2 (rw,relatime)              mount
             /dev/dawn   /dawn   mmfs   Nov 01 02:04   rw,mtime,dev=dawn               mount of AIX
    /srv/projects  10.20.0.0/24(rw,sync,no_root_squash)                              exports, exportfs -v

Yields ``Setting`` with the mount point as scope, for GFS2 only: ``mount device``, ``mount options`` as printed, and one
per option that has a meaning here (``noatime`` with the value ``on``, ``quota`` with its mode). The ``place`` of each
file system with its type: mounted, or to be mounted at the start. Exports become ``nfs
export``, a Samba share ``samba path``, ``clustering`` of Samba ``samba clustering``. Rows of other file systems are
understood and not kept, unless their options say that the kernel shut them or made them read-only.
No times. Source: proc(5), fstab(5), gfs2(5), exports(5), smb.conf(5).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.kernel.mount_options import tell_failed, tell_shared
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_TYPES: Final = (
    r"(?:gfs2?|gpfs|mmfs|ext[234]|xfs|btrfs|tmpfs|proc|sysfs|cgroup2?|devtmpfs|devpts|securityfs|debugfs|configfs"
    r"|tracefs|mqueue|hugetlbfs|pstore|bpf|rootfs|autofs|nfs4?|nfsd|fuse(?:\.\w{1,20})?|fusectl"
    r"|rpc_pipefs|sunrpc|binfmt_misc|selinuxfs|efivarfs|vfat|iso9660|swap|overlay|squashfs|ocfs2"
    r"|ocfs2_dlmfs|cifs|none)"
)
_TABLE: Final = rf"\S{{1,250}} {{1,40}}/?\S{{0,250}} {{1,40}}{_TYPES} {{1,40}}\S{{1,1000}}(?: {{1,40}}\d {{1,40}}\d)?$"
_MOUNT: Final = rf"\S{{1,250}} on /\S{{0,250}} type {_TYPES} \("
_ROW = re.compile(
    rf"(?P<device>\S{{1,250}}) {{1,40}}(?P<dir>/\S{{0,250}}) {{1,40}}(?P<type>{_TYPES}) {{1,40}}"
    r"(?P<options>\S{1,1000})(?: {1,40}\d {1,40}\d)?$"
)
_FOUND = re.compile(
    rf"(?P<dir>/\S{{0,250}}) {{1,40}}(?P<device>(?:/dev/|[\w.-]{{1,120}}:)\S{{1,240}}) {{1,40}}(?P<type>{_TYPES})"
    r" {1,40}(?P<options>r[ow]\b\S{0,1000})$"
)
"""A row of ``findmnt -n``: the mount point first."""
_AIX_TITLE: Final = r"(?:node\s{1,20})?mounted\s{1,20}mounted over\s{1,12}vfs\s{1,20}date"
_AIX_TYPES: Final = r"(?:jfs2?|mmfs|nfs[34]?|procfs|namefs|cdrfs|udfs|autofs|cifs|ahafs|stnfs)"
_AIX_DATE: Final = r"[A-Z][a-z]{2} \d\d \d\d:\d\d"
_AIX_ROW = re.compile(
    rf"(?:(?P<server>[\w.-]{{1,120}})\s{{1,60}})?(?P<device>/\S{{1,250}})\s{{1,60}}(?P<dir>/\S{{0,250}})\s{{1,60}}"
    rf"(?P<type>{_AIX_TYPES})\s{{1,20}}{_AIX_DATE}\s{{0,20}}(?P<options>\S{{0,1000}})$"
)
_AIX: Final = (
    rf"(?:[\w.-]{{1,120}}\s{{1,60}})?/\S{{1,250}}\s{{1,60}}/\S{{0,250}}\s{{1,60}}{_AIX_TYPES}\s{{1,20}}"
    rf"{_AIX_DATE}(?:\s|$)"
)
"""``mount`` of AIX, which names a file server in front."""
_SENTENCE = re.compile(
    rf"(?P<device>\S{{1,250}}) on (?P<dir>/\S{{0,250}}) type (?P<type>{_TYPES}) \((?P<options>[^)]{{0,1000}})\)"
)
_SWAP = re.compile(
    r"(?P<device>\S{1,250})\s{1,40}(?:none|swap)\s{1,40}swap\s{1,40}(?!\S{0,200}noauto)\S{1,200}(?:\s{1,40}\d\s{1,40}\d)?$"
)
"""Space to which a host moves memory, in a table of mounts."""
_GFS: Final = frozenset(("gfs2", "gfs"))
_HELD: Final = frozenset(
    ("gfs", "gfs2", "gpfs", "ext2", "ext3", "ext4", "xfs", "btrfs", "nfs", "nfs4", "ocfs2", "cifs")
)
_BY_HAND: Final = re.compile(r"(?:^|,)(?:noauto|x-systemd\.automount|ro|bind|rbind)(?:,|$)")
"""What a table names and nobody mounts at the start, or not as a file system of its own."""
_SCALE: Final = frozenset(("gpfs", "mmfs"))
_CLAIM: Final = (
    rf"(?:\S{{1,250}} {{1,40}}/\S{{0,250}} {{1,40}}{_TYPES} {{1,40}}[a-z]\S{{0,1000}} {{1,40}}\d {{1,40}}\d$|{_MOUNT}"
    rf"|{_AIX_TITLE}|{_AIX})"
)
OPTIONS: Final = frozenset((
    "noatime", "nodiratime", "relatime", "strictatime", "localflocks", "lockproto", "locktable", "quota",
    "quota_quantum", "statfs_quantum",
    "statfs_percent", "data", "commit", "discard", "nobarrier", "barrier", "hostdata", "acl", "spectator", "rgrplvb",
    "errors", "_netdev",
))  # fmt: skip

_EXPORT_CLAIM: Final = (
    r"/\S{1,250}\s{1,80}[^\s()]{1,200}\((?:ro|rw|sync|async|no_|insecure|secure|root_)[\w,=.@:/-]{0,400}\)"
)
_EXPORT = re.compile(r"(?P<dir>/\S{1,250})\s{1,80}(?P<clients>\S.{0,2000})$")
_SMB_SECTION = re.compile(r"\[(?P<name>[^\]]{1,80})\]$")
_SMB_VALUE = re.compile(r"(?P<key>[A-Za-z][\w :.-]{1,60}?)\s{0,20}=\s{0,20}(?P<value>\S.{0,400})?$")


def _owns(text: str, before: str) -> bool:
    return re.match(rf"(?:{_TABLE}|{_MOUNT}|{_AIX_TITLE}|{_AIX}|-{{6,20}} -|#)", text.strip()) is not None


@parser(
    "mounts",
    version=6,
    product="",
    claims=_CLAIM,
    owns=_owns,
    priority=-2,
    places=r"(?:etc/fstab|proc/(?:self/)?mounts|findmnt)\b",
)
def mounts(section: OpenSection, out: Output) -> None:
    """Mount tables: where GFS2 is mounted, and with which options."""
    where = section.command.text if section.command is not None else section.path
    source = "fstab" if "fstab" in where else "mounts"
    for line in section:
        text = line.text.strip()
        match = _FOUND.match(text) or _ROW.match(text) or _SENTENCE.match(text) or _AIX_ROW.match(text)
        if match is None and source == "fstab" and (swap := _SWAP.match(text)) is not None:
            section.add(Setting, line.number, source=source, name="paging space", value=swap["device"])
        elif match is None:
            out.ignore()
        elif match["type"] in _GFS:
            _add_mount(section, out, line.number, source, match)
        elif match["type"] in _SCALE:
            _add_scale(section, line.number, source, match)
        if match is not None and match["type"] in _HELD:
            _add_place(section, line.number, source, match)
        if match is not None and source == "mounts":
            tell_failed(section, line.number, match["dir"], match["options"], source)
            if match["type"] not in _GFS | _SCALE:
                tell_shared(section, line.number, match["dir"], match["type"], match["options"], source)


def _add_place(section: OpenSection, line: int, source: str, match: re.Match[str]) -> None:
    """Where something is mounted, or is to be at the start of the host."""
    if match["dir"].startswith("/") and (source == "mounts" or _BY_HAND.search(match["options"]) is None):
        section.add(Setting, line, scope=match["dir"], source=source, name="place", value=match["type"])


def _add_mount(section: OpenSection, out: Output, line: int, source: str, match: re.Match[str]) -> None:
    values = {
        "mount device": match["device"],
        "mount options": match["options"].replace(" ", ""),
        "mount type": match["type"],
    }
    for option in match["options"].split(","):
        name, _, value = option.strip().partition("=")
        if name in OPTIONS:
            values[name] = value or "on"
    for name, value in values.items():
        section.add(Setting, line, scope=match["dir"], source=source, name=name, value=value)


def _add_scale(section: OpenSection, line: int, source: str, match: re.Match[str]) -> None:
    """A mount of Storage Scale; a table of what is mounted shows it in service."""
    where = match["dir"]
    section.add(Setting, line, scope=where, source=source, name="file system", value=match["device"])
    section.add(Setting, line, scope=where, source=source, name="options of the mount", value=match["options"])
    if source == "mounts":
        section.add(
            ServiceState,
            line,
            source=source,
            sort="mount",
            group=where,
            on=section.node,
            state="mounted read-only" if "ro" in match["options"].split(",") else "mounted",
            standing="online",
        )


def _is_in_force(section: OpenSection) -> bool:
    """Whether ``exportfs`` printed it, by its prompt or by the name of the file."""
    if section.command is not None:
        return section.command.program == "exportfs"
    return section.path.rpartition("/")[2].startswith("exportfs")


@parser(
    "nfs_exports",
    version=1,
    product="",
    claims=_EXPORT_CLAIM,
    owns=rf"(?:{_EXPORT_CLAIM}|#)",
    commands=("exportfs",),
    priority=-2,
)
def nfs_exports(section: OpenSection, out: Output) -> None:
    """``/etc/exports`` and ``exportfs -v``: directories that are exported by NFS."""
    for line in section:
        match = _EXPORT.match(line.text.strip())
        if match is None or line.text.lstrip().startswith("#"):
            out.ignore()
            continue
        section.add(
            Setting,
            line.number,
            scope=match["dir"],
            source="exports",
            name="nfs export",
            value=match["clients"].strip(),
        )
        if _is_in_force(section):
            section.add(Setting, line.number, scope=match["dir"], source="exportfs", name="exported", value="yes")


@parser(
    "smb_conf",
    version=1,
    product="",
    claims=r"(?:# Global parameters$|Loaded services file OK|\[global\]$)",
    owns=r"(?:\[[^\]]{1,80}\]$|[#;]|[A-Za-z][\w :.-]{1,60}\s{0,20}=|Loaded services|Server role:|Press enter)",
    commands=("testparm",),
    priority=-2,
)
def smb_conf(section: OpenSection, out: Output) -> None:
    """``smb.conf`` and ``testparm -s``: exported paths, and whether Samba is clustered."""
    share = section.state.get("share", "global")
    for line in section:
        text = line.text.strip()
        if named := _SMB_SECTION.match(text):
            share = section.state["share"] = named["name"]
        elif (pair := _SMB_VALUE.match(text)) and pair["value"] and (name := _smb_name(pair["key"], share)):
            section.add(
                Setting,
                line.number,
                scope=pair["value"] if name == "samba path" else None,
                source="smb.conf",
                name=name,
                value=share if name == "samba path" else pair["value"],
            )
        else:
            out.ignore()


def _smb_name(key: str, share: str) -> str | None:
    word = " ".join(key.lower().split())
    return (
        "samba clustering" if word == "clustering" else "samba path" if word == "path" and share != "global" else None
    )
