"""Which lines of a text are headings that consist of the name of a node, as loops over all nodes print them.

    ### carp1 ###        ==== carp1.example.net ====        [carp1]        carp1:        ---------------
                                                                                         carp1
                                                                                         ---------------
Any word may stand between such marks: a command, a file system, a step. A name counts where the text around it shows
that it is a host: it speaks of it as of one elsewhere, several headings of one style differ in nothing but the number,
or what stands below several headings is the same output, and one word above it changes from heading to heading (``==
larch: glocks ==``, ``== maple: glocks ==``). A sentence above an output may name one too (``On fsn07 we see:``, ``from
node larch:``). Only the beginning of a long text is looked at; further on, names of the
same shape count.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import chain, filterfalse, islice
from typing import Final

from parsers.headings.frames import is_nothing
from parsers.headings.node_sets import LONGEST_SET, SET, is_several
from parsers.headings.paths import is_name_of_node
from parsers.headings.process_headings import process_above_stack
from parsers.line_kinds import is_fence
from parsers.lookup import claimed, programs
from parsers.messages.catalogue import LEVELS, program_names
from parsers.times.clock import find_instant

_MOST_HEADINGS: Final = 2000
_MOST_NAMES: Final = 64
_MOST_PLACES: Final = 40
_NAME: Final = (
    r"(?:[A-Za-z]|\d{1,7}[A-Za-z][A-Za-z0-9]{0,5}-(?=[A-Za-z]))[A-Za-z0-9]{0,62}(?:[-.][A-Za-z0-9]{1,62}){0,8}"
)
_MARKS: Final = r"[=#*~+-]"
_HEADING: Final = (
    rf"(?:(?P<style>{_MARKS}{{2}}){_MARKS}{{0,78}}[ \t]*(?P<ruled>{_NAME}):?(?:[ \t]*{_MARKS}{{2,80}})?"
    rf"|\[(?P<boxed>{_NAME})\]|(?P<colon>{_NAME}):(?: [|>][-+]?)?)"
)
_ONE = re.compile(rf"{_HEADING}$")
_ALL = re.compile(rf"\n[ \t]{{0,8}}{_HEADING}[ \t]*$", re.MULTILINE)
"""Patterns for whole lines begin with the end of the line above: that letter is found soonest."""
_ALONE = re.compile(rf"\n(?P<name>(?=[^\n]{{0,126}}\d){_NAME})[ \t]*$", re.MULTILINE)
_RULE = re.compile(r"[-=#*]{5,200}$")
_TITLED = re.compile(rf"[ \t]{{0,8}}{_MARKS}{{3,80}} [^\n:]{{1,60}}: [^\n]{{1,60}} {_MARKS}{{3,80}}[ \t]*$")
"""A title that a tool puts above its own output: ``=== mmdiag: waiters ===``."""
_RUN = re.compile(
    r"[ \t]{0,8}(?:outputs?|results?|command|cmd|ausgabe|befehl|kommando|sortie|commande|salida|comando|sa\u00edda)\b"
    r"[^\n\w]{1,4}[^\n]{1,100}$"
    r"|[ \t]{0,16}(?:exit ?(?:code|status)|return code|rc|std(?:out|err))[ \t]{0,4}[:=][ \t]{0,4}\d{0,3}$"
    r"|[ \t]{0,16}(?:status|result|state)[ \t]{0,4}[:=][ \t]{0,4}(?:success(?:ful)?|succeeded|ok|completed|done)$"
    r"|[ \t]{0,16}(?:output|ausgabe|sortie|salida)[ \t]{0,4}:$",
    re.IGNORECASE,
)
"""What people and tools write above an output, of the command that printed it."""
_FENCED = re.compile(
    rf"\n[-=#*]{{5,200}}[ \t]*\n[ \t]{{0,8}}({_NAME})(?: \(\d{{1,5}}\))?[ \t]*\n[-=#*]{{5,200}}[ \t]*$", re.MULTILINE
)
_FENCED_ANY = re.compile(
    rf"\n[-=#*]{{5,200}}[ \t]*\n[ \t]{{0,8}}({SET})(?: \(\d{{1,5}}\))?[ \t]*\n"
    r"[-=#*]{5,200}[ \t]*$",
    re.MULTILINE,
)
_COUNTED = re.compile(
    rf"\n[-=#*]{{5,200}}[ \t]*\n[ \t]{{0,8}}({SET})(?: \(\d{{1,5}}\)|(?<=\]))[ \t]*\n[-=#*]{{5,200}}[ \t]*$",
    re.MULTILINE,
)
_WORD_IN_FRONT = re.compile(
    r"\n(?P<word>[A-Za-z]{2,40}): {1,2}(?P<rest>(?=[^\n]{0,40}[A-Za-z]{3})[^\n]{12,200})$", re.MULTILINE
)
_BEFORE_DATE = re.compile(
    r"\n(?P<word>[A-Za-z][\w-]{0,60}(?:\.[\w-]{1,60}){0,6}): {1,8}"
    r"(?P<date>(?=[^\n]{0,30}\d:\d\d:\d\d)\w[^\n]{16,60}?) {0,8}$",
    re.MULTILINE,
)
_TAG = re.compile(r"(?P<word>[A-Za-z][\w.-]{1,126})(?:: {0,2}| {8}| )(?P<rest>.*)$")
_TYPED_AT = re.compile(r"[^\n]{0,130}[#$] ?[a-z/]")
_TAGGED_LINES: Final = 2000
_TAGGED_CHARS: Final = 1 << 16
_LEAST_TAGGED: Final = 4
_MOST_OF_LINES: Final = 0.9
_GUESSED: Final = -50
"""Priority of readers that go by shape alone."""
_HOW_MANY = re.compile(r" \(\d{1,5}\)$")
_LONE = re.compile(rf"{_NAME}$")
_NAME_COMMANDS = re.compile(
    r"(?:^|[;&|(][ \t]*|\bdo[ \t]+)(?:/\w{1,8}){0,3}/?(?:hostname(?:[ \t]+-[fs])?|uname[ \t]+-n)[ \t]*(?=$|[;&|)])"
)
# Names of things that are numbered as hosts are: what stands before the number.
_THINGS: Final = frozenset(
    """
    array backup bond bucket build capture case chunk channel client cluster core cpu ctl data day dev dg disk
    diskgroup dm dump ens enp eth ext file fs fset gfs gpfs group hba hdisk home host iter iteration job journal loop
    lun lv lvol md mount mpath note nsd numa nvme part pass path phase pid pool port proc process queue rank rg ring
    round run sample scratch sdb sda section server set shared slot snap snapshot step stripe sub table target task
    test thread time tmp vol volume week work xfs zone
    """.split()
)
_HOST_NUMBER: Final = re.compile(r"host-\d{2,4}$")
"""Adapters of SCSI are numbered without a dash: ``host7``."""
_ENDINGS: Final = frozenset(
    (
        "bak",
        "bz2",
        "cfg",
        "conf",
        "csv",
        "dat",
        "gz",
        "html",
        "json",
        "log",
        "md",
        "old",
        "out",
        "pl",
        "py",
        "sh",
        "txt",
        "xml",
        "xz",
    )
)
_WORD: Final = re.compile(r"([A-Za-z0-9][\w.-]*\w|[A-Za-z0-9])")
_ANY = re.compile(
    r"\n(?P<line>[ \t]{0,8}(?:[=#*~+<`\[-][^\n]{2,118}|[A-Za-z][^\n]{1,118}:(?: [|>][-+]?)?"
    r"|[A-Za-z][\w.-]{1,60}: ?[a-z]{3,20}"
    r"|(?:[Nn]ode|[Hh]ost|[Ss]erver|[Mm]ember) [^\n:]{1,60}: ?[a-z][a-z ]{2,30})[ \t]*"
    r"|(?=(?:[^\n:]{0,88}:){1,88}?(?<=\d:)\d\d:\d\d)"
    r"[ \t]{0,8}(?=[^\n]{17,80}$)[^\n]{0,60}\d:\d\d:\d\d[^\n]{0,60}[ \t]*)$",
    re.MULTILINE,
)
_ADDRESS: Final = r"\d{1,3}(?:\.\d{1,3}){3}"
_LEADS_TO = re.compile(r"^[ \t]{0,8}[^\W\d_](?:[^\n:=<\[{|]|(?<=\d):(?=\d)){3,200}:[ \t]*$", re.MULTILINE)
_PLACED_FIRST = re.compile(
    r"\n(?P<line>[ \t]{0,8}(?:[^\W\d_]{1,10},? ){0,2}(?:on|from|auf|von|sur|de|en|su|da|op|van)[ \t]{1,3}"
    r"[^\n:=<|\[{]{2,70}[^\n:=<|\[{.,;?!>\s][ \t]*)$",
    re.IGNORECASE | re.MULTILINE,
)
"""A few words that begin with a place, without a colon: ``On heath I see``, ``and on fell``."""
_LAST_COLON = re.compile(r":[ \t]*$", re.MULTILINE)
_CALLED: Final = (
    "node|host|server|machine|client|member|knoten|rechner|maschine|noeud|n\u0153ud|serveur"
    "|nodo|servidor|servitore|n\u00f3|\u0443\u0437\u043b\u0435|\u0443\u0437\u043b\u0430|\u0441\u0435\u0440\u0432\u0435\u0440\u0435"
)
_PLACES = re.compile(
    r"(?:^|(?<=[ \t(]))(?:(?:on|from|at|of|auf|von|vom|am|sur|du|en|del|su|da|na|no|op|van"
    r"|\u043d\u0430|\u0438\u0437|\u0441|\u0443\u0437\u043b\u0430)[ \t]+"
    rf"(?:(?:the|dem|der|den|le|la|el|il|lo|o|a|de)[ \t]+)?(?:(?P<called>{_CALLED})[ \t]+)?"
    rf"|(?<![^ \t.!?;][ \t])(?P<alone>{_CALLED})[ \t]+)"
    rf"[\"'`\u201c\u2018]?(?P<name>{_NAME}|{_ADDRESS})[\"'`\u201d\u2019]?"
    rf"(?:[ \t]{{0,2}}\((?P<also>{_NAME}|{_ADDRESS})\))?(?=[\s:,;)]|\.\s|$)",
    re.IGNORECASE,
)
"""A word for a place in front of what may be a host, as people write it in the ten languages most used."""
_WORDS_FOR_HOSTS: Final = frozenset(_CALLED.split("|"))
_OF = re.compile(r"of\b", re.IGNORECASE)
"""What stands behind it is a host at the end of a sentence only: "glocks of larch:", and not "out of sync, reboot:"."""
_BY_ROLE = re.compile(
    rf"(?:^|(?<=[ \t]))(?:on|from|at|of)[ \t]+(?:the|our|one|a|another|this)[ \t]+(?:[A-Za-z/-]{{2,20}}[ \t]+){{1,4}}"
    rf"\((?:(?:{_CALLED})[ \t]+)?(?P<name>{_NAME})\)[ \t]*:[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
"""What a host does, and its name in brackets behind it: ``on the file system manager (larch7):``."""
_TYPED_ON: Final = re.compile(r"@(?<=\w@)([A-Za-z][\w.-]{0,62}\d)[ :\]]")
"""The host of a prompt."""
_OPENING: Final = ("=", "#", "*", "~", "+", "<", "[", "-", "`")
_BARE = re.compile(r"[ \t]{0,4}[#$] ?[a-z/]")
_LONGEST: Final = 128
MOST_FRAMES: Final = 6
"""Lines below a heading, of which blank ones, rules and marks of code are none of its output."""
_NEAR: Final = 3  # lines of a heading above an output
_MOST_WORDS: Final = 15  # seven words and what stands between them
_MOST_WORDS_DATED: Final = 13  # the date among them
# Words that change from heading to heading and tell the output, the tool or its object.
_COMMON_WORDS: Final = _THINGS | frozenset(
    """
    active agent agents and before client config configuration corosync count current device devices disabled dlm down
    enabled engine engines error errors event false fence for from global granted in info interface link links local
    localhost lock locks lockspace
    member members memory mode name nodeid no none normal off on online open other pacemaker peer process quorum read
    resource resources ring rx source stats status summary system table target the to totals true tx type up user
    users warning waiting write yes address addresses health history ids list lists load log logs names output outputs
    priority report role roles room side state states stderr stdin stdout usage utilization version view
    attribute attributes class classes constraint constraints failure failures group groups operation operations
    option options properties property membership mounts number numbers pool pools quota
    queues threads ports disks volumes paths requests messages connections processes servers clients nodes services
    """.split()
)
# What a sentence says of a node behind that word: "no node was fenced", "der Knoten ist weg".
_VERBS: Final = frozenset(
    """
    \u00e9 \u00e9tait a answers antwortet are attend attende became becomes bleibt braucht can could dauert did
    does era espera est est\u00e1 estaba estava f\u00e4llt fue funktioniert fut geht gets gibt goes got
    h\u00e4ngt ha had hangs has hat hatte have impiega is ist joined kann keeps kommt l\u00e4uft left leva loses
    lost may meldet met might muss must n'a needs never not parece prend queda r\u00e9pond reagiert reboots
    responde responds reste risponde runs scheint seems semble sembra shall should shows sigue soll startet
    steht stopped stops takes tarda tenia tiene waits wants war wartet was went were where which who will wird
    with without works would wurde zeigt
    """.split()
)
_SMALL: Final = frozenset(
    """
    about above after an and as avec before behind below beside between by con da de dem den der des die do du each el
    en et for from in into la le mit near o of on one or our over per por pour since so som su sur than that the their
    these this those to um und une under upon van von when while y your
    """.split()
)
"""Words that join others: "on the node of the other cluster"."""
_OPTIONS: Final = r"(?:-[BbcDEeFIiJLlmOopQRSWw] \S{1,200} |-\S{1,40} ){0,8}"
"""Of ``ssh``, in front of the host: what stands behind it is the command."""
_DIGITS = re.compile(r"\d+")
_GAP = re.compile(r"[ \t]{2,128}")
"""What stands between the words of a heading whose columns were aligned."""


def _typed(line: str) -> str:
    """The program of a command that stands there without a prompt; empty for any other line."""
    first, _, rest = line.strip().partition(" ")
    program = first.rpartition("/")[2]
    is_one = program in programs() or (program in _READERS and "/" in rest)
    return program if is_one else ""


_READERS: Final = frozenset(("cat", "grep", "head", "tail", "zcat"))
"""Programs that show a file."""


def _is_around(line: str) -> bool:
    """Whether a line below a heading is none of its output: a rule, a mark of code, a title, what was run."""
    return is_fence(line) or is_rule(line) or _TITLED.match(line) is not None or _RUN.match(line) is not None


def _leading(text: str) -> Iterator[tuple[str, int]]:
    """Lines of words that end in a colon, and where they end: the colons are found sooner."""
    for colon in _LAST_COLON.finditer(text):
        found = _LEADS_TO.match(text, text.rfind("\n", 0, colon.start()) + 1)
        if found is not None:
            yield found[0], found.end()


class NodeBanners:
    """The headings of one text, told from its beginning."""

    def __init__(self, head: str) -> None:
        self._head = head.replace("\r", "").replace("\xa0", " ")
        self._lines = f"\n{self._head}"
        """Each line has the end of one above it; what ends here ends one letter sooner in the text."""
        self._known_else: dict[str, bool] = {}
        self._prompts = {shape(one[1]) for one in islice(_TYPED_ON.finditer(self._head), _MOST_HEADINGS)}
        self._fenced = set(_FENCED.findall(self._lines)) | (alike := self._fenced_alike())
        self.in_front = self._in_front()
        self.tags = self._in_first_column()
        """Names of nodes in front of every line, without a colon."""
        alike |= {name for name in self._several_counted() if is_several(name)}
        if alike:  # one tool wrote them all
            alike |= {name for name in self._fenced if name[-1].isdigit() and not self._is_known_else(name)}
        self._fenced |= alike
        self.names = alike | {name for name in self._fenced if looks_like_host(name) or self._is_spoken_of(name)}
        for colon, names in self._by_style().items():
            self.names |= set(self._hosts_among(names, needs_output=colon))
        self._alone = self._alone_above_outputs()
        self._prompted: set[tuple[str, ...]] = set()
        self._moulds = self._changing()
        self._sentences = dict(self._spoken())
        self._shapes = {shape(name) for name in self.names if looks_like_host(name)}
        self._fenced &= self.names | {name for name in self._fenced if is_several(name)}
        self._head = self._lines = ""
        self._known_else.clear()

    def _in_front(self) -> frozenset[str]:
        """Plain words with a colon in front of one line of an output each: ``maple: Filesystem 1K-blocks``, ``larch:
        Filesystem 1K-blocks``.
        """
        words: dict[str, set[str]] = defaultdict(set)
        shown: dict[str, str] = {}
        for count, match in enumerate(_WORD_IN_FRONT.finditer(self._lines)):
            if count >= _MOST_HEADINGS:
                break
            kind = _DIGITS.sub("#", match["rest"])
            if match["word"].lower() not in _COMMON_WORDS and (len(words) < _MOST_NAMES or kind in words):
                words[kind].add(match["word"])
                shown.setdefault(kind, match["rest"])
        alike = [found for kind, found in words.items() if len(found) > 1 and claimed(shown[kind])]
        names = frozenset(word for found in alike for word in found if not self._is_known_else(word))
        return names | self._before_dates()

    def _before_dates(self) -> frozenset[str]:
        """Names with a colon in front of a date alone, that differ in their numbers only: ``io1: Mon Mar  3 ...``."""
        names: dict[str, set[str]] = defaultdict(set)
        for match in islice(_BEFORE_DATE.finditer(self._lines), _MOST_HEADINGS):
            found = find_instant(match["date"])
            if found is not None and found[1:] == (0, len(match["date"])) and len(names) < _MOST_NAMES:
                names[shape(match["word"])].add(match["word"])
        return frozenset(word for found in names.values() if len(found) > 1 for word in found)

    def _in_first_column(self) -> frozenset[str]:
        """Words one of which stands in front of every line, a tab or a blank away, where lines of outputs are known
        behind them only: ``maple  Filesystem 1K-blocks``, ``larch  Filesystem 1K-blocks``.
        """
        lines = self._head[:_TAGGED_CHARS].split("\n")[:_TAGGED_LINES]
        lines = [line for line in lines if line.strip() and _TYPED_AT.match(line) is None]
        found = [match for line in lines if (match := _TAG.match(line)) is not None]
        lines_of = Counter(match["word"] for match in found)
        words = {word for word, count in lines_of.items() if count > 1}
        is_worth_it = len(found) >= _LEAST_TAGGED and 1 < len(words) <= len(found) // 2
        if not is_worth_it or len(found) < _MOST_OF_LINES * len(lines):
            return frozenset()
        no_names = programs() | program_names()
        names = {one for one in words if is_name_of_node(one) and not is_word_of_tools(one) and one not in no_names}
        if names != words or _is_of_dates(words) or any(self._is_known_else(word) for word in words):
            return frozenset()
        return frozenset(names) if _is_known_behind(words, found) else frozenset()

    def _fenced_alike(self) -> set[str]:
        """What stands alone between rules above outputs of one sort: names of nodes, and of several at once."""
        sorts: dict[str, str] = {}
        for count, match in enumerate(_FENCED_ANY.finditer(self._lines)):
            if count >= _MOST_HEADINGS or len(sorts) >= _MOST_NAMES:
                break
            sorts.setdefault(match[1], self._output_below(match.end() - 1))
        is_alike = len(sorts) > 1 and len(set(sorts.values())) == 1 and all(sorts.values())
        known_else = any(self._is_known_else(name) or name.lower() in _COMMON_WORDS for name in sorts)
        return set() if not is_alike or known_else else set(sorts)

    def _alone_above_outputs(self) -> frozenset[str]:
        """Names of hosts without any mark, each of them above an output, at least two that differ in the number only:
        in a list of names only the last stands above something.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for match in islice(_ALONE.finditer(self._lines), _MOST_HEADINGS):
            name = match["name"]
            if looks_like_host(name) and len(found) < _MOST_NAMES and self._heads_output(match.end() - 1):
                found[shape(name)].add(name)
        return frozenset(name for names in found.values() if len(names) > 1 for name in names)

    def _several_counted(self) -> list[str]:
        """Names of several nodes between rules, with their number behind or in brackets: whatever stands below, nothing
        else is written so.
        """
        return [match[1] for match in islice(_COUNTED.finditer(self._lines), _MOST_HEADINGS)]

    def _changing(self) -> dict[tuple[str, ...], frozenset[str]]:
        """Headings above outputs of one sort that differ in one word: the rest of them -> the words. No spelling
        decides.
        """
        changing: dict[tuple[str, ...], frozenset[str]] = {}
        below: dict[int, str] = {}
        for mould, ends in self._by_mould().items():
            if len(ends) < 2:  # most headings come once, and what stands below them is not looked at
                continue
            below.update((end, self._output_below(end)) for end in ends.values() if end not in below)
            words = {word: below[end] or self._nothing_below(end, mould) for word, end in ends.items()}
            sorts = {sort for sort in words.values() if sort and sort is not _NOTHING}
            if (
                len(sorts) == 1
                and all(words.values())
                and (_NOTHING not in words.values() or all(_may_print_nothing(word) for word in words))
                and not any(self._is_known_else(word) for word in words)
            ):
                changing[mould] = frozenset(words)
                self._prompted |= {mould} if next(iter(sorts)).startswith("$") else set()
        return changing

    def _by_mould(self) -> dict[tuple[str, ...], dict[str, int]]:
        """By the rest of a heading the words that change in it, and where each ends. Those that read alike are looked
        at once.
        """
        found: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
        known: set[str] = set()
        for match in islice(filterfalse(self._is_of_process, _ANY.finditer(self._lines)), _MOST_HEADINGS):
            if match["line"] in known:
                continue
            known.add(match["line"])
            for mould, word in _moulds(match["line"]):
                if len(found) < _MOST_HEADINGS and word not in found[mould] and len(found[mould]) < _MOST_NAMES:
                    found[mould][word] = match.end() - 1
        return found

    def _is_of_process(self, heading: re.Match[str]) -> bool:
        """Whether a heading stands above the stack of a process, and names that; or is a step of a path through the
        kernel (``-> #1 (reg_mutex){+.+.}-{3:3}:``), and names a lock.
        """
        below = self._lines[heading.end() + 1 : heading.end() + _LONGEST]
        return heading["line"].startswith("-> #") or process_above_stack(heading["line"], below) is not None

    def _spoken(self) -> Iterator[tuple[str, str]]:
        """Sentences above an output that name the one host it comes from."""
        plain: dict[str, str] = {}
        sentences = chain(_leading(self._head), self._placed_first())
        for text, end in islice(sentences, _MOST_HEADINGS):
            names = {name for place in _PLACES.finditer(text) if (name := self._host_in(place))}
            names |= {place["name"] for place in _BY_ROLE.finditer(text) if self._is_hosts(place["name"])}
            plain_name = next((one["name"] for one in _PLACES.finditer(text) if self._may_be_plain(one)), "")
            if len(names or plain_name[:1]) != 1 or not self._leads_to_output(end):
                continue
            if names:
                yield text.strip(), names.pop()
            else:
                plain[text.strip()] = plain_name
        if len(set(plain.values())) > 1:  # each is the other's witness
            yield from plain.items()

    def _placed_first(self) -> Iterator[tuple[str, int]]:
        """Words for a place without a colon that stand by themselves: above a blank line, or below one; and where they
        end.
        """
        for match in _PLACED_FIRST.finditer(self._lines):
            begin, end = match.start(), match.end() - 1
            before, behind = self._head[max(begin - 2, 0) : begin], self._head[end : end + 2]
            if (before in ("", "\n\n") or behind == "\n\n") and claimed(match["line"]) is None:
                yield match["line"], end

    def _may_be_plain(self, place: re.Match[str]) -> bool:
        """Whether a word behind one for a place may be a node's name, whatever it looks like."""
        word = place["name"]
        is_far = _OF.match(place[0]) is not None and place.string[place.end() :].strip() != ":"
        return (
            word.islower()
            and not is_far
            and word not in _WORDS_FOR_HOSTS
            and place.string[place.start("name") - 1].isspace()  # in quotes it is a command
            and word not in programs()
            and word not in _COMMON_WORDS | _VERBS | _SMALL
            and is_name_of_node(word)
            and not self._is_known_else(word)
        )

    def _leads_to_output(self, end: int) -> bool:
        """Whether what stands below is an output, with or without a heading of its own."""
        lines = [line for line in self._head[end : end + 2000].split("\n", 9)[:9] if line.strip()]
        return any(_BARE.match(line) or claimed(line) is not None for line in lines[:_NEAR])

    def _host_in(self, place: re.Match[str]) -> str:
        """The host that words for a place lead to; empty where they may lead to something else."""
        both = [name for name in (place["name"], place["also"]) if name]
        hosts = [name for name in both if self._may_be_host(name) and not self._is_known_else(name)]
        if hosts:
            return hosts[0]
        begins = place.start() == 0 or place.string[: place.start()].rstrip()[-1:] in (".", "!", "?", ";")
        called = place["called"] or (place["alone"] and begins)
        word = place["name"]
        if called and word.islower() and word not in _COMMON_WORDS | _VERBS | _SMALL and not self._is_known_else(word):
            return word
        return next((name for name in both if name[0].isdigit()), "")

    def _may_be_host(self, name: str) -> bool:
        """Whether it is spelt like a host, or like the host of a prompt of this text but for its number. A program with
        a number in its name is none: ``db2instance``.
        """
        if name in programs():
            return False
        return looks_like_host(name) or (name[-1].isdigit() and shape(name) in self._prompts)

    def _is_hosts(self, name: str) -> bool:
        """Whether a name in brackets behind what a host does is that of the host."""
        is_one = name[-1].isdigit() or looks_like_host(name)
        return is_one and name.rstrip("0123456789").lower() not in _THINGS and not self._is_known_else(name)

    def _output_below(self, end: int) -> str:
        """Whose line stands below, ``$`` for a prompt; empty where nobody knows it."""
        lines = (line for line in self._head[end : end + 2000].split("\n", MOST_FRAMES)[:MOST_FRAMES] if line.strip())
        below = next((line for line in lines if not _is_around(line)), "")
        if _BARE.match(below):
            return "$"
        parser = claimed(below) if below.strip() else None
        if parser is None and (typed := _typed(below)):
            return f"$ {typed}"
        return parser.name if parser is not None else ""

    def _nothing_below(self, end: int, mould: tuple[str, ...]) -> str:
        """Whether a heading between marks stands above no output: the next one follows, the end, or the word for it."""
        if mould[0].strip()[:1] not in _OPENING:
            return ""
        lines = (line for line in self._head[end : end + 2000].split("\n", MOST_FRAMES)[:MOST_FRAMES] if line.strip())
        below = next(lines, "")
        is_next = any(other == mould for other, _ in _moulds(below)) if below else len(self._head) < _WHOLE
        return _NOTHING if is_next or is_nothing(below) else ""

    def _is_known_else(self, word: str) -> bool:
        """Whether the text shows that the word is the name of a file system, a lock space or a disk."""
        if (known := self._known_else.get(word)) is None:
            known = any(f"{mark}{word}" in self._head for mark in ("/", ":", "lockspace ", "fsname="))
            self._known_else[word] = known
        return known

    def _by_style(self) -> dict[bool, dict[str, int]]:
        """Names in headings with where the first one ends, apart for those that only a colon marks."""
        found: dict[bool, dict[str, int]] = defaultdict(dict)
        for count, match in enumerate(_ALL.finditer(self._lines)):
            if count >= _MOST_HEADINGS:
                break
            names = found[match["colon"] is not None]
            if len(names) < _MOST_NAMES:
                names.setdefault(match["ruled"] or match["boxed"] or match["colon"], match.end() - 1)
        return found

    def _hosts_among(self, names: dict[str, int], *, needs_output: bool) -> Iterator[str]:
        alike: dict[str, int] = defaultdict(int)
        likely = [name for name in names if looks_like_host(name) and f"/{name}" not in self._head]
        for name in likely:
            alike[shape(name)] += 1
        for name, end in names.items():
            is_one_of_several = (
                name in likely and alike[shape(name)] > 1 and (not needs_output or self._heads_output(end))
            )
            if is_one_of_several or self._is_spoken_of(name):
                yield name

    def _heads_output(self, end: int) -> bool:
        """Whether the line below is one that a parser knows."""
        below = self._head[end : end + 2000].lstrip("\n").split("\n", 1)[0]
        return bool(below.strip()) and (claimed(below) is not None or _TITLED.match(below) is not None)

    def _is_spoken_of(self, name: str) -> bool:
        """Whether the text speaks of it as of a host: in a prompt, a system log, a table of nodes, as the system's own
        name.
        """
        host = re.escape(name.split(".", 1)[0])
        full = rf"{host}[\w.-]{{0,100}}"
        speaks = re.compile(
            rf"[^\n]{{0,200}}@{full}[ :\]~]|Linux \S{{1,80}} \({full}\)|(?:Linux|SunOS|AIX|HP-UX) {full} "
            rf"|[ \t]*\*?[ \t]*\d{{1,3}}[ \t]+{host}[ \t]+(?:OPEN|CONNWAIT)"
            rf"|[^\n]{{0,60}}\d\d:\d\d:\d\d(?:[.,+\d:]{{1,16}})? {full} (?:kernel|[\w./-]{{1,60}}\[\d+\]):"
            rf"|{full}(?::[^\s#]{{0,80}})?[ ]?# ?\S|[^\n]{{0,200}}\bssh {_OPTIONS}(?:[\w.-]{{1,40}}@)?{host}\b"
        )
        at = -1
        for _ in range(_MOST_PLACES):
            at = self._head.find(name.split(".", 1)[0], at + 1)
            if at < 0:
                return False
            begin = max(self._head.rfind("\n", 0, at) + 1, at - 260)
            if speaks.match(self._head, begin):
                return True
        return False

    def _moulded(self, text: str, *, in_output: bool) -> str | None:
        for mould, word in _moulds(text) if len(text) < _LONGEST else ():
            is_plain = in_output and mould[0].strip()[:1] not in _OPENING and mould not in self._prompted
            if word in self._moulds.get(mould, ()) and not (is_plain and _undated(text) == text):
                return word
        return None

    def host_of(self, text: str, *, in_output: bool = False) -> str | None:
        """The node that a heading names; None where the line is none, or its name may well be something else.

        in_output: a command was typed above, of whose output a word with a colon may be a part.
        """
        if self._sentences and (spoken := self._sentences.get(text.strip())):
            return spoken
        if self._moulds and (word := self._moulded(text, in_output=in_output)) is not None:
            return word
        if self._alone and not in_output and (name := text.rstrip()) in self._alone:
            return name
        if not self.names or (match := _ONE.match(text.strip())) is None:
            return None
        name = match["ruled"] or match["boxed"] or match["colon"]
        is_known = name in self.names or (
            match["colon"] is None and looks_like_host(name) and shape(name) in self._shapes
        )
        return name if is_known else None

    def may_be(self, word: str, line: int) -> bool:
        """Whether a word alone on its line is worth a look at the line below."""
        return bool(self._fenced) or (line == 1 and looks_like_host(word) and _LONE.match(word) is not None)

    def fenced(self, name: str, below: str) -> str | None:
        """What stands alone between two rules: the node, or several that printed the same, under their common name
        (``node[11-16]``); empty where that is too long for a name.
        """
        if not self._fenced or not is_rule(below):
            return None
        name = _HOW_MANY.sub("", name)
        if (name in self._fenced and _LONE.match(name)) or (_LONE.match(name) and shape(name) in self._shapes):
            return name
        if not is_several(name):
            return None
        return name if len(name) <= LONGEST_SET else ""


