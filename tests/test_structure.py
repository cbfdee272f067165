"""The shape of the code that no tool checks: what imports what, what every rule and text must have, how tangled a
function may be.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Container, Iterator
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Final, get_type_hints

import complexipy

from apps.diagnosis.engine.core.alarms import collected as alarms
from apps.diagnosis.engine.core.facts.case import Case, needs_of
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.findings.registry import Rule, faults_of
from apps.diagnosis.engine.core.model import BASES
from apps.diagnosis.engine.core.words.knowledge import Limits, limit_groups, limits, rule_texts, tuning_texts
from apps.diagnosis.engine.core.words.metrics import FILES, catalogue
from apps.diagnosis.engine.core.words.phrases import names_in, phrases
from apps.diagnosis.engine.products import rules
from parsers.lookup import parsers
from parsers.records import Counter, DiskIo, Event, Setting
from parsers.records.locks import DlmLock, PosixLock
from parsers.records.waits import Stack
from tests.every import every
from tests.patience import HANGS_S
from tests.syntax import nodes, tree

ROOT = Path(__file__).resolve().parents[1]
CODE = ("apps", "config", "parsers", "scripts")
MOST_COMPLEX = 20
TANGLED: dict[str, int] = {  # to be taken apart: the list may only shrink
    "differences.py::_locks": 30,
    "fs.py::scale_fs": 21,
    "graph.py::chain_ends": 31,
    "tables.py::_pulls": 23,
    "nodes_by_path.py::_node_of": 21,
}
BY_HAND = 220  # places with `fmt: skip`
WIDE = 131  # lines of templates and styles above 140 characters
CATCH_ALL: dict[str, str] = {
    "parsers/sections/lines.py": "around a block read ahead: raised again when reading gets there",
    "parsers/formats/scale/waits/waiters_ahead.py": "around a window made by a thread: raised again by its reader",
    "apps/diagnosis/engine/analysis.py": "around one artifact",
    "apps/diagnosis/engine/core/findings/registry.py": "around one rule",
    "apps/ingest/reading/failures.py": "around one artifact or a window of it: its row has to say that it ended",
    "apps/ingest/reading/batches.py": "around one batch: it is divided until the file that it comes from stands alone",
    "apps/ingest/reading/bundles.py": "around one bundle: its row has to say that it ended",
    "apps/ingest/scheduling/held_case.py": "around one case: its row has to say that it ended",
}
FASTER: dict[
    str, tuple[str, ...]
] = {  # imported only when a text turns out to be large, and only where it is installed
    "parsers/formats/scale/waits/rows.py": ("polars",),
    "parsers/formats/scale/waits/waiters_bulk.py": ("numpy",),
    "parsers/formats/scale/waits/waiters_window.py": ("numpy", "polars"),
    "parsers/patterns/line_masks.py": ("numpy", "polars"),
}
REFS = sorted(rules())
TEXTS = sorted(rule_texts())
FILE_SYSTEMS: Final = "o?gfs2 | ocfs2"
IMPATIENT: Final = re.compile(
    r"\b(?:timeout|limit_s)=\d[\d_]+\b(?!\.)"
    r"|\.(?:wait|join)\(\d{2,}\)"
    r"|\b(?:monotonic|perf_counter|time\.time)\(\) - \w+ <"
)
PRODUCT_WORD: Final = re.compile(r"(?i)gpfs|mmfs|mmdiag|spectrum|vxfs|veritas|gfs2|glock|\bllt|\bgab\b|hastatus")


def sources(*folders: str) -> list[Path]:
    return sorted(
        path for folder in folders for path in (ROOT / folder).rglob("*.py") if "migrations" not in path.parts
    )


RULES = [path for path in sources("apps/diagnosis/engine") if "rules" in path.parts]


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imports(path: Path) -> frozenset[str]:
    """Every module that a file names in an import, also inside functions and for types only."""
    assert all(node.level == 0 for node in nodes(path, ast.ImportFrom)), f"{shown(path)}: a relative import"
    plain = {alias.name for node in nodes(path, ast.Import) for alias in node.names}
    return frozenset(plain | {node.module or "" for node in nodes(path, ast.ImportFrom)})


# --- what imports what ------------------------------------------------------------------------------------------------


def test_no_modules_stand_in_a_circle() -> None:
    """By imports that only types need too, and by those inside functions."""
    known = {_dotted(path): path for path in sources("apps", "config", "parsers", "scripts")}
    needed = {name: {one for one in _taken(path, known) if one != name} for name, path in known.items()}
    TopologicalSorter(needed).prepare()


def _dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _taken(path: Path, known: Container[str]) -> Iterator[str]:
    yield from (alias.name for node in nodes(path, ast.Import) for alias in node.names if alias.name in known)
    for node in nodes(path, ast.ImportFrom):
        named = (f"{node.module}.{alias.name}" for alias in node.names)
        yield from (
            name if name in known else str(node.module) for name in named if name in known or node.module in known
        )


@every(sources("parsers"), shown)
def test_the_parsers_need_the_standard_library_and_two_decoders_only(path: Path) -> None:
    allowed = {*sys.stdlib_module_names, "parsers", "zstandard", "isal", *FASTER.get(shown(path), ())}
    assert {name.partition(".")[0] for name in imports(path)} <= allowed


@every([path for path in sources("parsers", "apps") if shown(path) != "parsers/dataclass.py"], shown)
def test_dataclasses_are_those_that_make_their_methods_late(path: Path) -> None:
    assert (
        re.search(r"^(?:from dataclasses import [^\n]*\bdataclass\b|@dataclasses\.)", path.read_text(), re.MULTILINE)
        is None
    )


@every(sources("apps/diagnosis/engine"), shown)
def test_the_engine_is_computation_only(path: Path) -> None:
    allowed = {*sys.stdlib_module_names, "numpy", "polars"}
    for name in imports(path):
        inside = name.startswith(("apps.diagnosis.engine", "parsers"))
        assert inside or name.partition(".")[0] in allowed, f"{shown(path)} imports {name}"


def called(node: ast.Call) -> str:
    """``name`` or ``module.name`` of what is called; of no interest where it is anything longer."""
    match node.func:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=module), attr=name):
            return f"{module}.{name}"
    return ""


@every(sources("parsers", "apps", "config"), shown)
def test_t08_no_program_and_no_shell_is_started(path: Path) -> None:
    assert {name.partition(".")[0] for name in imports(path)}.isdisjoint({"subprocess", "pty", "popen2", "commands"})
    calls = {called(node) for node in nodes(path, ast.Call)}
    started = {
        name for name in calls if re.fullmatch(r"os\.(system|popen|exec\w+|spawn\w+|posix_spawn\w*|fork\w*)", name)
    }
    assert started | (calls & {"eval", "exec", "compile", "__import__"}) == set()


def test_each_number_of_the_list_names_a_test() -> None:
    named = {f"T{number}" for name in names_of_tests() for number in re.findall(r"(?<=_)t(\d\d)(?=_)", name)}
    assert named == {f"T{number:02d}" for number in range(1, 49)}


def names_of_tests() -> Iterator[str]:
    for path in (ROOT / "tests").rglob("test_*.py"):
        yield from re.findall(r"^ *def (\w+)", path.read_text(encoding="utf-8"), re.MULTILINE)


def test_parsers_and_engine_start_without_django() -> None:
    code = (
        "import sys, parsers.sections.reader, apps.diagnosis.engine.products as r; r.rules(); sys.exit('django' in "
        "sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=HANGS_S).returncode == 0


@every(RULES, shown)
def test_no_rule_depends_on_another(path: Path) -> None:
    functions = {rule.function.__name__ for rule in rules().values()}
    names = {
        alias.name for node in nodes(path, ast.ImportFrom) if ".rules." in (node.module or "") for alias in node.names
    }
    assert not names & functions


# --- shape of files ---------------------------------------------------------------------------------------------------


def test_no_function_is_more_tangled_than_one_can_follow() -> None:
    """Cognitive complexity, as complexipy counts it: what is nested counts more than what stands side by side."""
    counted: dict[str, int] = defaultdict(int)
    for path in sources(*CODE):
        for function in complexipy.file_complexity(str(path)).functions:
            name = f"{path.name}::{function.name}"
            counted[name] = max(counted[name], function.complexity)
    assert {name: number for name, number in counted.items() if number > TANGLED.get(name, MOST_COMPLEX)} == {}


def test_fewer_places_are_formatted_by_hand() -> None:
    """A table of data may keep its columns; everything else is laid out by ruff. The number may only fall."""
    kept = sum(path.read_text(encoding="utf-8").count("# fmt: " + "skip") for path in sources(*CODE, "tests"))
    assert kept <= BY_HAND


def test_fewer_lines_of_templates_and_styles_are_longer_than_140_characters() -> None:
    files = (
        path
        for folder in ("templates", "static/css")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".html", ".css")
    )
    assert sum(len(line) > 140 for path in files for line in path.read_text(encoding="utf-8").splitlines()) <= WIDE


def catches_all(path: Path) -> int:
    """``except:``, ``except Exception`` and ``except BaseException`` that swallow what they catch."""
    found = 0
    for node in nodes(path, ast.ExceptHandler):
        names = {name.id for name in ast.walk(node.type) if isinstance(name, ast.Name)} if node.type else {"Exception"}
        raises = any(isinstance(inner, ast.Raise) and inner.exc is None for inner in ast.walk(node))
        found += bool(names & {"Exception", "BaseException"}) and not raises
    return found


def test_errors_are_swallowed_only_where_one_thing_of_many_may_fail() -> None:
    counted = {shown(path): catches_all(path) for path in sources(*CODE)}
    assert {place: number for place, number in counted.items() if number} == dict.fromkeys(CATCH_ALL, 1)


def test_no_test_fails_because_the_machine_is_slow() -> None:
    """Who waits for what must come waits as long as tests/patience.py says, and nothing is compared with a clock on the
    wall; what is meant to wait in vain has a fraction or a single digit.
    """
    found = [
        f"{shown(path)}: {impatient[0]}"
        for path in sources("tests")
        for impatient in IMPATIENT.finditer(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_a_stored_file_is_removed_for_want_of_its_row_in_one_place_only() -> None:
    removing = {
        shown(path)
        for path in sources("apps")
        for node in nodes(path, ast.ExceptHandler)
        for inner in ast.walk(node)
        if isinstance(inner, ast.Attribute) and inner.attr in {"delete_prefix", "remove_stored", "take_back"}
    }
    assert removing == set()


def test_every_exception_from_a_check_names_its_code_and_its_reason() -> None:
    reason = re.compile(r": [A-Z]+\d+(, ?[A-Z]+\d+)*\s+(?:- )?\S+ \S+")
    bare = [
        f"{shown(path)}:{number}"
        for path in sources(*CODE, "tests")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if (match := re.search(r"#\s*noqa(.*)$", line)) and not reason.match(match[1]) and path != Path(__file__)
    ]
    assert bare == []


SYSTEM = ("/proc", "/dev/shm", "/usr", "/etc", "/var", "/tmp", "/nowhere")
"""Where a test may look, or pretend to, outside the repository."""

PLACE_OUTSIDE: Final = re.compile(r"""["']shared|\bPath\(\s*\w?["']/""")
"""What a file must hold to be worth a look: to take apart all tests costs seconds."""


def test_only_one_module_knows_where_the_references_stand() -> None:
    for path in sources("tests"):
        if not PLACE_OUTSIDE.search(path.read_text(encoding="utf-8")):
            continue
        parts = [node.right for node in nodes(path, ast.BinOp) if isinstance(node.op, ast.Div)]
        named = {part.value for part in parts if isinstance(part, ast.Constant)}
        assert "shared" not in named or shown(path) == "tests/references.py", shown(path)
        for call in (node for node in nodes(path, ast.Call) if called(node) == "Path"):
            given = call.args[0].value if call.args and isinstance(call.args[0], ast.Constant) else ""
            assert not str(given).startswith("/") or str(given).startswith(SYSTEM), f"{shown(path)}: {given!r}"


UNCLEAR: Final = {
    "told": "stated, reported, shown; what the name holds",
    "said": "message, text, stated; what the name holds",
    "asked": "requested; what the name holds",
    "dear": "costly",
    "readings": "samples, captures, rows",
    "wants": "needs, requests",
}
"""Words that tell where a value came from and not what it is."""
COLUMNS_NAMED_SO: Final = frozenset(("told_at", "told_by", "asked_at"))
"""Columns of the database, and what carries their values to a page or to the API."""
ITS_COLUMN: Final = {"apps/webhooks/models.py": {"told"}}


def identifiers(path: Path) -> Iterator[str]:
    """What a module names itself: functions, classes, parameters, variables, attributes, other names of imports."""
    yield from (node.name for node in nodes(path, ast.FunctionDef))
    yield from (node.name for node in nodes(path, ast.AsyncFunctionDef))
    yield from (node.name for node in nodes(path, ast.ClassDef))
    yield from (node.arg for node in nodes(path, ast.arg))
    yield from (node.asname for node in nodes(path, ast.alias) if node.asname)
    yield from (node.name for node in nodes(path, ast.MatchAs) if node.name)
    yield from (node.id for node in nodes(path, ast.Name) if isinstance(node.ctx, ast.Store))
    yield from (node.attr for node in nodes(path, ast.Attribute) if isinstance(node.ctx, ast.Store))


def test_names_of_the_code_say_what_they_hold() -> None:
    found = [
        f"{shown(path)}: {name}, write {UNCLEAR[word]}"
        for path in sources(*CODE, "tests")
        if any(word in path.read_text(encoding="utf-8").lower() for word in UNCLEAR)
        for name in set(identifiers(path)) - COLUMNS_NAMED_SO - ITS_COLUMN.get(shown(path), set())
        for word in {part.lower() for part in re.findall(r"[A-Z]*[a-z]*", name)} & UNCLEAR.keys()
    ]
    assert not found, "\n".join(found)


def test_module_names_say_what_is_inside() -> None:
    empty = {"utils", "helpers", "common", "manager", "misc"}
    assert [shown(path) for path in sources(*CODE) if empty & set(path.relative_to(ROOT).with_suffix("").parts)] == []


@every(sources("parsers", "apps/diagnosis/engine"), shown)
def test_nothing_is_printed_by_library_code_and_every_module_says_what_it_is(path: Path) -> None:
    assert "print" not in {called(node) for node in nodes(path, ast.Call)}
    assert ast.get_docstring(tree(path))


# --- parsers ----------------------------------------------------------------------------------------------------------


@every(sorted(parsers()))
def test_the_module_of_a_parser_shows_a_sample_and_names_its_source(name: str) -> None:
    module = inspect.getmodule(inspect.unwrap(parsers()[name].read))
    assert module is not None
    words = inspect.getdoc(module) or ""
    assert len(words.splitlines()) >= 5
    assert "Source" in words


@every(sorted(parsers()))
def test_a_parser_has_a_version_and_claims_no_blank_line(name: str) -> None:
    parser = parsers()[name]
    assert parser.version >= 1
    assert re.match(parser.claims, "") is None
    assert re.compile(parser.claims).groups == 0, (
        "a claim with groups of its own would be mixed up with those of others"
    )


# --- rules ------------------------------------------------------------------------------------------------------------


@cache
def engine_tests() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "tests" / "diagnosis").glob("test_*.py"))


