from __future__ import annotations

from django.urls import path

from apps.accounts import invitation_views, mail_views, security_views, views

app_name = "accounts"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("enter/<str:token>", views.enter, name="enter"),
    path("invitation/<str:token>/", invitation_views.invitation, name="invitation"),
    path("password/", views.password, name="password"),
    path("password/forgotten/", mail_views.password_forgotten, name="password_forgotten"),
    path("password/new/<str:token>/", mail_views.password_new, name="password_new"),
    path("mail/", mail_views.mail, name="mail"),
    path("mail/<str:token>/", mail_views.mail_confirm, name="mail_confirm"),
    path("security/", security_views.security, name="security"),
    path("security/sessions/end/", security_views.sessions_end, name="sessions_end"),
    path("security/sessions/<int:session_id>/end/", security_views.session_end, name="session_end"),
    path("security/sso/disconnect/", security_views.sso_disconnect, name="sso_disconnect"),
    path("users/", views.users, name="users"),
    path("users/<int:user_id>/link/", views.make_link, name="make_link"),
    path("users/<int:user_id>/second-factor/", views.second_factor_off, name="second_factor_off"),
    path("users/<int:user_id>/active/", views.set_active, name="set_active"),
]
