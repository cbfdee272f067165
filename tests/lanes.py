"""The three lanes of the tests, which tests one pytest-xdist worker runs together, and what is begun first.

``pure`` computes: no server, no root, no browser. ``db`` needs the database and the queue. ``run`` starts real
processes: workers, the program as a person starts it, Chromium. A test is in a lane by what it uses; nobody has to mark
it.

A file goes to one worker, as its tests share what they made. Those of the browser share one running site. Tests of the
parsers share nothing and fill what is left of the time, function by function. The longest is begun first, by the
seconds in durations.json, which ``make durations`` writes again; what is not in it took less than a second.

By folder and file, because pytest-xdist's own marker for this has no effect with pytest 9.2, which keeps test names
elsewhere.
"""

from __future__ import annotations

import gc
import json
from collections import defaultdict
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion import rewrite
from _pytest.runner import runtestprotocol
from xdist.scheduler import LoadScopeScheduling

DURATIONS = Path(__file__).with_name("durations.json")
PROCESSES = ("tests/browser/", "tests/chaos/")
DATABASE = frozenset(
    (
        "services",
        "db",
        "transactional_db",
        "django_db_setup",
        "django_db_reset_sequences",
        "live_server",
        "admin_client",
        "admin_user",
    )
)
OF_EACH_TEST = frozenset(
    (
        "leases_within_the_test",
        "_dj_autoclear_mailbox",
        "_django_clear_site_cache",
        "_django_db_marker",
        "_django_isolate_apps",
        "_django_set_urlconf",
        "_django_setup_unittest",
        "_fail_for_invalid_template_variable",
        "_live_server_helper",
        "_pw_trace_api_requests",
        "_template_string_if_invalid_marker",
        "delete_output_dir",
        "django_db_blocker",
    )
)
"""What pytest-django, Playwright and we prepare for each test. One that computes needs none of it, and ten thousand of
them paid half of a minute."""
OF_THE_SITE = frozenset(("mailoutbox", "client", "rf", "settings"))
"""By which a test that computes shows that it needs it after all."""
BY_FUNCTION = ("tests/parsers/",)
BY_TABLE = ("tests/diagnosis/test_own_texts.py::",)
"""The names of cases begin with that of their table and a colon."""
TOGETHER = ("tests/browser/",)
GARBAGE_THRESHOLD = 20_000
"""Objects made until the youngest are looked through for cycles, as rarely as in processes of the program."""
LEAST_S = 1.0
QUIET_S = 0.01
"""What is prepared and cleared away in less time is not told."""


def lane_of(item: pytest.Item) -> str:
    """By what the test uses."""
    if item.nodeid.startswith(PROCESSES) or item.get_closest_marker("slow"):
        return "run"
    fixtures = getattr(item, "fixturenames", ())
    return "db" if item.get_closest_marker("django_db") or DATABASE & set(fixtures) else "pure"


def scope_of(nodeid: str) -> str:
    """What is given to one worker: a folder, a file, a function or a table of cases."""
    if nodeid.startswith(BY_TABLE):
        return nodeid.partition(": ")[0]
    if nodeid.startswith(BY_FUNCTION):
        return nodeid.partition("[")[0]
    return next((folder for folder in TOGETHER if nodeid.startswith(folder)), nodeid.partition("::")[0])


def recorded() -> dict[str, float]:
    """Seconds by scope."""
    durations: dict[str, float] = json.loads(DURATIONS.read_text(encoding="utf-8")) if DURATIONS.exists() else {}
    return durations


class Scheduling(LoadScopeScheduling):  # type: ignore[misc]  # the base has no types
    """By scope. Once a test has ended, the base counts all that its worker ever ran, and looks for each test to send
    from the first of ten thousand on: here what is done is forgotten, and where tests stand is known.
    """

    def __init__(self, config: pytest.Config, log: Any) -> None:
        super().__init__(config, log)
        self._places: dict[str, int] = {}

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        nodeid = self.registered_collections[node][item_index]
        scope, given = scope_of(nodeid), self.assigned_work[node]
        del given[scope][nodeid]
        if not given[scope]:
            del given[scope]
        self._reschedule(node)

    def remove_node(self, node: Any) -> str | None:
        """The test that a worker died of, which is not given to the next one, as the base would until none is left."""
        left = self.assigned_work.pop(node)
        units = [unit for unit in left.values() if unit]
        if not units:
            return None
        died_of: str = next(iter(units[0]))
        del units[0][died_of]
        self.workqueue.update({scope: unit for scope, unit in left.items() if unit})
        for other in self.assigned_work:
            self._reschedule(other)
        return died_of

    def _pending_of(self, workload: dict[str, dict[str, bool]]) -> int:
        return sum(map(len, workload.values()))

    def _assign_work_unit(self, node: Any) -> None:
        if not self._places:
            self._places = {nodeid: place for place, nodeid in enumerate(self.collection)}
        scope, tests = self.workqueue.popitem(last=False)
        self.assigned_work[node][scope] = tests
        node.send_runtest_some([self._places[nodeid] for nodeid in tests])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker says what became of a test, and no more than that of most: that it begins and ends, is prepared and
    cleared away are four messages more, each of which is written, sent, read and handed round.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed or report.duration > QUIET_S:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


class Recorder:
    """Adds up what the tests of a scope took, and keeps it at the end."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[scope_of(report.nodeid)] += report.duration

    def pytest_sessionfinish(self) -> None:
        rows = {scope: round(seconds, 1) for scope, seconds in sorted(self.seconds.items()) if seconds >= LEAST_S}
        DURATIONS.write_text(json.dumps(rows, indent=0) + "\n", encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--record-durations", action="store_true", help="write what each file took, by which the next run is ordered"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--record-durations") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder())


def take_asserts_apart(config: pytest.Config) -> None:
    """Pytest rewrites the asserts of each module that it imports and keeps what came of it. In a new clone all workers
    did so with all four hundred, at the same time; each begins with its share of them.
    """
    given = getattr(config, "workerinput", None)
    if given is None:
        return
    modules = sorted(DURATIONS.parent.rglob("test_*.py"))
    for module in modules[int(given["workerid"].removeprefix("gw")) :: given["workercount"]]:
        kept = rewrite.get_cache_dir(module) / f"{module.stem}{rewrite.PYC_TAIL}"
        if not kept.exists() and rewrite.try_makedirs(kept.parent):
            digest, code = rewrite._rewrite_test(module, config)
            rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, digest, kept)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, Any, Any]:
    """What ten thousand tests are made of stays until the end: neither now nor later is it looked through for cycles,
    which took a second of a core each time.
    """
    take_asserts_apart(session.config)
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(GARBAGE_THRESHOLD, 20, 20)
        gc.enable()


def pytest_itemcollected(item: pytest.Item) -> None:
    lane = lane_of(item)
    item.add_marker(lane)
    if lane == "pure" and isinstance(item, pytest.Function) and OF_THE_SITE.isdisjoint(item.fixturenames):
        wanted = set(item._fixtureinfo.initialnames) - OF_EACH_TEST  # what these need is made when they ask for it
        item.fixturenames = [name for name in item.fixturenames if name in wanted]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--matrix") and (further := [item for item in items if item.get_closest_marker("matrix")]):
        config.hook.pytest_deselected(items=further)
        items[:] = [item for item in items if item.get_closest_marker("matrix") is None]
    seconds = recorded()
    items.sort(key=lambda item: -seconds.get(scope_of(item.nodeid), 0.0))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Scheduling:
    config.option.loadscopereorder = False  # the order is that of the recorded seconds
    return Scheduling(config, log)
