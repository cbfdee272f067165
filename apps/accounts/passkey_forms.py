"""What a browser sends for a passkey is hostile input: anything that is no proper answer is a wrong code, never an
error of the server.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from allauth.mfa.adapter import get_adapter
from allauth.mfa.models import Authenticator
from allauth.mfa.webauthn import forms
from cryptography.exceptions import InvalidSignature

BROKEN: Final = (AttributeError, IndexError, InvalidSignature, KeyError, TypeError, ValueError, struct.error)


@contextmanager
def rubbish_refused() -> Iterator[None]:
    """The package looks at some of it only."""
    try:
        yield
    except BROKEN as error:
        raise get_adapter().validation_error("incorrect_code") from error


class PasskeyAddForm(forms.AddWebAuthnForm):  # type: ignore[misc]  # the package tells no types
    def clean(self) -> dict[str, Any]:
        with rubbish_refused():
            values: dict[str, Any] = super().clean()
        return values


class PasskeySecondStepForm(forms.AuthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    def clean_credential(self) -> Authenticator:
        with rubbish_refused():
            return super().clean_credential()


class PasskeySignInForm(forms.LoginWebAuthnForm):  # type: ignore[misc]  # as above
    def clean_credential(self) -> Authenticator:
        with rubbish_refused():
            return super().clean_credential()


class PasskeyConfirmForm(forms.ReauthenticateWebAuthnForm):  # type: ignore[misc]  # as above
    def clean_credential(self) -> Authenticator:
        with rubbish_refused():
            return super().clean_credential()
