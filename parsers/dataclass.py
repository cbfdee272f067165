"""Dataclasses that cost little until one of their objects is made: the same decorator as that of the standard library.

That one writes and compiles up to six methods for each class when its module is imported, 0.7 ms for each; over 500
classes that was a third of what a small analysis took. Here comparing, hashing, showing and freezing are closures over
the names of the fields, and the constructor is compiled when a class has had some hundred objects. Fields, slots,
defaults, order of fields and inheritance stay the business of the standard library.
"""

from __future__ import annotations

import dataclasses
import operator
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, Final

__all__ = ["dataclass"]

_NO_FIELD: Final = re.compile("ClassVar|InitVar|KW_ONLY")
FIRST_OBJECTS: Final = 200
"""To compile a constructor takes half a millisecond, an object without it 1.5 microseconds more."""

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls=None,
        /,
        *,
        eq=True,
        order=False,
        unsafe_hash=False,
        frozen=False,
        kw_only=False,
        slots=False,
    ):
        """As ``dataclasses.dataclass``, for the arguments that it names."""

        def made(base: type) -> type:
            methods = set(base.__dict__)
            if not base.__doc__:
                base.__doc__ = base.__name__  # else the standard library asks for the signature, which compiles
            with _plain_hints(base) as hints:
                result = dataclasses.dataclass(
                    init=False, repr=False, eq=False, match_args=True, kw_only=kw_only, slots=slots
                )(base)
            for name, hint in hints.items():
                result.__dataclass_fields__[name].type = hint
            for name, method in _methods(
                result, eq=eq, order=order, is_hashed=unsafe_hash or (eq and frozen), frozen=frozen, slots=slots
            ):
                if name not in methods:
                    setattr(result, name, method)
            return result

        return made if cls is None else made(cls)


@contextmanager
def _plain_hints(base: type) -> Iterator[dict[str, Any]]:
    """Within it no field of a class has a text for a hint: the standard library takes each apart to see whether it
    names a class variable. Gives the hints of its fields.
    """
    own = vars(base).get("__annotations__", {})
    plain = {name: hint for name, hint in own.items() if isinstance(hint, str) and not _NO_FIELD.search(hint)}
    own.update(dict.fromkeys(plain, object))
    try:
        yield plain
    finally:
        own.update(plain)


def _methods(
    cls: type[Any], *, eq: bool, order: bool, is_hashed: bool, frozen: bool, slots: bool
) -> list[tuple[str, Any]]:
    """What the class gets, save what it defines itself."""
    fields = dataclasses.fields(cls)
    key = _key([f.name for f in fields if f.compare])
    methods: list[tuple[str, Any]] = [("__init__", _constructor(cls, frozen=frozen, slots=slots)), ("__repr__", _shown)]
    if eq:
        methods += [("__eq__", _compared(cls, key, operator.eq)), ("__hash__", None)]
    if is_hashed:
        names = [f.name for f in fields if (f.compare if f.hash is None else f.hash)]
        methods = [(name, method) for name, method in methods if name != "__hash__"]
        methods.append(("__hash__", _hashed(_key(names))))
    if order:
        methods += [
            (f"__{compare.__name__}__", _compared(cls, key, compare))
            for compare in (operator.lt, operator.le, operator.gt, operator.ge)
        ]
    if frozen:
        methods += [("__setattr__", _refuse_set), ("__delattr__", _refuse_delete)]
        if slots:
            methods.append(("__setstate__", _restore))
    return methods


def _constructor(cls: type[Any], *, frozen: bool, slots: bool) -> Callable[..., None]:
    """Puts the first objects together name by name. The compiled one takes its place after them, and where arguments
    are not those that the class asks for: it says what is wrong with them.
    """
    fields = dataclasses.fields(cls)
    by_place = [field.name for field in fields if not field.kw_only]
    rows = [(field.name, field.default, field.default_factory) for field in fields]
    put = object.__setattr__ if frozen else setattr
    goes_on = hasattr(cls, "__post_init__")
    left = FIRST_OBJECTS if all(field.init for field in fields) else 0

    def first(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal left
        left -= 1
        given = dict(zip(by_place, args, strict=False)) | kwargs
        if left >= 0 and len(given) == len(args) + len(kwargs) and _filled(self, put, rows, given):
            if goes_on:
                self.__post_init__()
        else:
            cls.__init__ = real = _compiled(cls, frozen=frozen, slots=slots)
            real(self, *args, **kwargs)

    return first


def _filled(self: Any, put: Callable[..., None], rows: list[tuple[str, Any, Any]], given: dict[str, Any]) -> bool:
    """Whether what was given, and the defaults, are all that the fields of an object need, and no more."""
    left = len(given)
    for name, default, factory in rows:
        value = given.get(name, MISSING)
        if value is not MISSING:
            left -= 1
        elif default is not MISSING:
            value = default
        elif factory is not MISSING:
            value = factory()
        else:
            return False
        put(self, name, value)
    return not left


def _compiled(cls: type[Any], *, frozen: bool, slots: bool) -> Callable[..., None]:
    """The constructor that the standard library writes for a class of the same fields. That class has a description,
    else its signature would be written out, and slots only where constructors are told of them: both take their time.
    """
    slots = slots and not all(field.init for field in dataclasses.fields(cls))
    body: dict[str, Any] = {"__annotations__": {}, "__doc__": cls.__name__}
    for field in dataclasses.fields(cls):
        name = field.name
        body["__annotations__"][name] = field.type
        body[name] = dataclasses.field(init=field.init, kw_only=field.kw_only, **_default_of(field))
    if (after := getattr(cls, "__post_init__", None)) is not None:
        body["__post_init__"] = after
    like: type[Any] = dataclasses.dataclass(
        type(cls.__name__, (), body), repr=False, eq=False, match_args=False, frozen=frozen, slots=slots
    )
    made: Callable[..., None] = like.__dict__["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    return made


def _default_of(field: dataclasses.Field[Any]) -> dict[str, Any]:
    defaults = {"default": field.default, "default_factory": field.default_factory}
    return {name: value for name, value in defaults.items() if value is not MISSING}


def _key(names: list[str]) -> Callable[[Any], Any]:
    """What an object is compared by."""
    if not names:
        return lambda _: ()
    return operator.attrgetter(*names)


def _compared(cls: type[Any], key: Callable[[Any], Any], compare: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def method(self: Any, other: object) -> Any:
        return compare(key(self), key(other)) if other.__class__ is self.__class__ else NotImplemented

    method.__name__ = f"__{compare.__name__}__"
    method.__qualname__ = f"{cls.__qualname__}.{method.__name__}"
    return method


def _hashed(key: Callable[[Any], Any]) -> Callable[[Any], int]:
    return lambda self: hash(key(self))


def _shown(self: Any) -> str:
    defaults = ", ".join(f"{f.name}={getattr(self, f.name)!r}" for f in dataclasses.fields(self) if f.repr)
    return f"{type(self).__qualname__}({defaults})"


def _refuse_set(_self: Any, name: str, _value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(_self: Any, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _restore(self: Any, state: tuple[object, dict[str, Any]]) -> None:
    """What was put away, into a frozen object that has no dictionary."""
    for name, value in state[1].items():
        object.__setattr__(self, name, value)