@every(REFS)
def test_every_rule_is_explained_by_symptom_reasoning_and_source(ref: str) -> None:
    words = inspect.getdoc(rules()[ref].function) or ""
    for part in ("Symptom:", "Reasoning:", "Source:"):
        assert re.search(rf"\b{part} \S", words), f"{ref} lacks {part}"


@every(REFS)
def test_every_sentence_of_a_rule_is_filled_by_what_the_rule_gives(ref: str) -> None:
    assert list(faults_of(rules()[ref])) == []


@every(sorted(parsers()))
def test_every_pattern_of_a_parser_compiles(name: str) -> None:
    assert parsers()[name].owns("", "") in (True, False)


@every(REFS)
def test_every_rule_has_a_test_that_names_it(ref: str) -> None:
    text = engine_tests()
    assert f'"{ref}"' in text or f"test_{ref.lower().replace('-', '_')}_" in text


def test_every_text_belongs_to_a_rule_and_every_group_of_limits_to_a_rule_or_a_shared_fact() -> None:
    assert set(rule_texts()) == {*rules(), alarms.MESSAGES, alarms.STATES}
    shared = {group for group in limit_groups() if group not in rules()}
    assert not {group for group in shared if re.match(r"(?:R|SC-|GL-|WL-)\d", group)}


