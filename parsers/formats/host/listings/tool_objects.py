"""Objects of JSON of tools whose text has a reader: the same facts from both. No parser of its own.

    drbdsetup status --json
    {"name": "r0", "role": "Primary", "node-id": 0, "devices": [{"disk-state": "UpToDate"}],
     "connections": [{"name": "yak", "connection-state": "StandAlone", "peer_devices": []}]}

    multipathd show maps json
    {"name": "mpatha", "sysfs": "dm-2", "paths": 2, "path_groups": [{"paths": [
     {"dev": "sdb", "dm_st": "failed", "dev_st": "running", "chk_st": "faulty"}]}]}

    vgs --reportformat json
    {"vg_name": "vgdata", "vg_attr": "wz-pn-", "vg_size": "200.00g"}

    teamdctl team0 state dump
    {"ports": {"ens1f0": {"link": {"duplex": "full", "speed": 10000, "up": true}}}}

    nvme list-subsys -o json
    {"Name": "nvme-subsys0", "Paths": [{"Name": "nvme0", "Transport": "tcp", "Address": "...", "State": "live"}]}

    nvme list -o json
    {"DevicePath": "/dev/nvme0n1", "Firmware": "EDB7402Q", "ModelNumber": "SHELF NV3 3.84TB"}

    ceph health detail --format json
    {"checks": {"OSD_DOWN": {"severity": "HEALTH_WARN", "summary": {"message": "1 osds down"}}}}

    ansible -m setup                                       and the grains of Salt
    {"ansible_hostname": "yak", "ansible_kernel": "5.14.0-427.el9.x86_64", "ansible_bios_version": "2.21.2"}

    ip -j addr                                             and ethtool --json, Redfish (``SpeedMbps``, ``MTUSize``)
    {"ifname": "ens2f0", "mtu": 9000, "operstate": "UP", "addr_info": [{"family": "inet", "local": "10.44.0.21"}]}

An object is told by keys that only that tool has; what it is a part of, by those around it, which name themselves
first. Source: drbdsetup(8) of release 9, multipathd(8),
teamdctl(8), recalled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal

from parsers.formats.host.disks.drbd import disk_standing, is_linked, link_standing
from parsers.formats.host.disks.lvm import put_fields
from parsers.formats.host.disks.multipath import NO_PATH, standing_of
from parsers.formats.host.disks.nvme_paths import path_standing
from parsers.formats.host.network.bonding import put_part
from parsers.formats.host.platforms.ceph_health import ceph_level
from parsers.grammars.json_walk import Opened, Scalar
from parsers.records import Setting, Version
from parsers.records.states import (
    Connection,
    DiskPath,
    HealthStanding,
    HealthState,
    Interface,
    LinkStanding,
    StorageState,
)
from parsers.sections.reader import OpenSection

Values = Mapping[str, Scalar]
Sort = Literal["disk", "replication link"]
_ROLES: Final = ("Primary", "Secondary", "Unknown")
_OF_RESOURCE: Final = ("write-ordering", "suspended")
"""Keys of a resource of DRBD beside its name and role, where somebody left out the number of its node."""
_OF_REPLICA: Final = ("disk-state", "peer-disk-state", "connection-state")


def put_tool_object(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    """Put what an object of a known tool says; False where it is of none. ``values``: keys in small letters."""
    if found.is_list:
        return False
    return (
        _drbd(section, found, values, around)
        or _multipath(section, found, values, around)
        or _team(section, found, values, around)
        or _nvme(section, found, values, around)
        or _nvme_disk(section, found, values)
        or _ceph(section, found, values, around)
        or _card(section, found, values, around)
        or _facts(section, found, values, around)
        or put_fields(section, found.line, {key: value for key, value in values.items() if isinstance(value, str)})
    )


def _drbd(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    is_own = _has(values, "role", "name") and (
        "node-id" in values or (values["role"] in _ROLES and any(key in values for key in _OF_RESOURCE))
    )
    resource = values if is_own else _around(around, "role", "name")
    if resource is None or not (is_own or "node-id" in resource or any(key in values for key in _OF_REPLICA)):
        return False
    name, role = str(resource["name"]), str(resource["role"])
    if _has(values, "disk-state"):
        _own_disk(section, found, values, name, role)
    elif _has(values, "peer-disk-state"):
        link = _around(around, "connection-state", "name") or {}
        _peer_disk(section, found, values, name, str(link.get("name") or "a peer"))
    elif _has(values, "connection-state", "name"):
        _link(section, found, values, name, role)
    elif is_own:
        _resource(section, found, values, name, role)
    return True


def _own_disk(section: OpenSection, found: Opened, values: Values, name: str, role: str) -> None:
    disk = str(values["disk-state"])
    standing: HealthStanding = "hint" if values.get("client") is True else disk_standing(disk, "", own=True)
    _put(section, found, "disk", name, f"{disk} here", standing)
    if values.get("quorum") is False:
        lost: HealthStanding = "failed" if role == "Primary" else "degraded"
        _put(section, found, "replication link", name, f"no quorum, {role} here", lost)


def _peer_disk(section: OpenSection, found: Opened, values: Values, name: str, peer: str) -> None:
    disk = str(values["peer-disk-state"])
    if disk != "DUnknown":  # without a connection nobody knows
        state = str(values.get("replication-state") or "")
        _put(section, found, "disk", name, f"{disk} on {peer}", disk_standing(disk, state, own=False))


def _resource(section: OpenSection, found: Opened, values: Values, name: str, role: str) -> None:
    frozen = values.get("suspended") is True
    why = ",".join(key.removeprefix("suspended-") for key in values if key[:10] == "suspended-" and values[key] is True)
    state = f"suspended for {why or 'an unknown reason'}, {role}" if frozen else f"{role} here"
    _put(section, found, "replication link", name, state, "failed" if frozen else "healthy")


def _link(section: OpenSection, found: Opened, values: Values, resource: str, role: str) -> None:
    peer, state = str(values["name"]), str(values["connection-state"])
    if not is_linked(state):
        text = f"{state} with {peer}, {role} here"
        _put(section, found, "replication link", resource, text, link_standing(state, role))
    section.add(
        Connection,
        found.line,
        source="drbd",
        peer=peer,
        link=f"DRBD {resource}",
        state=", ".join((state, str(values.get("peer-role") or ""))).rstrip(", "),
        standing="up" if is_linked(state) else "unknown",
    )


def _put(section: OpenSection, found: Opened, sort: Sort, name: str, state: str, standing: HealthStanding) -> None:
    section.add(
        StorageState, found.line, source="drbd", sort=sort, name=name, of=None, state=state, standing=standing
    )  # fmt: skip


def _multipath(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    if _has(values, "dev", "dm_st", "chk_st"):
        of = _around(around, "sysfs", "name")
        states = " ".join(str(values[key]) for key in ("dm_st", "chk_st", "dev_st") if values.get(key))
        _path(section, found, None if of is None else str(of["name"]), str(values["dev"]), states)
        section.state["has_paths"] = True
        return True
    if _has(values, "sysfs", "dm_st", "uuid", "name"):
        has_paths = section.state.pop("has_paths", False)
        if values.get("paths") == 0 and not has_paths:
            _path(section, found, str(values["name"]), None, NO_PATH)
        return True
    return _has(values, "selector", "dm_st")


def _path(section: OpenSection, found: Opened, of: str | None, device: str | None, state: str) -> None:
    section.add(
        DiskPath,
        found.line,
        source="multipath -ll",
        map=of,
        device=device,
        state=state,
        standing=standing_of(state),
        layer="device-mapper",
    )


def _team(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    """The link of a card of a team: the card is the object around it, and that is one of its ports."""
    if not _has(values, "duplex", "speed", "up") or [one.key for one in around[-2:-1]] != ["ports"]:
        return False
    put_part(section, found.line, around[-1].key, "up" if values["up"] is True else "down")
    return True


def _nvme_disk(section: OpenSection, found: Opened, values: Values) -> bool:
    """A drive of ``nvme list``: its firmware, by its model, which drives of one sort have alike on all nodes."""
    if not _has(values, "devicepath", "firmware", "modelnumber"):
        return False
    model, firmware = (str(values[key]).strip() for key in ("modelnumber", "firmware"))
    section.add(Setting, found.line, scope=model, source="nvme list", name="firmware", value=firmware)
    return True


def _nvme(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    """A controller of NVMe, which is a path to its subsystem; a subsystem is what its paths are."""
    if not _has(values, "name", "transport", "state"):
        return _has(values, "name", "nqn") or _has(values, "hostnqn")
    of = _around(around, "Name", "NQN") or _around(around, "name", "nqn")
    state = str(values["state"])
    section.add(
        DiskPath,
        found.line,
        source="nvme list-subsys",
        map=None if of is None else str(of.get("Name") or of["name"]),
        device=str(values["name"]),
        address=str(values.get("address") or values.get("traddr") or "") or None,
        state=state,
        standing=path_standing(state, str(values.get("anastate") or "")),
    )
    return True


def _ceph(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    """A check of Ceph's health, which is the name of the object, or the level of the whole."""
    level = values.get("severity") or values.get("status") or values.get("overall_status")
    standing = ceph_level(str(level))
    if standing is None:
        return False
    name = found.key if found.key.isupper() else ""
    if not name and section.state.pop("ceph checks", False):
        return True
    section.state["ceph checks"] = bool(name)
    message = str(values.get("message") or "")
    state = ": ".join(filter(None, (str(level), name.replace("_", " ").lower(), message)))
    section.add(HealthState, found.line, source="ceph", component="Ceph", state=state, standing=standing)
    return True


