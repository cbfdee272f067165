"""What a problem row says: what was not read, and what to do about it."""

from __future__ import annotations

from typing import Final

from parsers.archives.compression import Fault
from parsers.archives.names import plain_text

AGAIN: Final = "Copy it again from where it was made, in binary mode, and compare the sizes."
NO_FILES: Final = "The archive holds no files."
NO_ROOM: Final = "There was no room to hold this zip archive while reading it. Upload it by itself."
NO_HEADER: Final = f"Not read: there is no member at the place that the archive's directory names. {AGAIN}"
NO_END_MARK: Final = f"The archive has no end mark: it may have been cut between two members. {AGAIN}"
NO_DIRECTORY: Final = (
    "The zip archive is cut: its directory, which stands at the end, is not there. What stands before the "
    f"cut was read. {AGAIN}"
)
BAD_DIRECTORY: Final = f"The directory of the archive is damaged: members behind the damage were not read. {AGAIN}"
ENCRYPTED: Final = "Not read: it is encrypted. Unpack the archive with its password and upload the files."
OVERLAP: Final = (
    "Not read: its bytes overlap those of another member or lie outside the archive, as in an archive made to do harm."
)
ODD_FILES: Final = {
    "sparse": "This is a sparse file: its holes are left out of the text.",
    "unknown": "This member is of a sort that tar does not define; it was read as a file.",
    "continued": "This member continues one of another volume of the archive: its beginning is not here.",
}


def fault(found: Fault) -> str:
    """A stream that ended before its end."""
    after = f"after {found.after:,} unpacked bytes"
    if found.kind == "cut":
        return f"The compressed data is cut {after}. What stands before the cut was read. {AGAIN}"
    if found.kind == "damaged":
        return f"The compressed data is damaged {after}. What stands before the damage was read. {AGAIN}"
    if found.kind == "limit":
        return f"Reading stopped {after}: {found.limit}. What stands before was read. Upload the parts one by one."
    return f"Behind the end of the compressed data, {after}, stands something else. It was not read."


def cut_file(there: int, declared: int) -> str:
    return f"This file is cut: {there:,} of its {declared:,} bytes are there and were read. {AGAIN}"


def unsupported(kind: str) -> str:
    return (
        f"Not read: this is {kind} data, which can't be opened here. Unpack it and upload the files, or pack "
        "them as .tar.gz or .zip."
    )


def unsupported_method(method: str) -> str:
    return f"Not read: it is compressed by {method}. Pack it again as an ordinary zip or .tar.gz."


def too_deep(depth: int) -> str:
    return (
        f"Not read: an archive inside {depth} others is not opened. Unpack the outer ones and upload this one "
        "by itself."
    )


def too_many_layers(layers: int) -> str:
    return f"Not read: the data is compressed more than {layers} times over. Unpack it and upload the result."


def too_many_members(most: int) -> str:
    return f"The upload holds more than {most:,} members: those behind this point were not read. Upload it in parts."


def too_long_file(most: int) -> str:
    return (
        f"Only the first {size(most)} of this file were read, which is the limit for one file. Upload the "
        "rest in parts."
    )


def too_large_member(declared: int, *, in_part: bool) -> str:
    done = "Only the first part of it was read" if in_part else "It was not read"
    return (
        f"{done}: its {size(declared)} pass the limit for one file or what is left of the limit for the "
        "upload. Upload it by itself."
    )


def too_large_zip(most: int) -> str:
    return f"Not read: a zip archive inside another is opened up to {size(most)} only. Upload it by itself."


def expanded_limit(most: int) -> str:
    return f"the upload expands to more than {size(most)}, which is its limit"


def stray_bytes(count: int) -> str:
    return f"{count:,} bytes between or behind the members are no part of a tar archive and were stepped over."


def unsafe_name(unsafe: str) -> str:
    return f"The name of this member {unsafe}. It was read and is shown under a safe name."


def not_a_file(kind: str, link: str) -> str:
    target = f" to “{plain_text(link)}”" if link else ""
    return f"Not read: a {kind}{target}. Only regular files are read, and links are never followed."


def more_alike(count: int, sort: str) -> str:
    return f"{count:,} more members have the same problem: {sort}."


def size(count: int) -> str:
    """Bytes for people."""
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}".replace(".0 ", " ")
    return f"{count} bytes"
