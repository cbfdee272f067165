"""Commands that print settings: a node with another value than its like (ST-47, ST-30), and what changed (ST-86)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.words.metrics import catalogue
from parsers.formats.host.listings import command_settings
from parsers.records import Setting
from tests.diagnosis.cluster_texts import by_folder, diagnosis_of

NODES = ("teal1", "teal2", "teal3")
OWN = {
    "teal1": {"number": "KX0000017", "mac": "52:54:00:aa:01:11", "count": "1234", "day": "11"},
    "teal2": {"number": "KX0000391", "mac": "52:54:00:bc:07:12", "count": "9911", "day": "17"},
    "teal3": {"number": "KX0004410", "mac": "52:54:00:0f:31:13", "count": "4702", "day": "23"},
}
"""What each node has for itself."""
BIOS = "BIOS Information\n\tVendor: Greylock Inc.\n\tVersion: {value}\n\tROM Size: 32 MB\n"
COALESCE = "Coalesce parameters for ens1:\nAdaptive RX: {value}  TX: on\nrx-usecs: 50\ntx-usecs: 50\n"
STORCLI = (
    "Controller = 0\nStatus = Success\nDescription = None\n\nProduct Name = Graystone R940-16i\n"
    "Serial Number = {number}\nFW Package Build = {value}\nFW Version = 5.260.00-3821\n"
)
TUNABLES = (
    "Tunable                      Current Value     Default Value   Reboot\n"
    "-------------------------  ---------------  ----------------  -------\n"
    "vol_maxio                          {value}              2048  Y\nvol_stats_enable      1    1  N\n"
)
DEBIAN = (
    "||/ Name             Version                Architecture Description\n"
    "ii  adduser          3.134                  all          add users\n"
    "ii  corosync         {value}        amd64        cluster engine\n"
)
NMCLI = (
    "connection.id:                          bond0\nconnection.timestamp:   17602{count}\n"
    "802-3-ethernet.mac-address: {mac}\nbond.options:      mode=802.3ad,miimon=100,lacp_rate={value}\n"
)
LSBLK = (
    "NAME   ALIGNMENT MIN-IO OPT-IO PHY-SEC LOG-SEC ROTA SCHED       RQ-SIZE   RA WSAME\n"
    "sdb            0   4096  65536    4096     512    1 {value}     256 4096   32M\n"
)
FWMANAGER = (
    "Device #1:\n----------\n\n  Device Type:      ConnectX6\n  Base MAC:         {mac}\n"
    "  Versions:         Current        Available\n     FW             {value}     N/A\n  Status:  Up to date\n"
)
MC_INFO = "Device ID      : 32\nFirmware Revision         : {value}\nDevice Available          : yes\n"
CASES = {
    "ipmitool mc info": (MC_INFO, "6.10", "5.00", "Firmware Revision"),
    "ipmitool fru print 0": ("Board Serial   : {number}\nBoard Part Number : {value}\n", "0K2A03", "0K2A01", "Part"),
    "dmidecode -t bios": (BIOS, "2.21.2", "1.8.4", "Version of BIOS Information"),
    "mlxfwmanager --query": (FWMANAGER, "20.39.1002", "20.31.1014", "FW"),
    "mlxconfig -d mlx5_0 q": ("Device type:  ConnectX6\n  LINK_TYPE_P1     {value}\n", "IB(1)", "ETH(2)", "LINK_TYPE"),
    "hponcfg": ("Firmware Revision = {value} Device type = iLO 5 Driver name = hpilo\n", "2.98", "2.44", "Firmware"),
    "storcli64 /c0 show": (STORCLI, "52.26.0-5179", "52.16.1-4405", "FW Package Build"),
    "lscpu": ("Architecture:      x86_64\nThread(s) per core:     {value}\n", "1", "2", "threads of a core"),
    "cpupower idle-info": ("CPUidle driver: {value}\nUsage: {count}\n", "intel_idle", "acpi_idle", "CPUidle driver"),
    "cat /sys/devices/system/clocksource/clocksource0/current_clocksource": ("{value}\n", "tsc", "hpet", "clock"),
    "modinfo mlx5_core": ("license:   Dual BSD/GPL\nversion:   {value}\n", "24.04-0.6.6", "23.10-1.1.9", "version"),
    "sestatus": ("SELinux status:    enabled\nCurrent mode:      {value}\n", "permissive", "enforcing", "SELinux"),
    "systemctl show corosync": ("MainPID={count}\nLimitMEMLOCK={value}\n", "infinity", "65536", "LimitMEMLOCK"),
    "sysctl -a": ("kernel.pid_max = {value}\nkernel.random.boot_id = {number}\n", "4194304", "32768", "pid_max"),
    "grep Huge /proc/meminfo": ("HugePages_Total:   {value}\nHugePages_Rsvd:        0\n", "8192", "0", "nr_hugepages"),
    "ethtool -c ens1": (COALESCE, "on", "off", "Adaptive RX"),
    "nmcli connection show bond0": (NMCLI, "fast", "slow", "bond.options"),
    "networkctl status ens1": ("  Driver: {value}\n  HW Address: {mac}\n", "ice", "i40e", "Driver"),
    "timedatectl": ("System clock synchronized: yes\n      RTC in local TZ: {value}\n", "no", "yes", "RTC"),
    "tune2fs -l /dev/vg0/local": (
        "Filesystem UUID:  {number}\nErrors behavior:  {value}\n",
        "Panic",
        "Continue",
        "Err",
    ),
    "zfs get all tank/data": (
        "tank/data  used    {count}G   -\ntank/data  recordsize  {value}  local\n",
        "1M",
        "128K",
        "rec",
    ),
    "vxtune": (TUNABLES, "16384", "2048", "vol_maxio"),
    "vxdctl support": ("Support information:\n  dg_maximum:          {value}\n", "260", "220", "dg_maximum"),
    "vxdctl protocolversion": ("Cluster running at protocol {value}\n", "170", "160", "protocol"),
    "lsblk -t": (LSBLK, "mq-deadline", "bfq", "scheduler"),
    "dpkg -l": (DEBIAN, "3.1.7-1+deb12u1", "3.1.2-2", "corosync"),
    "hostnamectl": ("  Boot ID: {number}\n  Operating System: {value}\n", "Example 9.4", "Example 8.8", "Operating"),
    "racadm get BIOS.SysProfileSettings": ("SysProfile={value}\n", "PerfOptimized", "PerfPerWattOptimizedDapc", "Sys"),
}


def shown(command: str, form: str, **values: str) -> str:
    return "".join(
        f"[root@{node} ~]# {command}\n{form.format(value=value, **OWN[node])}" for node, value in values.items()
    )


def seen_in(folder: Path, text: str, **files: str) -> list[tuple[str, str, tuple[str, ...]]]:
    texts = (text,) if text else ()
    found = diagnosis_of(folder, *texts, **files).findings
    return [(one.severity, one.title.replace("\xa0", " "), tuple(one.nodes)) for one in found]


@pytest.mark.parametrize("command", CASES)
def test_a_node_with_another_setting_is_named_and_what_is_its_own_is_not(tmp_path: Path, command: str) -> None:
    form, usual, odd, name = CASES[command]
    sick = shown(command, form, teal1=usual, teal2=odd, teal3=usual)
    well = shown(command, form, **dict.fromkeys(NODES, usual))
    severity, title, _ = seen_in(tmp_path / "sick", sick)[0]
    assert severity == "low"
    assert all(one.lower() in title.lower() for one in (name, "teal2", odd[:38], usual[:38])), title
    assert seen_in(tmp_path / "well", well) == []


@pytest.mark.parametrize("command", ["ipmitool mc info", "dmidecode -t bios", "zfs get all tank/data", "hostnamectl"])
def test_the_name_of_a_file_tells_the_command_as_well(tmp_path: Path, command: str) -> None:
    form, usual, odd, name = CASES[command]
    sick = by_folder(shown(command, form, teal1=usual, teal2=odd, teal3=usual))
    assert any(name in title and "teal2" in title for _, title, _ in seen_in(tmp_path / "sick", "", **sick))
    assert seen_in(tmp_path / "well", "", **by_folder(shown(command, form, **dict.fromkeys(NODES, usual)))) == []


@pytest.mark.parametrize("command", ["ipmitool mc info", "modinfo mlx5_core", "vxdctl support"])
def test_two_halves_are_two_sorts_of_machines(tmp_path: Path, command: str) -> None:
    form, usual, odd, _ = CASES[command]
    text = shown(command, form, teal1=usual, teal2=usual, teal3=odd)
    text += shown(command, form, teal1=odd).replace("teal1", "teal4")
    assert seen_in(tmp_path, text) == []


def facts(kernel: str, **versions: str) -> str:
    return "$ ansible all -m setup\n" + "".join(
        f'{node} | SUCCESS => {{\n    "ansible_facts": {{\n        "ansible_bios_version": "{version}",\n'
        f'        "ansible_hostname": "{node}",\n        "ansible_kernel": "{kernel}",\n'
        f'        "ansible_product_serial": "{OWN[node]["number"]}",\n'
        f'        "ansible_selinux": {{"mode": "permissive", "status": "enabled"}}\n    }},\n    "changed": false\n}}\n'
        for node, version in versions.items()
    )


def test_what_ansible_gathers_of_hosts_is_compared(tmp_path: Path) -> None:
    [(severity, title, nodes)] = seen_in(
        tmp_path / "sick", facts("5.14.0-427.el9", teal1="2.1", teal2="2.1", teal3="1.8")
    )
    assert (severity, nodes) == ("low", ("teal3",))
    assert "BIOS version" in title
    assert seen_in(tmp_path / "well", facts("5.14.0-427.el9", **dict.fromkeys(NODES, "2.1"))) == []


LOOKS = {
    "sysctl vm.dirty_ratio": ("vm.dirty_ratio = {}\n", "20", "80"),
    "tuned-adm active": ("Current active profile: {}\n", "throughput-performance", "powersave"),
    "uname -a": ("Linux teal1 {} #1 SMP x86_64 GNU/Linux\n", "5.14.0-362.8.1.el9_3.x86_64", "5.14.0-427.el9_4.x86_64"),
    "virsh domstate store": ("{}\n", "running", "paused"),
    "ethtool -k ens1": ("Features for ens1:\nrx-checksumming: on\ntcp-segmentation-offload: {}\n", "on", "off"),
}


@pytest.mark.parametrize("command", LOOKS)
def test_what_changed_between_two_looks_is_named_with_both_values(tmp_path: Path, command: str) -> None:
    """Rule "ST-86"."""
    form, before, after = LOOKS[command]
    days = ("Mon Oct 12 08:00:04 UTC 2026", "Tue Oct 13 10:30:11 UTC 2026")

    def looks(*values: str) -> str:
        return "".join(
            f"[root@teal1 ~]# date\n{day}\n[root@teal1 ~]# {command}\n{form.format(value)}"
            for day, value in zip(days, values, strict=True)
        )

    [(severity, title, nodes)] = seen_in(tmp_path / "sick", looks(before, after))
    assert (severity, nodes) == ("low", ("teal1",))
    assert re.search(f"from {re.escape(before)} to {re.escape(after)}", title)
    assert seen_in(tmp_path / "well", looks(before, before)) == []


def test_looks_whose_node_no_text_tells_are_compared_by_the_names_of_their_files_alone(tmp_path: Path) -> None:
    form, before, after = LOOKS["ethtool -k ens1"]
    files = {
        f"{word}__ethtool_k_ens1_dot_txt": form.format(one) for word, one in (("before", before), ("after", after))
    }
    assert [severity for severity, _, _ in seen_in(tmp_path / "files", "", **files)] == ["low"]
    text = "".join(f"# ethtool -k ens1\n{form.format(one)}" for one in (before, after))
    assert seen_in(tmp_path / "typed", text) == []


@pytest.mark.parametrize(
    "command",
    [
        "pdsh -w teal[1-3] 'ethtool -i ens1f0'",
        'clush -w teal[1-3] "ethtool -i ens1f0 | grep -v supports"',
        "pdsh -a ethtool -i ens1f0; date",
    ],
)
def test_a_card_is_known_in_whatever_the_shell_puts_around_its_command(tmp_path: Path, command: str) -> None:
    def text(*releases: str) -> str:
        return f"# {command}\n" + "".join(
            f"teal{at}: driver: mlx5_core\nteal{at}: version: 5.8-2.0.3\nteal{at}: firmware-version: {release}\n"
            for at, release in enumerate(releases, start=1)
        )

    [(severity, title, nodes)] = seen_in(tmp_path / "sick", text("16.35.2000", "16.35.2000", "16.31.1014"))
    assert (severity, nodes) == ("low", ("teal3",))
    assert "ens1f0" in title
    assert seen_in(tmp_path / "well", text(*["16.35.2000"] * 3)) == []


@pytest.mark.parametrize("typed", ["sysctl -w vm.swappiness=10", "echo vm.swappiness=10 >> /etc/sysctl.conf", "date"])
def test_what_somebody_typed_between_is_no_news(tmp_path: Path, typed: str) -> None:
    text = "".join(
        f"[root@teal1 ~]# {command}\n{answer}"
        for command, answer in (
            ("sysctl vm.swappiness", "vm.swappiness = 60\n"),
            (typed, ""),
            ("sysctl vm.swappiness", "vm.swappiness = 10\n"),
        )
    )
    assert len(seen_in(tmp_path, text)) == (typed == "date")


def test_what_is_wrong_by_itself_is_no_mere_change(tmp_path: Path) -> None:
    text = "".join(
        f"[root@teal1 ~]# date\nMon Oct 12 0{hour}:00:04 UTC 2026\n[root@teal1 ~]# pcs property config\n"
        f"Cluster Properties: cib-bootstrap-options\n  cluster-name=teals\n  stonith-enabled={value}\n"
        for hour, value in ((8, "true"), (9, "false"))
    )
    assert [severity for severity, _, _ in seen_in(tmp_path, text)] == ["medium"]


def test_a_bad_state_among_settings_is_an_alarm(tmp_path: Path) -> None:
    pool = "tank  size       40T        -\ntank  health     {}   -\ntank  ashift     12         local\n"
    sick, well = (f"[root@teal1 ~]# zpool get all tank\n{pool.format(state)}" for state in ("DEGRADED", "ONLINE"))
    assert [severity for severity, _, _ in seen_in(tmp_path / "sick", sick)] == ["medium"]
    assert seen_in(tmp_path / "well", well) == []


SENSORS = {
    "ipmitool sdr elist": (
        "Fan1   | 30h | ok  |  7.1 | 7680 RPM\nFan2   | 31h | {} \n",
        "ok  |  7.1 | 7440 RPM",
        "cr  |  7.1 | 0 RPM",
    ),
    "ipmitool sdr": ("Fan1             | 7680 RPM          | ok\nFan2     | {}\n", "7440 RPM   | ok", "0 RPM   | lcr"),
    "ipmitool sensor": ("Fan2   | {}    | na    | 600.000\n", "7440.000   | RPM    | ok", "0.000   | RPM    | cr"),
    "ipmi-sensors": (
        "1   | Inlet | Temperature       | 23.00      | C     | 'OK'\n2   | Fan2   | Fan   | 0.00   | RPM   | '{}'\n",
        "OK",
        "At or Below (<=) Lower Critical Threshold",
    ),
}


@pytest.mark.parametrize("command", SENSORS)
def test_a_sensor_with_a_critical_figure_is_named_and_one_in_order_is_not(tmp_path: Path, command: str) -> None:
    form, well, sick = (part if at else part.replace("{}", "{value}") for at, part in enumerate(SENSORS[command]))
    [(severity, title, _)] = seen_in(tmp_path / "sick", shown(command, form, teal1=sick))
    assert severity in ("medium", "high")
    assert "Fan2" in title
    assert seen_in(tmp_path / "well", shown(command, form, teal1=well)) == []


def test_a_remote_shell_puts_the_node_in_front_of_each_setting(tmp_path: Path) -> None:
    rows = "".join(
        f"{node}: LimitNOFILE={value}\n{node}: TasksMax=618412\n"
        for node, value in zip(NODES, (99, 99, 12), strict=True)
    )
    text = f"[root@adm ~]# pdsh -w teal[1-3] 'systemctl show -p LimitNOFILE -p TasksMax pacemaker'\n{rows}"
    assert [nodes for _, _, nodes in seen_in(tmp_path, text)] == [("teal3",)]


def test_every_command_is_compared() -> None:
    carriers = [one for entry in catalogue(Setting).values() for one in entry.carriers]
    for row in command_settings.TABLE["command"]:
        assert any(row["tool"] in one.tools for one in carriers), row["tool"]
