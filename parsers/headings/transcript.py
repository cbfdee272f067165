"""What structures a console transcript: prompts with commands, headings, banners, date lines, node hints in paths."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache, lru_cache
from typing import Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.headings.captions import is_command, labelled_command, match_caption, may_be_caption, on_node
from parsers.headings.dated_headings import LONGEST, RULES, ruled_moment
from parsers.headings.node_banners import is_word_of_tools, looks_like_host
from parsers.headings.paths import clock_from_path, suggested_node
from parsers.headings.remote import loop_words, remote
from parsers.line_kinds import is_prose
from parsers.times.clock import Instant, find_instant
from parsers.times.local_dates import has_other_clock, is_joined

_PROMPT = re.compile(
    r"(?:\[(?:ceph: )?(?P<user>[^@\]\s]{1,64})@(?P<boxed>[^\s:\]]{1,128})[ "
    r":][^\]]{0,200}\](?:[#$%]|[ ][#$])|-?(?:bash|sh|ksh)-[\d.]{1,8}[#$]|\[(?P<only>[A-Za-z][\w.-]{1,126})(?:[ "
    r":][~/][^\]\s]{0,200})?\][ ]?[#$%]"
    r"|\([A-Za-z_][\w.-]{0,32}@(?P<parted>[A-Za-z][\w.-]{0,126})\)[^\s#$%]{0,200}[ ]?[#$%]"
    r"|\{(?:[A-Za-z_][\w.-]{0,32}@)?(?P<braced>[A-Za-z][\w.-]{0,126})(?::[^}\s]{0,64})?\}"
    r"[ ]?[^\s>#$%]{0,200}[ ]?[>#$%]"
    r"|(?:[A-Za-z_][\w.-]{0,32}@)?(?P<host>[A-Za-z][\w.-]{0,126}\w)(?::(?P<place>[^\s#$%]{0,200})[ ]?|[ "
    r"][~/][^\s#$%]{0,200}[ ]?|[ ]\d{1,5}|\[\d{1,5}\]"
    r"|[ ]\[[~/][^\]\s]{0,200}\][ ]?|[ ]?)[#$%]"
    r"|(?P<bare>(?:[~/][^\s#$%]{0,200}[ ]?)?(?:[#$\u276f\u279c]|%(?=[ \t]+[a-z]))"
    r"|[\u2514\u2570]\u2500{1,4}[#$%>\u276f\u279c]?))[ \t]+(?P<command>\S.{0,4000})$"
)
_UPPER = re.compile(
    r"[\u250c\u256d]\u2500{1,4}\(?[A-Za-z_][\w.-]{0,32}[@\u327f](?P<drawn>[A-Za-z][\w.-]{0,126})\b[^#$%]{0,200}$"
    r"|\[[A-Za-z_][\w.-]{0,32}@(?P<boxed>[A-Za-z][\w.-]{0,126})(?:[ :][^\]\s]{1,200})?\]$"
    r"|[a-z_][\w-]{0,32}@(?P<plain>[A-Za-z][\w.-]{0,126}?)(?::[ ]?|[ ])(?:~|/)[^\s@]{0,200}$"
)
"""The upper line of a prompt of two lines."""
_OPEN_PROMPT: Final = re.compile("[#$%>\u2514\u2570\u276f\u279c]")
_PRINTED_HEADING = re.compile(
    r"(?:[=*#-]{2,20}[ \t]*(?:on[ \t]+)?(?:node|host|server)[ \t]+(?P<ruled>[A-Za-z][\w.-]{1,126})"
    r"(?:[ \t]*:(?:[ \t]*[=*#-]{2,20})?|[ \t]*(?:[=*#-]{2,20})?)"
    r"|(?:node|host|server)[ \t]+(?P<colon>[A-Za-z][\w.-]{1,126}):)$",
    re.IGNORECASE,
)
_SPOKEN_HEADING = re.compile(
    r"(?:(?:output|results?|dump|log|listing|messages) (?:from|of|on) )?(?:the )?"
    r"(?:(?:first|second|third|fourth|last|other|good|bad|healthy|faulty|failing|working|active|passive"
    r"|primary|secondary|1st|2nd|3rd) )?(?:cluster ?)?(?:node|host|server)(?: #?\d{1,3})? ?"
    r"\((?P<name>[A-Za-z][\w.-]{1,126})\) ?:$",
    re.IGNORECASE,
)
"""A node as people call it, and its name in brackets."""
_CRON = re.compile(r"Subject: Cron <[\w.-]{1,64}@(?P<name>[A-Za-z][\w.-]{0,126})> (?P<command>\S.{0,400})$")
"""What cron writes above the output of a job: who ran it where, and what it was."""
_CONSOLE = re.compile(r"Connected to domain '?(?P<name>[A-Za-z][\w.-]{1,126})'?$")
"""What ``virsh console`` prints above the guest's own."""
_STAMPED = re.compile(
    r"\[[^\]\[]{8,40}\][ \t]{1,4}(?:[a-z_][\w-]{0,32}@)?(?P<host>[A-Za-z][\w.-]{1,126})"
    r"(?::?[^\s#$%>]{0,200}[#$%>])?[ \t]+(?P<command>[\w./].{0,4000})$"
)
_ANGLE = re.compile(
    r"[A-Za-z_][\w.-]{0,32}@(?P<host>[A-Za-z][\w.-]{0,126}) ?[:/~][^\s>#$%]{0,200}>[ "
    r"\t]*(?P<command>[./\w]\S{0,200}(?: .{0,4000})?)$"
)
_OF_ESX = re.compile(
    r"\[[A-Za-z_][\w.-]{0,32}@(?P<host>[A-Za-z][\w.-]{0,126}):[~/][^\]\s]{0,200}\][ \t]{1,8}"
    r"(?P<command>[./\w]\S{0,200}(?: .{0,4000})?)$"
)
_ESX_TOOLS: Final = ("esx", "localcli", "vim-cmd", "vmk", "vmware", "vsish", "voma", "vm-support")
_OF_WINDOWS = re.compile(r"(?:PS )?[A-Z]:\\[^<>|\n]{0,200}> ?(?P<command>[\w.].{0,4000})$")
_ARROW = re.compile(
    r"(?P<host>[A-Za-z][\w.-]{0,126})(?::[^\s>#$%]{0,200})?>[ \t]{0,4}(?P<command>[./\w]\S{0,200}(?: .{0,4000})?)$"
)
_APPLIANCE = re.compile(
    r"(?:[A-Za-z][\w.-]{0,62}:(?!FID\d))?(?P<host>[A-Za-z][\w.-]{0,126})(?:(?::FID\d{1,3})?:[a-z_][\w-]{0,31}"
    r"|(?P<cluster>::\*?))>[ \t]{0,4}"
    r"(?P<command>[a-z]\S{0,200}(?: .{0,400})?)$"
)
"""A switch or an array: ``fab_a:admin> psshow``, with the number of a logical switch ``fab_a:FID128:admin>``,
``Model:array:superuser>lsdrive``, ``cluster::> volume show``.
"""
_CONSOLE_OF_TOOL = re.compile(
    r"(?:(?P<tool>racadm)>{1,2}|(?:tsm|Protect): ?(?P<server>[A-Z][A-Z0-9_.-]{0,62})>)[ \t]{0,4}"
    r"(?P<command>[a-z]\S{0,200}(?: .{0,400})?)$"
)
"""What a tool that takes commands itself prints in front of each: ``racadm>>getsel``, ``Protect: BACK1>q session``."""
_TOOLS_BEGIN: Final = ("raca", "tsm:", "Prot")
_ARCHIVED = re.compile(r"(?P<user>[(\[]?[a-z_][\w-]{0,31}) at (?=[A-Za-z][\w.-]{0,126}[ :~#$>\]])")
"""The user of a prompt in the archive of a mailing list, which writes out every ``@``."""
_CUT_BRACKET = re.compile(r"[a-z_][\w-]{0,31}@[A-Za-z][\w.-]{0,126} [^\]\[\s]{1,80}\][#$] ")
"""A prompt whose first bracket was left out where it was copied."""
_JOINED_WORDS = re.compile(r"[A-Za-z]\w{1,40}-[A-Za-z]\w{0,3}$")
"""A host by its last letters: ``north-a>``; the program behind it must be known."""
_GLUED = re.compile(r"(?P<prompt>[A-Za-z][\w.-]{1,126}:(?:~|/(?!/))[^\s#$%]{0,200}[#$])(?=[a-z./])")
"""A prompt of ksh that shows node and folder, with the command right behind it: ``heron1:/#errpt``."""
_IS_OF_FILE: Final = re.compile(r"(?<=\.txt|\.log|\.out|\.dat):|:\d{1,8}:")
"""Behind a name that is one of a file in which somebody searched."""
_PLACES: Final = frozenset("~/")
"""What the folder in a prompt begins with; such a prompt needs no program that is known."""
_SHELLS: Final = frozenset(("bash", "sh", "ksh", "root"))
_DEBUGGERS: Final = frozenset(("adb", "crash", "gdb", "kdb", "kgdb", "lldb", "mdb", "xmon"))
"""What they print in front of a command is no host, and their ``ps`` shows the system of a dump."""
_UNIX: Final = frozenset(
    """
    ansible ansible-playbook awk bc bdf blkid bolt cat cd chronyc clear clush cp crontab cut date dd df dmesg
    dmidecode dmsetup do done du echo egrep errpt ethtool exit export fcstat fgrep find findmnt fio for free fsck
    fuser getconf getfacl grep head history hostname id if ifconfig ioscan iostat ip iscsiadm journalctl kill last
    less logout lparstat ls lsattr lsblk lscfg lsdev lslpp lsmod lsof lspath lspci lspv lsscsi lssrc lsvg lvchange
    lvcreate lvdisplay lvextend lvs mdadm mkdir modinfo more mount mpstat multipath multipathd mv netstat nfsstat
    nmon nproc ntpq numactl numastat oslevel pdsh perf pgrep pidof pidstat ping prstat prtconf ps psrinfo pssh
    pvdisplay pvs pvscan pwd rm rpm rsync salt sar scp sed sestatus sh sleep smartctl smbstatus sort ss ssh stat
    strace su sudo svcs svmon swap swapinfo sync sysctl systemctl tail tar tcpdump tee time timedatectl timeout top
    touch tr truss umount uname uniq until uptime vgchange vgdisplay vgs vi vim virsh vmcp vmstat watch wc while who
    xargs xdsh zfs zpool
    arping ausearch chpath cldump clusvcadm cmcheckconf cmhaltnode cmruncl cmviewconf crictl crm_failcount crm_report
    crm_resource crm_verify ctdb_diagnostics docker e2fsck evainfo fence_ack_manual fence_node firewall-cmd
    getenforce gfs2_quota gpfs.snap hdparm iblinkinfo ifstat insf ipadm ipmitool ipmpstat iptables lsmem lunstat
    lvlnboot mirrorvg mkqdisk mtr netpmon nft nslookup ntpdate nwmgr pdbedit perfquery podman prtdiag prtvtoc pvchange
    rescan-scsi-bus.sh rmpath rpcinfo sanlun setboot showmount smbcontrol sosreport svcadm tdbtool topas traceroute
    tune2fs varyonvg vgimport vim-cmd wbinfo zoneadm
    """.split()
)
_CLUSTER_TOOLS: Final = frozenset(
    """
    cfscluster cfsdgadm cfsmntadm cfsmount cfsshare cfsumount cpsadm dlm_tool fsadm fsapadm fscat fsckptadm fsclustadm
    fsfreeze fsmap fsppadm fsvoladm gabconfig gabdebug gabport gabshow.pl gfs2_tool glmdump glmstat haagent haattr
    hacf hacli haclus haconf hagrp halog hares hastart hastatus hastop hasys hatype hauser lltconfig lltdump lltping
    lltshow lltstat mmchconfig mmdiag mmfsadm mmlscluster mmlsconfig mmlsfs mmlsnode ncheck sfcache vradmin vrport
    vxassist vxbadsecs vxcached vxcdsconvert vxclustadm vxconfigbackup vxconfigd vxconfigrestore vxdctl vxddladm
    vxdefault vxdg vxdisk vxdiskadm vxdisksetup vxdiskunsetup vxdmpadm vxedit vxevac vxfenadm vxfenclearpre
    vxfenconfig vxfenswap vxfentsthdw vxfsconvert vxfsstat vxinfo vxiod vxkeyless vxlicinst vxlicrep vxlist vxlsino
    vxmake vxmemstat vxmend vxmirror vxmount vxnotify vxplex vxprint vxprivutil vxreattach vxrecover vxrelayout
    vxresize vxrlink vxrootadm vxrvg vxscsiinq vxsd vxsnap vxstat vxtask vxtrace vxtune vxtunefs vxunreloc vxupgrade
    vxvol vxvset
    """.split()
)
_SCALE_TOOLS: Final = frozenset(
    """
    mmaddcallback mmadddisk mmaddnode mmadquery mmafmconfig mmafmcosconfig mmafmctl mmafmlocal mmapplypolicy mmaudit
    mmauth mmbackup mmbuildgpl mmcallhome mmces mmchattr mmchcluster mmchdisk mmcheckquota mmchfileset mmchfs
    mmchlicense mmchmgr mmchnode mmchnodeclass mmchnsd mmchpolicy mmchpool mmchqos mmcrcluster mmcrfileset mmcrfs
    mmcrnodeclass mmcrnsd mmcrsnapshot mmdefragfs mmdelacl mmdeldisk mmdelfileset mmdelfs mmdelnode mmdelnsd
    mmdelsnapshot mmdf mmdsh mmedquota mmexpelnode mmfileid mmfsck mmfsctl mmgetacl mmgetstate mmhdfs mmhealth
    mmkeyserv mmlinkfileset mmlsattr mmlscallback mmlsdisk mmlsfileset mmlslicense mmlsmgr mmlsmount mmlsnodeclass
    mmlsnsd mmlspdisk mmlspolicy mmlspool mmlsqos mmlsquota mmlsrecoverygroup mmlssnapshot mmmount mmnetverify mmnfs
    mmnsddiscover mmperfmon mmpmon mmputacl mmqos mmquotaoff mmquotaon mmremotecluster mmremotefs mmrepquota
    mmrestorefs mmrestripefile mmrestripefs mmrpldisk mmsetquota mmshutdown mmsmb mmsnapdir mmstartup mmtracectl
    mmumount mmunlinkfileset mmuserauth mmvdisk mmwatch mmxcp
    """.split()
)
"""Tools of Scale that no sentence begins with behind a prompt; captions name the few above."""
_OF_UNIX_ALONE: Final = frozenset(
    """
    bdf blkid df dmesg dmsetup errpt ioscan iostat journalctl lsblk lscfg lsdev lspath lspv lssrc lsvg lvs mdadm mpstat
    multipath multipathd netstat nfsstat oslevel pidstat prstat prtconf psrinfo pvs sar smbstatus svcs svmon swapinfo
    sysctl systemctl uname vgs vmstat zpool
    """.split()
)
"""Programs whose names are no words of any language: nobody quotes a sentence that begins with one."""
_VERBS: Final = frozenset(
    """
    cluster config dump elist eventlog getdmpnode getsubpaths list listctlr listenclosure lockdump ls node nodestate
    print property query quorum repstatus resource sdr sel show state stats status stonith
    """.split()
)
"""What tools of clusters are told to do; a row that begins with the name of a tool goes on otherwise."""
_MOST_WORDS: Final = 4
_OF_COMMANDS = re.compile(r"(?:^|\s)[-/.~$'\"]|[|;<>=*$`\\]|\w/\w")
"""An option, a path, a variable, or a sign of the shell: no sentence has them."""
_LOOP = re.compile(r"for +(?:\w{1,60}(?: +in\b|;|$)|\(\()")
_WHOLE_LOOP = re.compile(r"for {1,4}\w{1,40} {1,4}in {1,4}[^;]{1,3000}; {0,4}do {1,4}.{1,1000}; {0,4}done$")
LONGEST_LOOP: Final = 1000
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w{0,40}=\S")
_COUNTED_HEADING = re.compile(
    r"(?:(?:From|On)\s+node\s*(?P<a>\d{1,4})\b[^.]{0,60}\.?|(?P<kind>node|server|host)(?P<gap>\s{0,8})(?P<b>\d{1,4})(?:\s{0,8}:)?)\s{0,200}$",
    re.IGNORECASE,
)
_NAMED_HEADING = re.compile(
    r"(?:[=*#-]{2,20}\s*|- {1,4})?(?:Node|Host|Hostname|Server|Knoten|Rechner|Serveur|Noeud|Nœud|Nodo"
    r"|узел|хост|сервер|ノード|ホスト|サーバー?|节点|節點|主机)"
    r"(?:\s*name)?\s*[:=：]\s*[\"']?(?P<name>[A-Za-z][\w.-]{0,126})[\"']?"
    r"\s*(?:\((?=[^()]{0,90}(?:[/ ]|glocks?\b))[^()]{1,120}\):?\s*)?(?:[=*#-]{2,20}\s*)?$",
    re.IGNORECASE,
)
"""A node behind a word for it; in brackets behind it may stand what was run there or read."""
_FIRST_OF_HEADING: Final = frozenset("NnFfOoHhSsKkRr*-уУхХсСノホサ节節主")
_UNMARKED_HEADING = re.compile(
    r"(?:#{1,4} {1,4})?(?:Host|Hostname|Server|Knoten|Rechner|Serveur) {1,4}"
    r"(?P<name>(?=[\w.-]{0,126}\d)[A-Za-z][\w.-]{0,126})\s*$"
)
"""A node without a colon behind a word for it that no tool prints so; only a name like a host's counts."""
_ANSIBLE = re.compile(
    r"(?:ok|changed|fatal|failed|skipping): \[([A-Za-z0-9][\w.-]{0,126})(?: -> [^\]]{1,126})?\](?:: \w{1,20}!?)? =>"
    r"(?: \{| changed=\w{4,5}|$)"
    r"|([A-Za-z0-9][\w.-]{0,126}) \| [A-Z!]{2,20}(?: \| rc=\d{1,3})? (?:>>|=> \{)"
)
_BLOCK_OF = re.compile(r"(?P<name>[A-Za-z][\w.-]{1,126}): [|>][-+]?$")
"""A node above its output, as a map of YAML has it."""
_OF_ANSIBLE: Final = (" => {", " >>", " =>", " changed=true", " changed=false")
_PSSH = re.compile(
    r"\[\d{1,6}\] \d\d:\d\d:\d\d \[(?:SUCCESS|FAILURE)\] "
    r"(?:[\w.-]{1,64}@)?([A-Za-z0-9][\w.-]{0,126})(?::\d{1,5})?(?: |$)"
)
_MMDIAG = re.compile(r"=== mmdiag: (?P<name>[a-z]{2,20}) ===\s*$")
_DUMP = re.compile(r"===== dump (?P<name>\w{2,40}) =====\s*$")
_COLLECT = re.compile(r"#{2,6} (?P<edge>BEGIN|END) DATA COLLECTION\b(?P<rest>[^#]{0,200})#{0,6}\s*$")
_CAPTION = re.compile(r"(?:Info: mmdiag --(?P<name>[a-z]{2,20})\b(?P<rest>.{0,200})|All waiters:)$")
_TAILED = re.compile(r"==> (?P<path>[^\s<>|*]{1,1000})(?: <==)?$")
_JOURNAL = re.compile(r"-- (?:Logs|Journal) begins? at .{10,80}, ends? at (?P<end>.{10,60})\. --$")
_NODE_WORD = re.compile(r"[A-Za-z][\w.-]{0,126}$")
_PREFIX_WORDS: Final = frozenset(("sudo", "time", "nohup", "timeout", "nice", "env", "watch", "do", "then", "else"))
_PREFIX_OPTIONS: Final = frozenset(
    ("-u", "-g", "-n", "-k", "-s", "-o", "-f")
)  # of sudo, nice, time: the value is a word of its own
HOPS: Final = 2
"""Nodes over which a command may go by ``ssh``."""
SHELL_WORDS: Final = frozenset((
    "", ":", "[", "cd", "clear", "date", "do", "done", "echo", "else", "export", "fi", "for", "hostname", "if",
    "printf", "set", "sleep",
    "sync", "then", "true", "until", "uptime", "while",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class Command:
    """A command line at a prompt. ``program`` is the base name of the producer in front of the first pipe.

    elsewhere: it runs on another node than that of the prompt: on ``host``, where it is told. ``loop``: the words that
    its loop runs over.
    """

    text: str
    program: str
    args: tuple[str, ...]
    filters: tuple[str, ...]
    timed: bool = False
    elsewhere: bool = False
    host: str | None = None
    loop: frozenset[str] = frozenset()

    @property
    def counts_lines(self) -> bool:
        """Whether its only output is a number of lines."""
        return bool(self.filters) and self.filters[-1].split()[:2] == ["wc", "-l"]


@lru_cache(maxsize=1024)
def parse_command(text: str) -> Command:
    """The producer of a command line: of several statements the first that is no loop word and no ``date``, before its
    first pipe.
    """
    return _producer(text, HOPS)


def _producer(text: str, hops: int) -> Command:
    plain = text.replace("\u2013", "-").replace("\u2019", "'").replace("\u2018", "'")
    statements = [_statement(text, part, hops) for part in _split(plain, ";", "&&") if part.strip()]
    loud = [command for command in statements if command.program not in SHELL_WORDS]
    found = (loud or statements or [Command(text, "", (), ())])[0]
    return replace(found, loop=loop_words(plain)) if "for " in plain else found


def _statement(text: str, statement: str, hops: int) -> Command:
    """One statement; a leading ``time`` or ``sudo`` with its options is not the program."""
    parts = [part.strip() for part in _split(statement, "|")]
    words = parts[0].lstrip("({ ").split()
    timed = False
    while words and (prefix := _prefix(words)):
        timed = timed or words[0].endswith("time")
        words = words[prefix:]
    filters = tuple(part for part in parts[1:] if part)
    if hops and (away := remote(words)) is not None:
        there = _producer(" ".join(away.words), hops - 1) if away.words else Command(text, words[0], (), ())
        return replace(
            there,
            text=text,
            filters=(*there.filters, *filters),
            timed=timed or there.timed,
            elsewhere=True,
            host=there.host or away.host,
        )
    program = words[0].lstrip("({").rsplit("/", 1)[-1] if words else ""
    return Command(text, program, tuple(words[1:]), filters, timed)


def _prefix(words: list[str]) -> int:
    """How many words in front of the program belong to an assignment or to a word such as ``time -p``; 0 where it is
    the program.
    """
    if _ASSIGNMENT.match(words[0]):
        return 1
    if words[0].rsplit("/", 1)[-1] not in _PREFIX_WORDS:
        return 0
    count = 1
    while count < len(words) and (words[count].startswith("-") or words[count][:1].isdigit()):
        count += 2 if words[count] in _PREFIX_OPTIONS else 1
    return count


def _split(text: str, *separators: str) -> list[str]:
    """Split outside quotes; a doubled pipe is no pipe."""
    if not any(separator in text for separator in separators):
        return [text]
    parts, quote, start, index = [], "", 0, 0
    while index < len(text):
        char = text[index]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif (separator := next((s for s in separators if text.startswith(s, index)), "")) and not _doubled(
            text, index
        ):
            parts.append(text[start:index])
            start = index + len(separator)
            index = start - 1
        index += 1
    return [*parts, text[start:]]


def _doubled(text: str, index: int) -> bool:
    return text[index] == "|" and "|" in (text[index - 1 : index], text[index + 1 : index + 2])


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt line or a caption: the host and the moment that it names, if any, and the command."""

    host: str | None
    command: Command
    instant: Instant | None = None


@lru_cache(maxsize=512)
def match_prompt(text: str, programs: frozenset[str]) -> Prompt | None:
    """A prompt with a command. A bare ``#`` or ``$`` counts only before a program that is known: else it may be a
    comment. Several ask about one line in turn, and those who look at a whole stretch ask before it is read.
    """
    stripped = text.lstrip()
    if " at " in stripped[:40] and (user := _ARCHIVED.match(stripped)) is not None:
        archived = _prompt(f"{user['user']}@{stripped[user.end() :]}", programs)
        return archived if archived is not None and _is_known(archived.command, programs) else None
    if "]" in stripped[:130] and _CUT_BRACKET.match(stripped) is not None:
        whole = _prompt(f"[{stripped}", programs)
        return whole if whole is not None and _is_known(whole.command, programs) else None
    if ":" in stripped[:130] and (glued := _GLUED.match(stripped)) is not None:
        parted = _prompt(f"{glued['prompt']} {stripped[glued.end() :]}", programs)
        return parted if parted is not None and _is_known(parted.command, programs) else None
    return _prompt(stripped, programs)


def _prompt(stripped: str, programs: frozenset[str]) -> Prompt | None:
    if stripped and may_be_caption(stripped):
        caption = match_caption(stripped, _to_caption(programs))
        if caption is not None:
            return Prompt(caption.node, parse_command(caption.command), caption.instant)
    placed = _on_windows(stripped) or _labelled(stripped, programs) or _on_appliance(stripped, programs)
    if placed is not None:
        return placed
    if stripped.startswith("[") and (esx := _OF_ESX.match(stripped)) is not None:
        command = parse_command(esx["command"].strip())
        is_known = _is_known(command, programs) or command.program.startswith(_ESX_TOOLS)
        return Prompt(esx["host"], command) if is_known else None
    if ">" in stripped[:330] and (angle := _ANGLE.match(stripped) if "@" in stripped[:36] else _arrow(stripped)):
        command = parse_command(angle["command"].strip())
        return Prompt(angle["host"], command) if _is_known(command, programs) else None
    if not stripped or _OPEN_PROMPT.search(stripped, 0, 330) is None:
        return None
    match = _PROMPT.match(stripped)
    return _of_shell(stripped, match, programs) if match is not None else None


def _of_shell(stripped: str, match: re.Match[str], programs: frozenset[str]) -> Prompt | None:
    """The prompt of a shell, where its command is one or its form leaves no doubt."""
    command = parse_command(match["command"].strip())
    boxed = (match["boxed"] or "").partition("(")[0]  # a role of the host may stand behind its name
    host = boxed or match["host"] or match["only"] or match["braced"] or match["parted"]
    if match["host"] and _IS_OF_FILE.match(stripped, match.end("host")) is not None:
        return None
    is_doubtful = match["bare"] or (host and match["boxed"] is None and (match["place"] or "")[:1] not in _PLACES)
    if is_doubtful and not _is_typed(match, command, programs):
        return None
    return Prompt(None if host in _SHELLS else host, command)


def _on_windows(text: str) -> Prompt | None:
    """A prompt of Windows, from which people reach their nodes."""
    if text[1:3] != ":\\" and text[:3] != "PS ":
        return None
    typed = _OF_WINDOWS.match(text)
    return None if typed is None else Prompt(None, parse_command(typed["command"].strip()))


def _on_appliance(text: str, programs: frozenset[str]) -> Prompt | None:
    """A prompt of a switch or an array; only that of a cluster of ONTAP needs no program that is known."""
    if text[:4] in _TOOLS_BEGIN and (console := _CONSOLE_OF_TOOL.match(text)) is not None:
        return Prompt(None, parse_command(f"{console['tool'] or 'dsmadmc'} {console['command'].strip()}"))
    if ":" not in text[:200] or ">" not in text[:330] or (typed := _APPLIANCE.match(text)) is None:
        return None
    command = parse_command(typed["command"].strip())
    return Prompt(typed["host"], command) if typed["cluster"] or _is_known(command, programs) else None


def _labelled(text: str, programs: frozenset[str]) -> Prompt | None:
    """A node in front of the command alone: ``carp: gabconfig -a``, ``[10:15:07 5.3.2024] carp gabconfig -a``."""
    if not text or len(text) > 400:
        return None
    if (
        text[0] == "["
        and (match := _STAMPED.match(text))
        and (found := find_instant(text[: match.start("host")])) is not None
    ):
        command = match["command"].strip()
        if is_command(command, _to_caption(programs)) and match["host"] not in programs:
            return Prompt(match["host"], parse_command(command), found[0])
    if (
        text[0].isalpha()
        and ": " in text[:130]
        and (labelled := labelled_command(text, _to_caption(programs))) is not None
    ):
        return Prompt(labelled[1], parse_command(labelled[0]))
    return None


def typed_alone(text: str, programs: frozenset[str]) -> Prompt | None:
    """A command that somebody put above its output, with a colon or without. Whether output follows is for the caller
    to see.

    Names of programs also begin rows of tables: then no option and no path follows.
    """
    typed = text.strip().rstrip(":")
    if len(typed) <= LONGEST_LOOP and _WHOLE_LOOP.match(typed) is not None:
        return Prompt(None, parse_command(typed))
    if len(typed) > 400 or not is_command(typed, _to_caption(programs)):
        return None
    rest = typed.split()[1:]
    is_row = (
        bool(rest)
        and not typed.startswith("mm")
        and not (rest[0] in _VERBS and len(rest) < _MOST_WORDS)
        and not any(word[0] == "-" or "/" in word or "=" in word for word in rest)
    )
    command, node = on_node(typed, _to_caption(programs))
    return None if is_row else Prompt(node, parse_command(command))


def _arrow(text: str) -> re.Match[str] | None:
    """A prompt of a host and ``>``; a word in front of ``>`` may be a quotation's or a tag's, unless a tool follows
    that has no other use.
    """
    match = _ARROW.match(text)
    if match is None:
        return None
    host, program = match["host"], match["command"].split()[0].rsplit("/", 1)[-1]
    if host in _DEBUGGERS:
        return None
    if looks_like_host(host) or _JOINED_WORDS.match(host) is not None:
        return match
    if not host.replace("_", "").isalnum():
        return None
    is_tool = program in _CLUSTER_TOOLS or program in _SCALE_TOOLS
    is_typed = program in _OF_UNIX_ALONE or (program in _UNIX and _OF_COMMANDS.search(match["command"]) is not None)
    return match if is_tool or (is_typed and not is_prose(match["command"])) else None


def _is_known(command: Command, programs: frozenset[str]) -> bool:
    """Whether a word is a program that people run on such nodes."""
    program = command.program
    return (
        program in programs
        or program in _UNIX
        or program in _CLUSTER_TOOLS
        or program in _SCALE_TOOLS
        or command.text.lstrip().startswith("./")
    )


def _is_typed(match: re.Match[str], command: Command, programs: frozenset[str]) -> bool:
    """Whether what stands behind something that may be a prompt is a command."""
    typed = match["command"]
    if match["bare"] and (typed.startswith("/ ") or _is_comment(typed, command.program, programs)):
        return False  # a slash alone is a line of the drawing above a trace of the kernel
    if typed.startswith("/") or _is_known(command, programs) or _ASSIGNMENT.match(typed) is not None:
        return True
    is_of_user = (match["bare"] or "").rstrip().endswith("$")
    return is_of_user and _OF_A_SITE.match(typed) is not None and not is_prose(typed)


_OF_A_SITE = re.compile(
    r"(?!as |in |of |and |for |per |the |figures |values |amounts )[a-z][a-z0-9_.-]{2,30}"
    r"(?: -{1,2}[\w.=,:/@-]{1,60}| [a-z/][\w.,:/@=-]{1,60}){1,6}$"
)
"""A program that nobody knows and what it is told, behind a bare ``$``, which begins no comment."""


def _is_comment(typed: str, program: str, programs: frozenset[str]) -> bool:
    """Whether what stands behind a bare ``#`` is a sentence that begins with a word that is a program too: ``# for the
    limit of a user see ...``, ``# more on this below``.
    """
    if program == "for":
        return _LOOP.match(typed) is None
    if program in programs or program in _CLUSTER_TOOLS or _OF_COMMANDS.search(typed) is not None:
        return False
    return is_prose(typed)


@cache
def _to_caption(programs: frozenset[str]) -> frozenset[str]:
    """Programs that a caption can name."""
    return programs | _CLUSTER_TOOLS


class Mark(NamedTuple):
    """A structural line that is no prompt. What it does not tell is None; ``ends`` closes what was open."""

    node: str | None = None
    basis: str = ""
    instant: Instant | None = None
    command: str | None = None
    ends: bool = False


def match_mark(text: str) -> Mark | None:
    """A heading, a banner, a collector's frame or a line that is a date."""
    stripped = text.strip()
    if not stripped or len(stripped) > 240:
        return None
    first = stripped[0]
    if first == "=":
        return _banner(stripped) or _heading(stripped) or _date_line(stripped)
    if first == "#":
        return _collector(stripped) or _heading(stripped) or _date_line(stripped)
    if first in "CS" and (printed := _CONSOLE.match(stripped) or _CRON.match(stripped)):
        return Mark(node=printed["name"], basis="heading", command=printed.groupdict().get("command"))
    if stripped[-2:] == "):" and (spoken := _SPOKEN_HEADING.match(stripped)):
        return Mark(node=spoken["name"], basis="heading")
    if first in "AI" and (caption := _CAPTION.match(stripped)):
        return _captioned(caption)
    if first == "-" and (journal := _JOURNAL.match(stripped)) and (last := find_instant(journal["end"])):
        return Mark(instant=last[0])
    if first in _FIRST_OF_HEADING and (mark := _heading(stripped)):
        return mark
    if stripped[-1] in "|-+>" and (mark := _heading(stripped)):
        return mark
    return _of_many(stripped) or _upper_line(stripped) or _date_line(stripped)


def _upper_line(text: str) -> Mark | None:
    """The upper line of a prompt of two lines."""
    match = _UPPER.match(text) if "@" in text or "\u327f" in text else None
    return None if match is None else Mark(node=match["drawn"] or match["boxed"] or match["plain"], basis="prompt")


def _of_many(text: str) -> Mark | None:
    """The head that a tool puts above the output of each of many nodes."""
    match = _PSSH.match(text) if text[0] == "[" else _ANSIBLE.match(text) if text.endswith(_OF_ANSIBLE) else None
    return None if match is None else Mark(node=next(filter(None, match.groups())), basis="heading")


def _banner(text: str) -> Mark | None:
    if match := _TAILED.match(text):  # head and tail of several files
        node = suggested_node(match["path"])
        return Mark(
            node=node,
            basis="heading" if node else "",
            instant=clock_from_path(match["path"]),
            command=f"cat {match['path']}",
        )
    if match := _MMDIAG.match(text):
        return Mark(command=f"mmdiag --{match['name']}")
    if match := _DUMP.match(text):
        return Mark(command=f"mmfsadm dump {match['name']}")
    return None


def _collector(text: str) -> Mark | None:
    match = _COLLECT.match(text)
    if match is None:
        return None
    found = find_instant(match["rest"])
    rest = (match["rest"][found[2] :] if found else match["rest"]).strip()
    node = rest if _NODE_WORD.match(rest) else None
    ends = match["edge"] == "END"
    return Mark(
        node=node, basis="header" if node else "", instant=None if ends else found[0] if found else None, ends=ends
    )


def _captioned(match: re.Match[str]) -> Mark:
    """What a site's own collector writes above a dump."""
    found = find_instant(match["rest"]) if match["rest"] else None
    return Mark(instant=found[0] if found else None, command=f"mmdiag --{match['name']}" if match["name"] else None)


def _heading(text: str) -> Mark | None:
    if match := _COUNTED_HEADING.match(text):
        # without a blank it is a name, whose nought counts: node01
        kind = (match["kind"] or "node").lower()
        number = match["b"] if match["gap"] == "" else int(match["a"] or match["b"])
        return Mark(node=f"{kind}{number}", basis="ordinal")
    if match := _NAMED_HEADING.match(text):
        is_own = match["name"].split(".", 1)[0].lower() == "localhost"  # whatever host it was typed on
        return Mark() if is_own else Mark(node=match["name"], basis="heading")
    if (match := _UNMARKED_HEADING.match(text) or _BLOCK_OF.match(text)) and looks_like_host(match["name"]):
        return Mark(node=match["name"], basis="heading")
    if match := _PRINTED_HEADING.match(text):
        name = match["ruled"] or match["colon"]
        return None if is_word_of_tools(name) else Mark(node=name, basis="heading")
    return None


_DAYS_ELSEWHERE: Final = frozenset(
    """
    mo di mi do fr sa so lun mar mer jeu ven sam dim mié jue vie sáb dom gio sab ma wo vr za zo pon wto śro czw pią sob
    nie seg ter qua qui sex man tir ons tor fre lør søn mån tis lör sön
    """.split()
)
"""Short names of days in front of a month that is spelled as in English: ``Di 12 Nov 2024 08:12:02 CET``."""


def _date_line(text: str) -> Mark | None:
    """The output of ``date`` alone on its line, also behind a caption such as ``Date:`` or between marks."""
    if ":" not in text[:64] and not is_joined(text) and not has_other_clock(text[:64]):
        return _dated_heading(text) if text[0] in RULES else None
    if len(text) > LONGEST or (found := find_instant(text)) is None:
        return _dated_heading(text) if text[0] in RULES else None
    instant, start, end = found
    around = f"{text[:start]} {text[end:]}".strip(" \t[]()=*#-:.,")
    if around.lower() in _DAYS_ELSEWHERE or around.lower() in (
        "",
        "date",
        "time",
        "timestamp",
        "sample",
        "begin",
        "start",
        "zzz",
    ):
        return Mark(instant=instant)
    return _dated_heading(text)


def _dated_heading(text: str) -> Mark | None:
    """A moment between marks, with a node or a word beside it: ``==== carp1 ==== Wed Jan 28 11:20:07 CET 2031``."""
    found = ruled_moment(text)
    return (
        None if found is None else Mark(node=found.node, basis="heading" if found.node else "", instant=found.instant)
    )


def banner_command(typed: Command | None, banner: str) -> Command:
    """The command that a banner names: it ran where the one at the prompt did, and in its loop."""
    found = parse_command(banner)
    return found if typed is None else replace(found, elsewhere=typed.elsewhere, host=typed.host, loop=typed.loop)


def match_loop_word(command: Command | None, text: str) -> Mark | None:
    """A line that a loop printed to tell whose output follows: one of its words, also between marks."""
    if command is None or not command.loop or len(text) > 160:
        return None
    found = [word for raw in text.split() if (word := raw.strip("=*#-:>[]()")) in command.loop]
    others = [
        raw
        for raw in text.split()
        if raw.strip("=*#-:>[]()") not in ("", *command.loop, "node", "host", "Node", "Host", "on", "server")
    ]
    return Mark(node=found[0], basis="heading") if len(set(found)) == 1 and not others else None


def continued(command: Command, text: str) -> Command:
    """A loop typed over several lines: its producer is the first program that is not a word of the shell."""
    if command.program not in SHELL_WORDS or text.strip() in ("do", "done", "then"):
        return command
    return replace(parse_command(text.strip()), text=f"{command.text}; {text.strip()}"[:4000])