TEXT_METHODS: Final = frozenset(
    ("startswith", "endswith", "removeprefix", "removesuffix", "partition", "split", "lower", "casefold")
)


def is_source(node: ast.AST) -> bool:
    """``one.source`` or ``row["source"]``."""
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Constant) and node.slice.value == "source"
    return isinstance(node, ast.Attribute) and node.attr == "source"


JUDGING: Final = (ast.Compare, ast.Attribute, ast.Call, ast.Match)


def judges_source(node: ast.AST) -> bool:
    """Whether it compares the name of a tool, or takes it apart; printing it, or keeping the rows of one report
    together, is neither.
    """
    if isinstance(node, ast.Compare):
        return any(is_source(inner) for side in (node.left, *node.comparators) for inner in ast.walk(side))
    if isinstance(node, ast.Attribute):
        return node.attr in TEXT_METHODS and is_source(node.value)
    if isinstance(node, ast.Call) and called(node) == "pl.col":
        return [given.value for given in node.args if isinstance(given, ast.Constant)] == ["source"]
    return isinstance(node, ast.Match) and is_source(node.subject)


@every(
    [
        "one.source == 'x'",
        "(a, one.source) in known",
        "row['source'] in ('x',)",
        "one.source.startswith('x')",
        "pl.col('source').is_in(x)",
    ]
)
def test_what_judges_by_the_name_of_a_tool_is_seen(code: str) -> None:
    assert any(judges_source(node) for node in ast.walk(ast.parse(code)))