def _card(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    """A card of ``ip -j``, ``ethtool --json`` or Redfish, with what its text shows; and an address or a VLAN of it."""
    of = _around(around, "ifname")
    if of is not None and _has(values, "family", "local"):
        length = values.get("prefixlen")
        mask = f"/{length:.0f}" if isinstance(length, int | float) else ""
        section.add(Interface, found.line, source="ip addr", name=str(of["ifname"]), address=f"{values['local']}{mask}")
        return True
    if of is not None and found.key == "info_data" and _has(values, "protocol", "id"):
        _set(section, found, str(of["ifname"]), "ip link", "VLAN", values["id"])
        return True
    is_redfish = "speedmbps" in values or "currentlinkspeedmbps" in values
    name = values.get("ifname") or (values.get("id") or values.get("name") if is_redfish else None)
    if not isinstance(name, str):
        return False
    for key in ("mtu", "mtusize"):
        _set(section, found, name, "ip link", "mtu", values.get(key))
    for key in ("speed", "speedmbps", "currentlinkspeedmbps"):
        _set(section, found, name, "ethtool", "Speed", values.get(key), "Mb/s")
    if not _has(values, "operstate", "mtu"):
        return _has(values, "speed", "duplex")
    state = str(values["operstate"]).upper()
    standing: LinkStanding = "up" if state == "UP" else "down" if "DOWN" in state else "unknown"
    section.add(Interface, found.line, source="ip link", name=name, state=state, standing=standing)
    return True


_FACTS: Final = {
    "ansible_bios_version": "BIOS version",
    "ansible_bios_date": "BIOS date",
    "ansible_distribution": "distribution",
    "ansible_distribution_version": "release of the distribution",
    "ansible_architecture": "architecture",
    "ansible_product_name": "product",
    "ansible_processor_vcpus": "processors",
    "ansible_processor_threads_per_core": "threads of a core",
    "ansible_swaptotal_mb": "paging space in MB",
    "ansible_service_mgr": "manager of services",
    "ansible_virtualization_role": "role in virtualization",
    "ansible_fips": "FIPS",
    "biosversion": "BIOS version",
    "osfullname": "distribution",
    "osrelease": "release of the distribution",
    "productname": "product",
    "num_cpus": "processors",
}
"""What Ansible and Salt gather of a host, and nodes of a cluster have alike."""
_OWNERS: Final = ("ansible_hostname", "ansible_nodename", "ansible_fqdn", "nodename", "host")
_KERNELS: Final = ("ansible_kernel", "kernelrelease")


def _facts(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    """What a tool gathered of a host: its kernel is a release, the others are settings."""
    kernel = next((str(values[key]) for key in _KERNELS if values.get(key)), "")
    if not kernel and not _has(values, "ansible_bios_version", "ansible_hostname"):
        return found.key == "ansible_selinux" and _mode(section, found, values, around)
    node = next((str(values[key]).partition(".")[0] for key in _OWNERS if values.get(key)), section.node)
    if kernel:
        section.add(Version, found.line, node=node, product="kernel", version=kernel)
    for key, name in _FACTS.items():
        if (value := values.get(key)) is not None:
            shown = f"{value:.0f}" if isinstance(value, float) else str(value)
            section.add(Setting, found.line, node=node, source="ansible facts", name=name, value=shown)
    return True


def _mode(section: OpenSection, found: Opened, values: Values, around: Sequence[Opened]) -> bool:
    """Under the name that the host itself gives it."""
    of = _around(around, "ansible_hostname")
    node = section.node if of is None else str(of["ansible_hostname"])
    mode = values.get("mode") if values.get("status") == "enabled" else "disabled"
    if mode is not None:
        section.add(Setting, found.line, node=node, source="node answer", name="SELinux", value=str(mode).capitalize())
    return True


def _set(section: OpenSection, found: Opened, of: str, source: str, name: str, value: Scalar, unit: str = "") -> None:
    """A setting of a card, where it is a number."""
    if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
        section.add(Setting, found.line, scope=of, source=source, name=name, value=f"{value:.0f}{unit}")
    elif isinstance(value, str) and value[:1].isdigit():
        section.add(Setting, found.line, scope=of, source=source, name=name, value=value)


def _has(values: Values, *keys: str) -> bool:
    return None not in map(values.get, keys)


def _around(around: Sequence[Opened], *keys: str) -> Values | None:
    """The nearest object around with some keys, which stand in front of what it holds."""
    return next((one.values for one in reversed(around) if not one.is_list and _has(one.values, *keys)), None)
