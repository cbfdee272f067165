"""Commands that run somewhere else than where they are typed: the node of their output is not the one of the prompt.

[root@carp1 ~]# ssh root@carp2 /usr/lpp/mmfs/bin/mmdiag --waiters          carp2
$ kubectl exec -n storage carp3-core -c mmfs -- mmdiag --waiters           carp3-core
$ oc debug node/carp6 -- chroot /host lsblk                                carp6
carp1# ansible all -m shell -a 'findmnt /srv'                                not known: a heading of each node tells
carp1# for h in carp4 carp5; do echo $h; ssh $h mmdiag --waiters; done     not known: a line of the output may tell
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

_SSH: Final = frozenset(("ssh", "rsh", "remsh", "slogin", "plink", "ssh.exe", "plink.exe"))
_VALUED: Final = frozenset("bcDEeFIiJLlmOopQRSWw")  # options of ssh with a value that may be a word of its own
_CONTAINER: Final = frozenset(("kubectl", "oc", "docker", "podman", "crictl"))
_CONTAINER_VALUED: Final = frozenset((
    "-n", "--namespace", "-c", "--container", "--context", "--kubeconfig", "-u", "--user", "-e", "--env", "-w",
    "--workdir",
))  # fmt: skip
_OF_NODE: Final = ("node/", "nodes/", "no/")
_TARGET: Final = re.compile(r"(?:[\w.-]{1,64}@)?(?P<host>[A-Za-z0-9][\w.-]{0,252})$")
_PLAYBOOKS: Final = "ansible"
_ARGUMENTS: Final = ("-a", "--args")
_MACHINES: Final = frozenset(("vagrant", "lxc", "multipass"))
_LOOP: Final = re.compile(r"\bfor {1,4}(\w{1,40}) {1,4}in {1,4}([^;|&`]{1,3000}?) {0,4}(?:;|$)")

_DEVICE: Final = re.compile(
    r"(?:eth|en[opsx]|em|p\d{1,3}p|bond|team|vmbr|br|ib|hsn|[shv]d[a-z]{1,2}|nvme|md|dm-|host|sg|vmnic|mpath)[\dnfs]*$"
    r"|[shv]d[a-z]{1,2}$"
)
"""Cards and disks, over which people loop as they do over nodes."""


class Remote(NamedTuple):
    """Where a command runs (None: not known), and its words there; none where it only logs in."""

    host: str | None
    words: list[str]


def remote(words: list[str]) -> Remote | None:
    """What a command of these words runs elsewhere; None where it runs where it is typed."""
    if not words:
        return None
    program = words[0].rsplit("/", 1)[-1]
    if program in _SSH:
        return _ssh(words[1:])
    if program in _MACHINES:
        return _in_machine(words[1:])
    if program == _PLAYBOOKS:
        return _by_ansible(words[1:])
    return _in_container(words[1:]) if program in _CONTAINER else None


def _by_ansible(words: list[str]) -> Remote | None:
    """``ansible all -m shell -a 'findmnt /srv'``: each node prints it below its own heading."""
    at = next((at for at, word in enumerate(words) if word in _ARGUMENTS or word.startswith(_ARGUMENTS[1] + "=")), None)
    if at is None:
        return None
    argument = " ".join([words[at].partition("=")[2], *words[at + 1 :]]).strip()
    quote = argument[:1] if argument[:1] in ("'", '"') else ""
    return Remote(None, (argument[1:].partition(quote)[0] if quote else argument.partition(" ")[0]).split())


def _in_machine(words: list[str]) -> Remote | None:
    """``vagrant ssh carp -c '...'``, ``lxc exec carp -- ...``."""
    if len(words) < 2 or words[0] not in ("ssh", "exec") or words[1].startswith("-"):
        return None
    behind = words[2:]
    mark = next((at for at, word in enumerate(behind) if word in ("-c", "--command", "--")), None)
    return _target(words[1], behind[mark + 1 :] if mark is not None else [])


def _ssh(words: list[str]) -> Remote | None:
    at = 0
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] == "-pw" or (len(words[at]) == 2 and words[at][1] in _VALUED) else 1
    return _target(words[at], words[at + 1 :]) if at < len(words) else None


def _in_container(words: list[str]) -> Remote | None:
    """``exec`` and ``rsh``: the first word that is no option is the pod or the container; ``debug node/carp1``: the
    node.
    """
    if "debug" in words[:6] and (
        node := next((at for at, word in enumerate(words) if word.startswith(_OF_NODE)), None)
    ):
        behind = words[words.index("--") + 1 :] if "--" in words else []
        return _target(words[node].partition("/")[2], behind[2:] if behind[:1] == ["chroot"] else behind)
    verb = next((at for at, word in enumerate(words) if word in ("exec", "rsh")), None)
    if verb is None:
        return None
    at = verb + 1
    while at < len(words) and words[at].startswith("-"):
        at += 2 if words[at] in _CONTAINER_VALUED else 1
    if at >= len(words):
        return None
    behind = words[at + 1 :]
    behind = behind[behind.index("--") + 1 :] if "--" in behind else behind
    return _target(words[at].removeprefix("pod/"), behind)


def _target(target: str, words: list[str]) -> Remote:
    match = _TARGET.match(target.strip("'\""))
    return Remote(match["host"] if match else None, [word.strip("'\"") for word in words])


def loop_words(text: str) -> frozenset[str]:
    """The words that a loop of the shell runs over: lines of its output that are one of them are headings."""
    match = _LOOP.search(text)
    words = match[2].split() if match else ()
    return frozenset(word for word in words if _TARGET.match(word) and not _DEVICE.match(word))