@every(sources("apps/diagnosis/engine"), shown)
def test_no_rule_and_no_fact_compares_the_name_of_a_tool(path: Path) -> None:
    """It tells people where something stands: what a tool measures stands in ``knowledge/<product>/metrics.toml`` and
    its like.
    """
    judging = [node for node in nodes(path, *JUDGING) if judges_source(node)]
    assert [f"{shown(path)}:{node.lineno}" for node in judging] == []  # type: ignore[attr-defined]


@every(sources("apps/diagnosis/engine/core"), shown)
def test_the_core_names_no_product(path: Path) -> None:
    """Commands, folders, kinds of waits: what belongs to a product stands in its own rooms. Comments may name one, and
    so may a list of the kinds of file systems.
    """
    docstrings = {id(node.value) for node in nodes(path, ast.Expr)}
    named = [
        f"{shown(path)}:{node.lineno}"
        for node in nodes(path, ast.Constant)
        if id(node) not in docstrings and PRODUCT_WORD.search(str(node.value).replace(FILE_SYSTEMS, ""))
    ]
    assert named == []


def meanings_named() -> set[tuple[str, str]]:
    """Functions of the catalogue and the keys that the engine gives them."""
    calls = (node for path in sources("apps/diagnosis/engine") for node in nodes(path, ast.Call))
    return {
        (node.func.id, str(node.args[0].value))
        for node in calls
        if isinstance(node.func, ast.Name) and node.args and isinstance(node.args[0], ast.Constant)
    }


