from __future__ import annotations

from django.urls import path

from apps.accounts import invitation_views, views

app_name = "accounts"

urlpatterns = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("enter/<str:token>", views.enter, name="enter"),
    path("invitation/<str:token>/", invitation_views.invitation, name="invitation"),
    path("password/", views.password, name="password"),
    path("users/", views.users, name="users"),
    path("users/<int:user_id>/link/", views.make_link, name="make_link"),
    path("users/<int:user_id>/active/", views.set_active, name="set_active"),
]
