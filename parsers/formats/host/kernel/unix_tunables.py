"""Parameters of AIX: ``no -a``, ``vmo -a``, ``ioo -a``, ``schedo -a``, and attributes of its devices, ``lsattr -El``.

                      tcp_recvspace = 262144                  maxperm% = 90
    # lsattr -El hdisk4
    queue_depth     64            Queue DEPTH                      True+
    reserve_policy  no_reserve    Reserve Policy                   True
    attribute value description user_settable

Yields ``Setting``: of ``lsattr`` with the device as scope, which its command or the name of its file tells; attributes
whose device nobody tells are everyday. No times. Tolerated: attributes without a value, the headings of ``-H``. Source:
no, vmo, ioo and lsattr of the AIX commands reference, recalled.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Setting
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_TUNABLE: Final = (
    r"(?:arptab_\w{2,12}|bcastping|clean_partial_conns|delayack(?:ports)?|dgd_\w{3,20}|ipforwarding|ipqmaxlen|ipsend\w{4,12}"
    r"|main_if6|nonlocsrcroute|rfc1122addrchk|rfc1323|rfc2414|route_expire|sack|sb_max|sockthresh|somaxconn|thewall"
    r"|tcp_(?:recv|send)space|tcp_(?:nagle_limit|nodelayack|keepidle|keepintvl|keepinit|mssdflt|ndebug|newreno|pmtu_discover)"
    r"|udp_(?:recv|send)space|use_isno|use_sndbufpool|(?:min|max)(?:perm|client)%|lru_file_repage|lru_poll_interval"
    r"|maxfree|minfree|maxpin%|lgpg_(?:regions|size)|maxpgahead|minpgahead|pv_min_pbuf|sync_release_ilock"
    r"|j2_(?:\w{4,40})|numfsbufs|lvm_bufcnt|maxrandwrt|numclust|vpm_\w{4,30}|sched_[DR]|pacefork|timeslice)"
)
_DEVICE: Final = re.compile(
    r"(?<![A-Za-z0-9])((?:hdisk(?:power)?|fscsi|fcs|vscsi|iscsi|ent?|sys|rmt|inet)\d{1,5})(?!\d)"
)


def _parameter(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="no", name=match["name"], value=match["value"].strip())


_PARAMETERS: Final = Rows(
    Row("known parameter", rf"(?P<name>{_TUNABLE}) {{0,4}}= {{0,4}}(?P<value>\S.{{0,60}})$", _parameter),
    Row(
        "parameter",
        r"(?P<name>[a-z][a-zA-Z0-9_]{1,40}%?) {0,4}= {0,4}(?P<value>\S.{0,60})$",
        _parameter,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser(
    "unix_tunables",
    version=1,
    product="",
    rows=_PARAMETERS,
    commands=("vmo", "ioo", "schedo"),  # no ``no``: an answer would be a command then
    places=r"(?:^|[/ _])no[ _]-?a\b",
)
def unix_tunables(section: OpenSection, out: Output) -> None:
    """``no -a`` and its like: a parameter a line."""
    _PARAMETERS.read(section, out, "no parameter of AIX")


def _attribute(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    where = section.command.text if section.command is not None else section.path
    device = _DEVICE.search(where)
    if device is not None and match["value"]:
        name, value = match["name"], match["value"].strip()
        section.add(Setting, line.number, scope=device[1], source="lsattr", name=name, value=value)


_NAMES: Final = (
    r"PCM|PR_key_value|algorithm|clr_q|dist_err_pcnt|dist_tw_width|hcheck_cmd|hcheck_interval|hcheck_mode|location|lun_id"
    r"|lun_reset_spt|max_coalesce|max_retry_delay|max_transfer|node_name|pvid|q_err|q_type|qfull_dly|queue_depth"
    r"|reassign_to|reserve_policy|reserve_lock|rw_timeout|scsi_id|start_timeout|timeout_policy|unique_id|ww_name|attach|dyntrk"
    r"|fc_err_recov|sw_fc_class|num_cmd_elems|max_xfer_size|lg_term_dma|init_link|pref_alpa|jumbo_frames|flow_ctrl|large_send"
    r"|large_receive|chksum_offload|media_speed|netaddr|netmask|mtu_bypass|mtu|tcp_nodelay|rfc1323|alt_addr|intr_priority"
)
_ATTRIBUTES: Final = Rows(
    heading("headings", r"attribute\s{1,40}value\s{1,60}description\s{1,40}user_settable"),
    Row(
        "attribute",
        rf"(?P<name>{_NAMES})\s{{1,40}}(?P<value>\S.{{0,80}}?)??\s{{1,80}}[A-Z(][^\n]{{2,80}}?\s{{1,60}}(?:True\+?|False)$",
        _attribute,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "other attribute",
        r"(?P<name>[A-Za-z][\w-]{1,30})\s{1,40}(?P<value>\S{1,80})?\s{1,80}[A-Z(][^\n]{2,80}?\s{1,60}(?:True\+?|False)$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


@parser("device_attributes", version=1, product="storage", rows=_ATTRIBUTES, commands=("lsattr",))
def device_attributes(section: OpenSection, out: Output) -> None:
    """``lsattr -El``: the attributes of one device."""
    _ATTRIBUTES.read(section, out, "no attribute of a device")