def test_every_meaning_of_the_catalogue_is_read_or_says_when_a_setting_holds() -> None:
    makers = {
        Counter: "metric",
        Setting: "setting",
        Event: "log",
        DiskIo: "disk_io",
        Stack: "stack",
        DlmLock: "dlm_lock",
        PosixLock: "posix_lock",
    }
    named = meanings_named()
    unread = [
        (FILES[kind], key)
        for kind, maker in makers.items()
        for key, entry in catalogue(kind).items()
        if (maker, key) not in named and all(carrier.holds == "now" for carrier in entry.carriers)
    ]
    assert set(makers) == set(FILES)
    assert unread == []


def sentences(path: Path) -> list[str]:
    """String constants of four words or more, docstrings and patterns left aside."""
    described = nodes(path, ast.Module, ast.ClassDef, ast.FunctionDef)
    docs = {id(node.body[0].value) for node in described if _has_doc(node)}  # type: ignore[attr-defined]
    texts = [str(node.value) for node in nodes(path, ast.Constant) if id(node) not in docs]
    return [text for text in texts if re.search(r"[A-Za-z]{2,} [a-z]+ [a-z]+ [a-z]+", text)]


def phrase_calls() -> Iterator[tuple[str, str, set[str]]]:
    """Calls of ``phrase`` with a key that stands there as text: place, key, names of the values."""
    for path in sources("apps/diagnosis/engine"):
        for node in nodes(path, ast.Call):
            if called(node) == "phrase":
                keys = [part for part in _results(node.args[0]) if isinstance(part, ast.Constant)]
                yield from (
                    (f"{shown(path)}:{node.lineno}", str(key.value), {word.arg or "" for word in node.keywords})
                    for key in keys
                )


