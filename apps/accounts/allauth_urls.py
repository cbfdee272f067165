"""The pages of django-allauth that are used here, each under its own name there and with our policy. All others do not
exist.
"""

from __future__ import annotations

from allauth.account.views import reauthenticate
from allauth.mfa.base import views as mfa
from allauth.mfa.recovery_codes import views as codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from allauth.socialaccount import views as social
from django.urls import path
from django.views.decorators.cache import never_cache

from apps.accounts import security_views, sso_views, views
from apps.accounts.access import public, signed_in

urlpatterns = [
    path("sign-in/", views.sign_in, name="account_login"),
    path("sign-out/", views.sign_out, name="account_logout"),
    path("sign-in/again/", never_cache(signed_in(reauthenticate)), name="account_reauthenticate"),
    path("sign-in/code/", never_cache(public(mfa.authenticate)), name="mfa_authenticate"),
    path("sign-in/code-again/", never_cache(signed_in(mfa.reauthenticate)), name="mfa_reauthenticate"),
    path("sign-in/passkey/", never_cache(public(webauthn.login_webauthn)), name="mfa_login_webauthn"),
    path(
        "sign-in/passkey-again/",
        never_cache(signed_in(webauthn.reauthenticate_webauthn)),
        name="mfa_reauthenticate_webauthn",
    ),
    path("sign-in/<str:provider_id>/", sso_views.begin, name="openid_connect_login"),
    path("sign-in/<str:provider_id>/callback/", sso_views.callback, name="openid_connect_callback"),
    path("sign-in-cancelled/", never_cache(public(social.login_cancelled)), name="socialaccount_login_cancelled"),
    path("security/", security_views.security, name="mfa_index"),
    path("security/passkeys/", security_views.security, name="mfa_list_webauthn"),
    path("security/app/on/", never_cache(signed_in(totp.activate_totp)), name="mfa_activate_totp"),
    path("security/app/off/", never_cache(signed_in(totp.deactivate_totp)), name="mfa_deactivate_totp"),
    path("security/codes/", never_cache(signed_in(codes.view_recovery_codes)), name="mfa_view_recovery_codes"),
    path(
        "security/codes/new/", never_cache(signed_in(codes.generate_recovery_codes)), name="mfa_generate_recovery_codes"
    ),
    path("security/passkeys/add/", never_cache(signed_in(webauthn.add_webauthn)), name="mfa_add_webauthn"),
    path("security/passkeys/<int:pk>/edit/", never_cache(signed_in(webauthn.edit_webauthn)), name="mfa_edit_webauthn"),
    path(
        "security/passkeys/<int:pk>/remove/",
        never_cache(signed_in(webauthn.remove_webauthn)),
        name="mfa_remove_webauthn",
    ),
]
