from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "apps.accounts"

    def ready(self) -> None:
        """What the packages tell us goes into the audit trail; their models can be imported only now."""
        from allauth.mfa import signals as factors
        from allauth.socialaccount.signals import social_account_added
        from django.contrib.auth.signals import user_logged_in

        from apps.accounts import second_factor, sessions, sso

        factors.authenticator_added.connect(second_factor.note_added)
        factors.authenticator_removed.connect(second_factor.note_removed)
        social_account_added.connect(sso.note_connected)
        user_logged_in.connect(sessions.begin_counting)