def test_every_phrase_that_is_named_is_there_and_gets_what_it_names() -> None:
    wrong = [
        (place, key)
        for place, key, given in phrase_calls()
        if names_in(phrases(key.partition(".")[0])[key.partition(".")[2]]) != given
    ]
    assert wrong == []


def _has_doc(node: ast.AST) -> bool:
    body: list[ast.stmt] = getattr(node, "body", [])
    first = body[0] if body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)


@every(RULES, shown)
def test_no_rule_holds_a_sentence(path: Path) -> None:
    refs = [ref for ref, rule in rules().items() if inspect.getsourcefile(rule.function) == str(path)]
    if refs:
        assert sentences(path) == []


JOINED: Final = re.compile(r"(?:^|[ \0(])(?:on|of|is|to|from|up|in|none|called|and|or|with|by|more|than)(?=[ \0)]|$)")
UNNAMED: Final = re.compile(r"(?:an?|the|no|not) [a-z]")


def fragments(path: Path) -> Iterator[str]:
    """Pieces of English: what a text with values joins by words, and what is said in place of a name. Patterns are
    none.
    """
    for text in nodes(path, ast.JoinedStr):
        plain = "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in text.values)
        if "\\" not in plain and JOINED.search(plain):
            yield plain.replace("\0", "{}")
    for node in nodes(path, ast.BoolOp):
        given = (part.value for part in node.values[1:] if isinstance(part, ast.Constant))
        yield from (text for text in given if isinstance(text, str) and UNNAMED.match(text))


def test_a_fragment_of_english_is_seen(tmp_path: Path) -> None:
    source = "f'{a} on {b}', f'{a}/{b}', rf'{a}\\d of {b}', c or 'a node', c or 'node', f'none of {a:g} s'\n"
    (tmp_path / "one.py").write_text(source, encoding="utf-8")
    assert list(fragments(tmp_path / "one.py")) == ["{} on {}", "none of {} s", "a node"]


MOST_MODULES: Final = 40
"""In one folder: beyond that, nobody finds what there is already."""


def test_no_folder_is_a_pile() -> None:
    held: dict[Path, int] = defaultdict(int)
    for path in sources("parsers", "apps", "config", "scripts"):
        held[path.parent] += 1
    assert {shown(folder): count for folder, count in held.items() if count > MOST_MODULES} == {}


@every(RULES, shown)
def test_no_rule_joins_values_by_words(path: Path) -> None:
    """Half sentences are phrases of the knowledge as well (``knowledge/<product>/phrases.toml``)."""
    assert list(fragments(path)) == []


MOST_LINES: Final = 30
"""Of the body of a rule, without its docstring."""


@every(REFS)
def test_a_rule_is_read_at_one_glance(ref: str) -> None:
    [function] = ast.parse(inspect.getsource(rules()[ref].function)).body
    assert isinstance(function, ast.FunctionDef)
    first = function.body[1] if _has_doc(function) else function.body[0]
    assert (function.end_lineno or 0) - first.lineno < MOST_LINES, f"{ref}: {function.name}"


@every(REFS)
def test_a_rule_takes_what_it_says_that_it_needs(ref: str) -> None:
    rule = rules()[ref]
    hints = [hint for name, hint in get_type_hints(rule.function).items() if name != "return"]
    left_over = [frozenset[str | None]] if rule.alone else []
    assert [*rule.needs, *left_over, Limits] == hints
    for need in rule.needs:
        assert need is not Case
        assert {one.__name__ for one in every_need(need) if Case in needs_of(one) and not _is_core(one)} == set()


def _is_core(kind: type) -> bool:
    """Facts of the core may take the case, to have each product say its part."""
    return kind.__module__.startswith("apps.diagnosis.engine.core.")


def every_need(kind: type) -> set[type]:
    """A fact and all that it is made of."""
    return (
        {kind}.union(*(every_need(need) for need in needs_of(kind) if need is not kind))
        if kind not in (Facts, Case)
        else set()
    )


