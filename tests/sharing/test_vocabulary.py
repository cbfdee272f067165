"""What a masked text keeps: documented words of the products, never a customer's own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from apps.diagnosis.engine.core.words.knowledge import rule_texts, tuning_texts
from apps.diagnosis.engine.core.words.vocabulary import groups, own_stretches, vocabulary
from apps.sharing.textmask import TextMask, is_harmless
from tests.every import every

SCALE = [
    "mmfsd",
    "mmdiag",
    "mmlscluster",
    "mmchconfig",
    "mmgetstate",
    "mmlsdisk",
    "mmexpelnode",
    "mmfsadm",
    "mmhealth",
    "mmpmon",
    "tsctl",
    "NSDThread",
    "RcvWorker",
    "SharedHashTabFetchHandlerThread",
    "AcquireBRTHandlerThread",
    "InodeAllocRevokeWorkerThread",
    "SGExceptionLogBufferFullThread",
    "FsckReaperCondvar",
    "MsgRecordCondvar",
    "TokenCondvar",
    "ThCond",
    "ThMutex",
    "LogFileMutex",
    "tmMsgRevoke",
    "tmMsgTellAcquire1",
    "ccMsgPing",
    "sgmMsgSGMount",
    "nsdMsgReadExt",
    "pagepool",
    "maxFilesToCache",
    "workerThreads",
    "prefetchThreads",
    "nsdMaxWorkerThreads",
    "leaseRecoveryWait",
    "verbsRdma",
    "tscTcpPort",
    "minMissedPingTimeout",
    "waiters",
    "quorum",
    "NSD",
    "subblock",
    "fileset",
    "metanode",
    "expelled",
    "arbitrating",
]
VERITAS = [
    "vxfs",
    "vxvm",
    "vxconfigd",
    "vxfsstat",
    "vxtunefs",
    "lltstat",
    "lltconfig",
    "gabconfig",
    "hastatus",
    "hagrp",
    "hares",
    "fsclustadm",
    "glmdump",
    "vxdmpadm",
    "vxdisk",
    "vxstat",
    "vxi_hlockgrant",
    "vxi_glockgrant",
    "hlockrevoke",
    "glockrevoke",
    "GLM",
    "GAB",
    "LLT",
    "ODM",
    "VCS",
    "DMP",
    "plex",
    "diskgroup",
    "jeopardy",
    "dalloc",
    "icache",
    "dnlc",
    "lowpri",
    "hbreq",
    "flowcontrol",
    "write_pref_io",
    "bufhwm",
    "reorganise",
]
GFS2 = [
    "gfs2",
    "glock",
    "glocks",
    "glstats",
    "sbstats",
    "dlm",
    "dlm_controld",
    "dlm_tool",
    "gfs2_quotad",
    "gfs2_logd",
    "gfs2_glock",
    "corosync",
    "pacemaker",
    "cmirrord",
    "clvmd",
    "lvmlockd",
    "sanlock",
    "stonith",
    "fenced",
    "fencing",
    "rgrp",
    "jdata",
    "inode",
    "iopen",
    "journal",
    "plocks",
    "lockspace",
    "lkb",
    "rsb",
    "dirtbl",
    "demote",
    "srtt",
    "srttb",
    "sirt",
    "totem",
    "retransmit",
    "quorumd",
    "cmap",
    "noatime",
]
HOSTS = [
    "kworker",
    "ksoftirqd",
    "multipath",
    "multipathd",
    "iostat",
    "vmstat",
    "lvs",
    "vgs",
    "pvs",
    "sd",
    "sdb",
    "scsi",
    "hostbyte",
    "DID_OK",
    "blocked",
    "rwsem",
    "io_schedule",
    "schedule_timeout",
    "syscall",
    "wchan",
    "netstat",
    "ethtool",
    "sysctl",
    "dmesg",
    "journalctl",
    "NetworkManager",
    "iscsid",
    "alua",
    "rdac",
    "lpfc",
    "qla2xxx",
    "nfsd",
    "xfs",
]
DOCUMENTED = [word for word in (*SCALE, *VERITAS, *GFS2, *HOSTS) if word != "srttb"]

CUSTOMERS = [
    "orders",
    "order",
    "post",
    "mail",
    "mails",
    "mailbox",
    "maildir",
    "spool",
    "dovecot",
    "postfix",
    "sendmail",
    "cyrus",
    "exim",
    "courier",
    "lund",
    "bergen",
    "tromso",
    "uppsala",
    "atabeast",
    "nexsan",
    "ledger",
    "ledgerbank",
    "invoices",
    "invoice",
    "payroll",
    "billing",
    "payments",
    "customer",
    "customers",
    "accounts",
    "hospital",
    "clinic",
    "radiology",
    "genome",
    "astro",
    "physics",
    "weather",
    "forecasts",
    "media",
    "movies",
    "photos",
    "archive",
    "backup",
    "backups",
    "home",
    "homes",
    "scratch",
    "projects",
    "webshop",
    "shop",
    "oracle",
    "mysql",
    "mysqld",
    "mariadb",
    "postgres",
    "mongod",
    "sap",
    "hana",
    "exchange",
    "nagios",
    "zabbix",
    "splunk",
    "hadoop",
    "kafka",
    "jenkins",
    "jira",
    "samba",
    "ctd",
    "alice",
    "bob",
    "charlie",
    "meierling",
    "schoenbaum",
    "andersson",
    "svensson",
    "kowalski",
    "dubois",
    "martinez",
    "nakamura",
    "okafor",
    "robin",
    "mark",
    "heather",
    "grace",
    "hr",
    "finance",
    "sales",
    "news",
    "production",
    "prod",
    "staging",
    "intranet",
    "orsa",
    "carp",
    "kestrel",
    "curlew",
    "ouse",
    "tarn",
    "fjord",
    "heron",
    "quillhaven",
]


def masked(text: str) -> str:
    """Masked with no name known beforehand."""
    return TextMask({}, lambda kind, name: f"{kind}-1").text(text)


@every(DOCUMENTED)
def test_documented_names_stay_readable(word: str) -> None:
    assert masked(word) == word
    assert masked(f"{word}: state is unknown") == f"{word}: state is unknown"
    assert masked(f"[{word}]") == f"[{word}]"


SHAPES: dict[str, Callable[[str], str]] = {
    "plain": str,
    "capital": str.title,
    "upper": str.upper,
    "sentence": lambda word: f"the {word} volume is slow",
    "host": lambda word: f"{word}-node1.{word}.example",
    "numbered": lambda word: f"{word}07",
    "process": lambda word: f"{word}d[4711]: blocked for more than 120 seconds",
    "path": lambda word: f"/srv/{word}/{word}.db",
    "file": lambda word: f"{word}_2024.log",
    "command": lambda word: f"cp -r {word} to-{word}",
    "account": lambda word: f"{word}@{word}.example",
    "camel": lambda word: f"{word.title()}Server",
    "setting": lambda word: f"name={word};owner={word}",
    "lock": lambda word: f"lockspace {word}:{word}",
}


@every(CUSTOMERS)
def test_customers_words_do_not_stay(word: str) -> None:
    kept = [shape for shape, shaped in SHAPES.items() if word in masked(shaped(word)).casefold()]
    assert kept == []


def test_no_customers_word_is_in_the_vocabulary() -> None:
    assert vocabulary().isdisjoint(CUSTOMERS)


def test_each_group_states_its_source_and_its_words_once() -> None:
    assert len(groups()) == len({group.name for group in groups()})
    for group in groups():
        assert len(group.source) > 10, group.name
        assert group.words, group.name


def test_settings_and_commands_of_the_knowledge_base_stay_readable() -> None:
    """What the program recommends has to be readable, whoever gets the link."""
    lost = [text.parameter for text in tuning_texts().values() if not _readable(text.parameter)]
    assert lost == []


def _readable(name: str) -> bool:
    return sentence(name) == name


def sentence(text: str) -> str:
    return TextMask({}, lambda kind, name: f"{kind}-1").sentence(text)


def test_sentences_of_the_knowledge_base_stay_and_what_is_filled_in_goes() -> None:
    text = next(text.words.explanation for text in rule_texts().values() if text.words.explanation.count("{") == 0)
    assert sentence(text) == text
    assert sentence(f"{text} dovecot") == f"{text} word-1"


def test_a_stretch_of_two_words_is_not_taken_for_ours() -> None:
    assert list(own_stretches("orders post")) == []


@pytest.mark.parametrize("word", ["", "a", "4711", "0x7fd96401a4c0", "12.5ms"])
def test_figures_are_harmless(word: str) -> None:
    assert is_harmless(word) or not word


def test_a_name_keeps_the_blanks_round_it_and_a_file_its_ending() -> None:
    mask = TextMask({"lund003": ("node", "lund003")}, lambda kind, name: f"{kind}-21")
    assert mask.text("lund003 ") == "node-21 "
    assert mask.text(" lund003\t") == " node-21\t"
    assert mask.sentence("lund003 does not give up a token: 3 waits") == "node-21 does not give up a token: 3 waits"
    assert mask.file("lund003/waiters.txt") == "node-21/waiters.txt"
