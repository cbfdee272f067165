"""Things that messages name, whichever digits their names hold."""

from __future__ import annotations

from apps.diagnosis.engine.core.things import _NAMED, Thing, things_in
from parsers.patterns.digits import tells_digits


def test_no_digit_decides_on_what_a_message_names() -> None:
    assert not tells_digits(_NAMED.pattern)


def test_names_are_those_of_the_message_and_not_of_one_like_it() -> None:
    assert things_in("Resource mnt_12 (Owner: none, Group: web3) is offline") == {
        Thing("resource", "mnt_12"),
        Thing("group", "web3"),
    }
    assert things_in("Resource mnt_97 (Owner: none, Group: web5) is offline") == {
        Thing("resource", "mnt_97"),
        Thing("group", "web5"),
    }
    assert things_in("Platte /dev/vx/rdsk/dg7/vol21 \u00fcber 9 Wege") == {
        Thing("disk group", "dg7"),
        Thing("volume", "vol21"),
    }
    assert things_in("nothing here") == frozenset()