# --- words ------------------------------------------------------------------------------------------------------------


@every(TEXTS)
def test_every_finding_text_has_a_source_a_basis_and_what_disproves_it(ref: str) -> None:
    text = rule_texts()[ref]
    assert text.basis in BASES
    assert text.source
    assert text.disproved_by
    assert text.product in ("spectrum-scale", "veritas", "gfs2", "storage", "")  # none: it may be about any
    assert re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", text.rule)
    for words in (text.words, *text.variants.values()):
        assert words.title
        assert words.explanation.endswith((".", "}"))
        assert not words.verdict.endswith(".")


@every(sorted(tuning_texts()))
def test_every_tuning_names_its_risk_its_way_back_and_its_source(key: str) -> None:
    text = tuning_texts()[key]
    assert text.sources
    assert text.basis in BASES
    for part in (
        text.parameter,
        text.recommended,
        text.persist,
        text.caution,
        text.way_back,
        text.verify,
        text.since,
        text.why,
    ):
        assert part
    for part in (*text.commands, text.persist, text.way_back, text.verify):
        assert "{" not in part.format_map(
            defaultdict(lambda: "something", scope="/mnt")
        )  # the rule that asks for it fills the rest


def test_every_tuning_is_requested_and_every_one_requested_exists() -> None:
    used_keys = {key for text in rule_texts().values() for key in text.tunings}
    used_keys |= {
        key for text in rule_texts().values() for level in text.levels.values() for key in level.tunings or ()
    }
    used_keys |= {key for ref in REFS for key in strings(rules()[ref]) if key in tuning_texts()}
    assert used_keys <= set(tuning_texts())
    assert {key for key in tuning_texts() if key not in used_keys} <= {
        key for key, text in tuning_texts().items() if text.not_offered
    }


@every(sorted(key for key, text in tuning_texts().items() if text.not_offered))
def test_what_no_rule_offers_says_why_and_has_no_command_to_copy(key: str) -> None:
    assert tuning_texts()[key].not_offered.endswith(".")
    assert tuning_texts()[key].commands == ()


@every(REFS)
def test_every_limit_that_a_rule_asks_for_is_there(ref: str) -> None:
    known = set(limits(ref).all())
    used_keys = {
        node.attr
        for node in ast.walk(ast.parse(inspect.getsource(rules()[ref].function)))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "limits"
    }
    assert used_keys - {"words", "all"} <= known


@cache
def strings(rule: Rule) -> frozenset[str]:
    """All texts in the module of a rule and in what it imports from the engine: keys of words, names of variants."""
    module = inspect.getmodule(rule.function)
    assert module is not None
    path = Path(str(module.__file__))
    used = (
        importlib.import_module(name).__file__ for name in imports(path) if name.startswith("apps.diagnosis.engine.")
    )
    own = [path, *(Path(str(file)) for file in used)]
    return frozenset().union(*map(_texts, own)) | _keywords(path)


@cache
def _texts(path: Path) -> frozenset[str]:
    constants = (node.value for node in nodes(path, ast.Constant))
    return frozenset(value for value in constants if isinstance(value, str))


def _keywords(path: Path) -> frozenset[str]:
    """Names of ``dict(name=...)`` and the like."""
    return frozenset(node.arg for node in nodes(path, ast.keyword) if node.arg)


def variants_named(path: Path) -> set[str]:
    """Texts that a module gives as ``variant=``."""
    given = [node.value for node in nodes(path, ast.keyword) if node.arg == "variant"]
    constants = (part.value for expression in given for part in _results(expression) if isinstance(part, ast.Constant))
    return {value for value in constants if isinstance(value, str) and value}


def _results(expression: ast.expr) -> Iterator[ast.expr]:
    if isinstance(expression, ast.IfExp):
        yield from _results(expression.body)
        yield from _results(expression.orelse)
    else:
        yield expression


@every(RULES, shown)
def test_every_variant_that_a_rule_names_has_words(path: Path) -> None:
    here = [ref for ref, rule in rules().items() if inspect.getsourcefile(rule.function) == str(path)]
    assert variants_named(path) <= {name for ref in here for name in rule_texts()[ref].variants}
