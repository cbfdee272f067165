"""Name and password, with the limits on guessing them: by address, and more slowly by name.

django-axes limits one name from one address. Who tries one password on many names, or many addresses on one name,
meets the limits here; a browser that its owner has signed in with before has a limit of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from django import forms
from django.contrib.auth.forms import AuthenticationForm, UsernameField

from apps.accounts import known_device
from apps.accounts.guessing import count, counted
from apps.accounts.models import User
from apps.web.errors import DomainError

NAME_CHARS: Final = User._meta.get_field("username").max_length
OF_DEVICE: Final = (10, 15 * 60)
OF_ADDRESS: Final = (40, 15 * 60)
OF_NAME: Final = (30, 60 * 60)
"""Wrong passwords, and for how many seconds they count."""
TOO_MANY: Final = (
    "Too many failed attempts to sign in. Wait an hour, or come in with a passkey, single sign-on or a sign-in link "
    "of an administrator."
)


class SignInForm(AuthenticationForm):
    username = UsernameField(max_length=NAME_CHARS, widget=forms.TextInput(attrs={"autofocus": True}))

    def clean(self) -> dict[str, Any]:
        name = self.cleaned_data.get("username")
        if name is None or not self.cleaned_data.get("password"):
            return super().clean()
        limits = list(self._limits(name))
        if any(counted(key) >= most for key, most, _ in limits):
            raise DomainError(TOO_MANY, status=429)
        try:
            return super().clean()
        except forms.ValidationError:
            for key, _, seconds in limits:
                count(key, seconds)
            raise

    def _limits(self, name: str) -> Iterator[tuple[str, int, int]]:
        """(counter, how many at most, seconds)."""
        shortened = sha256(name.casefold().encode("utf-8", "replace")).hexdigest()[:32]
        if self.request is not None and known_device.is_known(self.request, {"username": name}):
            yield f"sign-in:device:{shortened}", *OF_DEVICE
            return
        address = self.request.META.get("REMOTE_ADDR", "") if self.request is not None else ""
        yield f"sign-in:address:{address}", *OF_ADDRESS
        yield f"sign-in:name:{shortened}", *OF_NAME
