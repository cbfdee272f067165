"""Objects of YAML that show a state, as tools print them: ``kubectl get pod -o yaml``, ``ceph status -f yaml``.

    apiVersion: v1
    kind: Pod
    metadata:
      name: mailq-0

They are judged as those of JSON are. YAML is also how people write settings, so a text is read as such only below the
head of an object of Kubernetes or a command that asks for it. Source: YAML 1.2, the API of Kubernetes.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.shared.objects import put_object
from parsers.grammars.yaml_walk import YamlWalk
from parsers.ledger import Fate
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_CLAIMS: Final = r"(?:- )?apiVersion: [\"']?[a-z][\w./-]{0,80}[\"']?$"
_PAIR: Final = re.compile(r"(?:- {1,8}){0,4}[\"']?[\w$@./~-][^:\n]{0,200}:(?:\s|$)")
_SENTENCE: Final = re.compile(r"INFO: task |[\w./-]{1,80}: {1,8}[^\s\"'\[{|>&,][^,\n]{0,200}, ")
"""At the margin: what stands there at the right of a key is a word or a number, and no part of a list of them."""
_PART: Final = re.compile(r"-(?: |$)|---$|\.\.\.$|#")


def _owns(text: str, before: str) -> bool:
    """A key, a part of a list, or a text that goes on at the right of its key."""
    if text[:1].isspace() and before.strip():
        return True
    if _SENTENCE.match(text) is not None:
        return False
    return _PAIR.match(text) is not None or _PART.match(text) is not None


@parser(
    "yaml_objects",
    version=1,
    product="",
    claims=_CLAIMS,
    owns=_owns,
    priority=-60,
    names_hosts=True,
    places=r"(?:^|\s)(?:-o|-f|-F|--output|--format|--output-as)[= ]?yaml\b|--yaml\b",
)
def yaml_objects(section: OpenSection, out: Output) -> None:
    """Objects with a state, of any tool."""
    walk = YamlWalk()
    first: Line | None = None
    shown = lines = 0
    for line in section:
        first = first or line
        lines += 1
        for one in walk.feed(line.text, line.number):
            shown += put_object(section, out, one, walk.around)
    for one in walk.end():
        shown += put_object(section, out, one, walk.around)
    if shown:
        out.frame(lines)
    elif first is not None:
        out.skip(first, "no object of this text shows a state")
        out.ledger.change(lines - 1, Fate.UNREAD)
