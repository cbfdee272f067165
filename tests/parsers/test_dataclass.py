"""Dataclasses whose methods are made late are those of the standard library in all that a user of them can see."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar, get_type_hints

import pytest

from parsers.dataclass import FIRST_OBJECTS, dataclass

pytestmark = pytest.mark.pure

WAYS: list[dict[str, bool]] = [
    {},
    {"frozen": True},
    {"slots": True},
    {"frozen": True, "slots": True},
    {"frozen": True, "slots": True, "order": True},
    {"frozen": True, "slots": True, "kw_only": True},
    {"slots": True, "kw_only": True, "unsafe_hash": True},
    {"slots": True, "eq": False},
]


def _made_by(decorator: Callable[..., Any], way: dict[str, bool]) -> tuple[type[Any], type[Any]]:
    @decorator(**way)
    class Disk:
        """With each kind of default."""

        name: str
        paths: int = 2
        notes: list[str] = dataclasses.field(default_factory=list, compare=False)
        secret: str = dataclasses.field(default="", repr=False)
        made: int = dataclasses.field(default=7, init=False)

        def __post_init__(self) -> None:
            if self.paths < 0:
                raise ValueError("fewer than none")

    more = {"__annotations__": {"copies": "int"}, "copies": 1, "__doc__": "One that goes on with it."}
    return Disk, decorator(**way)(type("Mirror", (Disk,), more))


def _outcome(act: Callable[[], Any]) -> Any:
    try:
        return act()
    except (TypeError, ValueError, AttributeError) as error:
        return type(error).__name__, str(error)


def _seen(kind: type[Any]) -> list[Any]:
    """What a user sees of a class: its objects made, shown, compared, hashed, changed and copied."""
    one, same = kind(name="a", notes=["x"]), kind(name="a", secret="")
    other = kind(name="b", paths=4)

    def change() -> str:
        one.name = "c"
        return "changed"

    def remove() -> str:
        del other.paths
        return "removed"

    return [
        repr(one), one == same, one == other, one != same, one == "a",
        _outcome(lambda: hash(one) == hash(same)), _outcome(lambda: min([other, one]).name),
        _outcome(kind), _outcome(lambda: kind("a", 1, [], "", 5, 6, 7)), _outcome(lambda: kind(name="a", x=1)),
        _outcome(lambda: kind(name="a", paths=-1)), kind(name="a").notes is kind(name="a").notes,
        dataclasses.asdict(other), dataclasses.replace(one, paths=9) == one, copy.copy(one).notes,
        copy.deepcopy(one) == one,
        kind.__match_args__, [f.name for f in dataclasses.fields(kind)], kind.__doc__,
        _outcome(change), _outcome(remove), one.name,
    ]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way) or "plain")
def test_it_is_as_the_standard_library_makes_it(way: dict[str, bool]) -> None:
    for ours, theirs in zip(_made_by(dataclass, way), _made_by(dataclasses.dataclass, way), strict=True):
        assert _seen(ours) == _seen(theirs)


GIVEN: list[tuple[list[Any], dict[str, Any]]] = [
    (["a"], {}),
    (["a", 3], {"note": "x"}),
    ([], {"note": "x", "name": "a"}),
    ([], {"name": "a", "places": [2]}),
    ([], {}),
    (["a"], {"name": "b"}),
    (["a", 1, "x", [], 5], {}),
    ([], {"name": "a", "colour": "red"}),
    ([], {"name": "a", "paths": -1}),
]
"""To a constructor; arguments that do not fit among them."""


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way) or "plain")
def test_first_objects_are_as_those_of_the_standard_library(way: dict[str, bool]) -> None:
    def shown(decorator: Callable[..., Any], args: list[Any], kwargs: dict[str, Any]) -> Any:
        @decorator(**way)
        class Disk:
            """All of its fields can be given to it."""

            name: str
            paths: int = 2
            note: str = ""
            places: list[int] = dataclasses.field(default_factory=list)

            def __post_init__(self) -> None:
                if self.paths < 0:
                    raise ValueError("fewer than none")

        return _outcome(lambda: repr(Disk(*args, **kwargs)))

    for given in GIVEN:
        assert shown(dataclass, *given) == shown(dataclasses.dataclass, *given)


def test_what_a_class_says_itself_is_kept() -> None:
    @dataclass(frozen=True)
    class Named:
        """Compared by its name in any case."""

        name: str

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Named) and other.name.lower() == self.name.lower()

        def __repr__(self) -> str:
            return self.name

    assert (Named("A") == Named("a"), repr(Named("A"))) == (True, "A")


def test_the_constructor_is_compiled_when_a_class_has_had_many_objects() -> None:
    @dataclass(frozen=True, slots=True)
    class Late:
        """Made once."""

        name: str

    waiting = Late.__init__
    assert [Late(str(number)).name for number in range(FIRST_OBJECTS)] == list(map(str, range(FIRST_OBJECTS)))
    assert Late.__init__ is waiting
    made = Late("a"), Late.__init__
    assert made[1] is not waiting
    assert (Late("b").name, Late.__init__) == ("b", made[1])


@pytest.mark.parametrize("way", WAYS)
def test_hints_stay_texts_and_class_variables_are_no_fields(way: dict[str, bool]) -> None:
    def made_by(decorator: Callable[..., Any]) -> type[Any]:
        @decorator(**way)
        class Room:
            """With what is no field beside what is one."""

            most: ClassVar[int] = 3
            given: dataclasses.InitVar[int]
            name: str | None
            _: dataclasses.KW_ONLY
            doors: list[str] = dataclasses.field(default_factory=list)

            def __post_init__(self, given: int) -> None: ...

        return Room

    real, own = made_by(dataclasses.dataclass), made_by(dataclass)
    for kind in (real, own):
        assert kind.__annotations__["doors"] == "list[str]"
    seen = [
        [(one.name, one.type, one.kw_only, one.default is dataclasses.MISSING) for one in dataclasses.fields(kind)]
        for kind in (real, own)
    ]
    assert seen[0] == seen[1]
    assert real.__annotations__ == own.__annotations__
    assert real.most == own.most == 3
    assert get_type_hints(own, localns={"ClassVar": ClassVar})["name"] == str | None