def _is_of_dates(words: set[str]) -> bool:
    """Whether words in front of lines are weekdays or levels, which stand in front of a month or a moment too."""
    return any(word.lower() in LEVELS or (len(word) <= _LONGEST_DAY and word[0].isupper()) for word in words)


def _is_known_behind(words: set[str], found: list[re.Match[str]]) -> bool:
    """Whether lines are known behind each of some words, and none of those with them."""
    known: set[str] = set()
    for match in found:
        if match["word"] in words - known and _is_read(match["rest"]):
            if _is_read(match.string):
                return False
            known.add(match["word"])
    return known == words


def _is_read(text: str) -> bool:
    """Whether a reader of more than shapes knows a line."""
    return (owner := claimed(text)) is not None and owner.priority > _GUESSED


_LONGEST_DAY: Final = 3


def _undated(text: str) -> str:
    """A heading without its date, which differs from one to the next: to compare the rest."""
    if ":" not in text or (found := find_instant(text)) is None:
        return text
    return f"{text[: found[1]]}0{text[found[2] :]}"


def _moulds(line: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each word of a heading that may be a node's, with the rest of the heading in which numbers are blanked."""
    printed = _GAP.sub(" ", line.strip())
    text = _undated(printed)
    words = _WORD.split(text)
    if not text or len(words) > _MOST_WORDS:
        return
    is_dated = text != printed and len(words) <= _MOST_WORDS_DATED
    if not (is_dated or printed[0] in _OPENING or printed[-1] == ":" or ": " in printed):
        return
    lowered = [word.lower() for word in words]
    blanked: list[str] = []
    for at in range(1, len(words), 2):
        word, plain = words[at], lowered[at]
        if plain.rstrip("0123456789-") in _COMMON_WORDS or plain.rpartition(".")[2] in _ENDINGS:
            continue
        if is_name_of_node(word):
            blanked = blanked or _DIGITS.sub("#", "\n".join(lowered)).split("\n")
            yield (*blanked[:at], "?", *blanked[at + 1 :]), word


def shape(name: str) -> str:
    """The name with its numbers blanked: nodes of one cluster often differ in nothing else."""
    return _DIGITS.sub("#", name.split(".", 1)[0].lower())


_NOTHING: Final = "-"
"""In place of a reader: an output that has no lines."""
_WHOLE: Final = 1 << 15
_OF_OUTPUTS: Final = frozenset(
    "alarms alerts deadlocks findings issues messages problems remarks notes symptoms traces waiters waits".split()
)


def _may_print_nothing(word: str) -> bool:
    """Whether a word may be a node's though nothing stands below one of the headings: titles of parts of a report are
    written with a capital, or name what they list.
    """
    return looks_like_host(word) or (word.islower() and word not in _OF_OUTPUTS | _SMALL and word not in programs())


def is_word_of_tools(word: str) -> bool:
    """Whether it stands behind ``server`` or ``node`` in headings of tools, and names none: ``Server list:``."""
    return word.lower() in _COMMON_WORDS


def is_thing(word: str) -> bool:
    """Whether it is a word for a thing that is numbered as hosts are: ``sample3``."""
    label = word.split(".", 1)[0].lower()
    return label.rstrip("0123456789-_") in _THINGS and _HOST_NUMBER.match(label) is None


def looks_like_host(name: str) -> bool:
    """A word that may well be a host's: with a number or a domain, and no name of a disk, a mount or a file."""
    labels = name.split(".")
    if _ENDINGS.intersection(map(str.lower, labels[1:])) or labels[-1].isdigit() or is_thing(labels[0]):
        return False  # logs go on behind their ending: ``mmfs.log.latest``, ``messages.log.1``
    letters = sum(c.isalpha() for c in labels[0])
    return len(labels) > 2 or (any(c.isdigit() for c in labels[0]) and letters > (1 if "-" in labels[0] else 2))


def is_rule(text: str) -> bool:
    """A line of marks only."""
    return _RULE.match(text.strip()) is not None


def lone_name(text: str) -> str | None:
    """The name that stands alone on a line."""
    match = _LONE.match(text.strip())
    return match[0] if match else None


def holds_host(path: str, line: int) -> bool:
    """Whether the first line of a file is the name of the host, by the name of the file."""
    return line == 1 and path.replace("!", "/").rpartition("/")[2] in (
        "hostname",
        "hostname_-f",
        "nodename",
        "uname_-n",
    )


def asks_for_host(command: str) -> bool:
    """Whether a command line prints the name of the host."""
    return ("hostname" in command or "uname" in command) and _NAME_COMMANDS.search(command) is not None
