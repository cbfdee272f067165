"""What a request may hold, and how rows are shown."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.cases.models import Bundle, Case, Note
from apps.sharing.models import ShareLink


class CaseSerializer(serializers.ModelSerializer[Case]):
    team = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)

    class Meta:
        model = Case
        fields = (
            "key", "title", "customer", "ticket", "team", "state", "severity", "verdict", "products", "nodes_n", "longest_s",
            "created_at", "updated_at",
        )  # fmt: skip
        read_only_fields = ("key", "severity", "verdict", "products", "nodes_n", "longest_s", "created_at", "updated_at")


class NewCaseSerializer(serializers.Serializer[Any]):
    title = serializers.CharField(max_length=200)
    team = serializers.SlugField(required=False)
    customer = serializers.CharField(max_length=120, required=False, default="", allow_blank=True)
    ticket = serializers.CharField(max_length=80, required=False, default="", allow_blank=True)


class BundleSerializer(serializers.ModelSerializer[Bundle]):
    class Meta:
        model = Bundle
        fields = ("id", "filename", "size", "sha256", "state", "message", "members", "expanded_bytes", "uploaded_at")
        read_only_fields = fields


class NoteSerializer(serializers.ModelSerializer[Note]):
    author = serializers.SlugRelatedField[Any](slug_field="username", read_only=True)
    text = serializers.CharField(max_length=20_000)

    class Meta:
        model = Note
        fields = ("id", "author", "text", "at_us", "finding_ref", "created_at", "edited_at")
        read_only_fields = ("id", "author", "created_at", "edited_at")


class LinkSerializer(serializers.ModelSerializer[ShareLink]):
    days = serializers.IntegerField(min_value=1, write_only=True, required=False)

    class Meta:
        model = ShareLink
        fields = ("id", "level", "note", "view", "created_at", "ends_at", "revoked_at", "openings", "last_opened_at", "days")
        read_only_fields = ("id", "level", "created_at", "ends_at", "revoked_at", "openings", "last_opened_at")
