"""What stands above a line: the node, the moment and the command that prompts, headings, dates and names in front of
lines tell of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from parsers.headings.context import HINTED, Context
from parsers.headings.node_banners import NodeBanners
from parsers.headings.paths import clock_from_path, node_from_path
from parsers.headings.transcript import Command, Mark, Prompt, banner_command, continued
from parsers.layouts.prefixes import MOST_HOSTS, CarriedPrefixes
from parsers.line_kinds import announces_example
from parsers.reading import Hints
from parsers.sections.carried_over import CarriedOver
from parsers.text import Line
from parsers.times.years import CarriedYears

LOGINS: Final = frozenset(
    ("ssh", "rsh", "remsh", "slogin", "plink", "bash", "ksh", "sh", "zsh", "oc", "kubectl", "vagrant")
)
"""Programs that leave the prompt on the other node."""
TO_MANY: Final = frozenset(
    "ansible bolt cexec clush dcli dsh mmdsh parallel-ssh pdsh pssh salt salt-ssh tentakel xdsh".split()
)
"""Programs that send a command to many nodes."""
IN_FRONT: Final = "line prefix"
REMARK_KEPT: Final = 240
"""Letters of what somebody wrote above an output."""
MOST_TO_EXAMPLE: Final = 8
"""Lines from the sentence that announces an example to it."""


class Above:
    """Follows what the structure of a text tells. ``context`` holds for the next line; ``elided``: output was left out
    above it.
    """

    def __init__(self, hints: Hints) -> None:
        hinted = hints.node or node_from_path(hints.path)
        basis = "given" if hints.node else "path" if hinted else "unknown"
        self.context = Context(node=hinted, node_basis=basis, clock=clock_from_path(hints.path))
        self.elided = False
        self._remark = (0, "")
        """The last line of what somebody wrote, and its end."""
        self._is_given = hints.node is not None
        self._hinted = hinted
        self._last_host: str | None = None
        self._typed: tuple[str | None, str] = (None, "unknown")
        self._of_all = self.context
        self._by_host: dict[str, Context] = {}
        self._carrier: str | None = None
        """The node that stands in front of the lines."""
        self.has_one_host: Callable[[], bool] = bool
        """Whether no other one stands in front of any line nearby."""

    def stand(self, above: CarriedOver) -> None:
        """Go on below a text that another reader read."""
        self.context, self._typed, self._last_host = above.context, above.typed, above.last_host
        self._of_all = self.context
        self._carrier = self.context.node if self.context.node_basis == IN_FRONT else None

    def carried(
        self,
        line: int,
        years: tuple[tuple[int | None, CarriedYears], ...],
        prefixes: CarriedPrefixes,
        banners: NodeBanners,
        *,
        is_certain: bool,
    ) -> CarriedOver:
        """What a line below line ``line`` takes over; not certain where nodes in front of lines told more than can be
        compared.
        """
        is_certain = is_certain and not self._by_host and self._carrier in (None, self.context.node)
        return CarriedOver(line, self.context, self._typed, self._last_host, years, prefixes, banners, is_certain)

    def say(self, line: Line) -> None:
        """Somebody wrote a line of a text, which may go on with the one above."""
        number, text = self._remark
        self._remark = (line.number, f"{text if number == line.number - 1 else ''} {line.text.strip()}"[-REMARK_KEPT:])

    def is_example(self, line: int) -> bool:
        """Whether the text above says that what begins on a line is an example of a manual."""
        number, text = self._remark
        return 0 < line - number <= MOST_TO_EXAMPLE and announces_example(text)

    def tell(self, **changes: Any) -> None:
        """Columns of the context change. A node that the user gave stays."""
        if self._is_given:
            changes |= {"node": self.context.node, "node_basis": "given"}
        self.context = self.context._replace(epoch=self.context.epoch + 1, **changes)
        self.elided, self._remark = False, (0, "")

    def prompt(self, prompt: Prompt, line: int) -> None:
        """A command was typed."""
        node, basis = self._typed = (prompt.host, "prompt") if prompt.host else self._host_before()
        if prompt.command.elsewhere:
            node, basis = prompt.command.host, "prompt" if prompt.command.host else "unknown"
        clock = {"clock": prompt.instant} if prompt.instant else {}
        self.tell(node=node, node_basis=basis, command=prompt.command, prompt_line=line, **clock)

    def goes_on(self, text: str) -> None:
        """The command was typed over several lines."""
        if self.context.command is not None:
            self.context = self.context._replace(command=continued(self.context.command, text))

    def mark(self, mark: Mark, line: int) -> None:
        """A heading, a banner, a date."""
        loop = self.context.command if mark.basis in ("heading", "ordinal") and mark.node else None
        self.context = self.below(self.context, mark, line)
        if loop is not None and (mark.node in loop.loop or _is_of_many(loop)):
            self.context = self.context._replace(command=loop)
        self.elided = False

    def dump(self, head: Mark, banner: Mark, line: int) -> None:
        """A head that names a node, and below it, on a line, a banner that names at most a command: as ``mark`` of both
        would leave it.
        """
        keep = self.context
        command = banner_command(None, banner.command) if banner.command else None
        self.context = Context(
            keep.node if self._is_given else head.node,
            "given" if self._is_given else head.basis,
            head.instant or keep.clock,
            command,
            line if command is not None else 0,
            keep.epoch + 2,
        )
        self.elided = False

    def below(self, keep: Context, mark: Mark, line: int) -> Context:
        """The context below a mark."""
        command = (
            banner_command(keep.command, mark.command)
            if mark.command
            else None
            if mark.ends or mark.node
            else keep.command
        )
        return Context(
            keep.node if self._is_given else None if mark.basis == "unknown" else mark.node or keep.node,
            "given" if self._is_given else mark.basis or keep.node_basis,
            None if mark.ends else mark.instant or keep.clock,
            command,
            line if mark.command else 0 if command is None else keep.prompt_line,
            keep.epoch + 1,
        )

    def is_elsewhere(self, host: str) -> bool:
        """Whether a node in front of a line is another one than that of the lines above. Where one and the same stands
        in front of all of them, it may only carry what was asked of others: a heading or a prompt goes before it.
        """
        if not host or host == self.context.node or self._is_given:
            return False
        return host != self._carrier or self.context.node is None or not self.has_one_host()

    def turn_to(self, host: str) -> None:
        """To the node whose name stands in front of a line: what its own lines told holds for it, else what was told to
        all.
        """
        before, self._carrier = self.context, host
        if (
            before.node is not None
            and before.node_basis == IN_FRONT
            and (len(self._by_host) < MOST_HOSTS or before.node in self._by_host)
        ):
            self._by_host[before.node] = before
        context = self._by_host.get(host, self._of_all)
        self.context = context._replace(node=host, node_basis=IN_FRONT, epoch=before.epoch + 1)
        self.elided = False

    def sent_to_all(self) -> None:
        """What was told last stood in no node's own line."""
        self._of_all, self._by_host, self._carrier = self.context, {}, None

    def leaves_prompt(self) -> bool:
        """A sentence ends the output of a prompt: what stands below it was not printed there, and its node is not
        known.
        """
        if self.context.node_basis != "prompt" or self._is_given:
            return False
        self._last_host = self.context.node
        self.tell(node=self._hinted, node_basis="path" if self._hinted else "unknown", command=None, prompt_line=0)
        return True

    def is_on(self, node: str, basis: str) -> None:
        """The text itself tells its node, and may tell another one later on. What is open stays so: the line is no
        structure.
        """
        if self.context.node_basis in HINTED or self.context.node_basis == basis:
            self.context = self.context._replace(node=node, node_basis=basis)

    def _host_before(self) -> tuple[str | None, str]:
        """For a bare prompt: it is typed where the prompt before it was, also when somebody wrote a remark between the
        two.
        """
        command = self.context.command
        if command is not None and command.elsewhere and command.program not in LOGINS:
            return self._typed
        if self.context.node_basis == IN_FRONT:
            return self._hinted, "path" if self._hinted else "unknown"
        if self.context.node is None and self._last_host is not None:
            return self._last_host, "prompt"
        return self.context.node, self.context.node_basis


def _is_of_many(command: Command) -> bool:
    """Whether it was sent to several nodes, each of which is named above what it prints."""
    words = command.text.split(maxsplit=2) if command.elsewhere else []
    return command.program in TO_MANY or any(word.rpartition("/")[2] in TO_MANY for word in words[:2])
