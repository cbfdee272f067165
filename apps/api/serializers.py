"""What a request may hold, and how rows are shown."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.cases.models import Bundle, Case, Note, Severity
from apps.diagnosis.models import Form, Judgement
from apps.diagnosis.pages.live.watching import LEAST_EVERY_S, MOST_EVERY_S
from apps.sharing.models import ShareLink
from apps.sharing.services import LEAST_PASSWORD, MOST_VIEWS

INSTANT_MOST: Final = 10**17 - 1
NUL: Final = "\0"
# Blank is what Python or a browser takes for it.
PRINTED: Final = r"[^\s\x00-\x20\x85\ufeff]"
SLUG: Final = r"^[-a-zA-Z0-9_]+\Z"
NO_NUL: Final = r"^[^\x00]*\Z"
SAYS_SOMETHING: Final = RegexValidator(PRINTED, "This field may not be blank.")


class Text(serializers.CharField):
    """A text whose length counts as it was sent, as the description says, and not once blanks at its ends are gone."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        if not self.allow_blank:
            self.validators.append(SAYS_SOMETHING)

    def run_validation(self, data: Any = serializers.empty) -> Any:
        """Blanks alone count as well."""
        if isinstance(data, str) and self.max_length is not None and len(data) > self.max_length:
            raise serializers.ValidationError(
                f"Ensure this field has no more than {self.max_length} characters.", code="max_length"
            )
        return super().run_validation(data)

    def to_internal_value(self, data: Any) -> str:
        """The text without blanks at its ends, and without NUL, which cannot be stored; a number is none."""
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data.replace(NUL, "")))


class Word(serializers.RegexField):
    """A text of a form, kept as it was sent."""

    def __init__(self, form: str, **given: Any) -> None:
        super().__init__(form, trim_whitespace=False, **given)

    def to_internal_value(self, data: Any) -> str:
        """A number is none."""
        if not isinstance(data, str):
            self.fail("invalid")
        return str(super().to_internal_value(data))


class Whole(serializers.IntegerField):
    """A whole number; a text that holds one is none."""

    def to_internal_value(self, data: Any) -> int:
        if isinstance(data, str):
            self.fail("invalid")
        return int(super().to_internal_value(data))


class Flag(serializers.BooleanField):
    """True or false; neither a number nor a word is one."""

    def to_internal_value(self, data: Any) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid", input=data)
        return data


# No docstring: the description would say it of whatever is kept.
class Kept(serializers.ModelSerializer[Any]):
    serializer_field_mapping: ClassVar = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.CharField: Text,
        models.TextField: Text,
    }


class CaseSerializer(serializers.ModelSerializer[Case]):
    team = serializers.SlugRelatedField[Any](slug_field="slug", read_only=True)
    assignee = serializers.SlugRelatedField[Any](slug_field="username", read_only=True, allow_null=True)
    severity = serializers.SerializerMethodField()
    verdict = serializers.SerializerMethodField()
    verdict_form = serializers.SerializerMethodField()

    class Meta:
        model = Case
        fields = (
            "key", "title", "customer", "ticket", "team", "state", "solution", "assignee", "severity", "verdict",
            "verdict_form", "products", "nodes_n",
            "longest_s", "created_at", "updated_at", "archived_at",
        )  # fmt: skip
        read_only_fields = fields

    @extend_schema_field(serializers.ChoiceField(choices=Severity.choices, allow_null=True))
    def get_severity(self, case: Case) -> str | None:
        """null while nothing was read."""
        return case.severity or None

    def get_verdict(self, case: Case) -> str | None:
        return case.verdict or None

    @extend_schema_field(serializers.ChoiceField(choices=Form.choices, allow_null=True))
    def get_verdict_form(self, case: Case) -> str | None:
        """What the verdict is worth; null while there is none."""
        return case.verdict_form or None


class SeenCaseSerializer(serializers.ModelSerializer[Case]):
    """Another case that ended alike."""

    class Meta:
        model = Case
        fields = ("key", "title", "state", "solution", "created_at")
        read_only_fields = fields


class CaseChangeSerializer(serializers.Serializer[Any]):
    """What is not named stays."""

    title = Text(max_length=200, required=False)
    customer = Text(max_length=120, required=False, allow_blank=True)
    ticket = Text(max_length=80, required=False, allow_blank=True)
    state = serializers.ChoiceField(choices=Case.State.choices, required=False)
    solution = Text(max_length=2000, required=False, allow_blank=True, help_text="By what it was solved.")
    assignee = Text(
        max_length=150,
        required=False,
        allow_null=True,
        help_text="User name of somebody who may change the case; null for nobody.",
    )


class NewCaseSerializer(serializers.Serializer[Any]):
    title = Text(max_length=200)
    team = Word(SLUG, required=False, help_text="One of your teams; without it, the one of your last case.")
    customer = Text(max_length=120, required=False, default="", allow_blank=True)
    ticket = Text(max_length=80, required=False, default="", allow_blank=True)


class BundleSerializer(serializers.ModelSerializer[Bundle]):
    class Meta:
        model = Bundle
        fields = ("id", "filename", "size", "sha256", "state", "message", "members", "expanded_bytes", "uploaded_at")
        read_only_fields = fields


class SampleSerializer(serializers.Serializer[Any]):
    """Sent after each sample of a live watch, and at its end."""

    node = Text(max_length=100)
    number = Whole(min_value=0, max_value=1_000_000, help_text="Samples taken so far.")
    every_s = Whole(min_value=LEAST_EVERY_S, max_value=MOST_EVERY_S)
    queued = Whole(min_value=0, max_value=1_000_000, default=0)
    dropped = Whole(min_value=0, max_value=1_000_000, default=0)
    is_over = Flag(default=False, help_text="This node sends no more.")


class UploadSerializer(serializers.Serializer[Any]):
    """Of a request that sends files; read by hand, as one field may come any number of times."""

    file = serializers.ListField(child=serializers.FileField(), min_length=1)
    transcript = serializers.RegexField(PRINTED, required=False, trim_whitespace=False)


class TranscriptSerializer(serializers.Serializer[Any]):
    transcript = serializers.RegexField(PRINTED, trim_whitespace=False)


class NoteSerializer(Kept):
    author = serializers.SlugRelatedField[Any](slug_field="username", read_only=True)
    text = Text(max_length=20_000)
    at_us = Whole(min_value=0, max_value=INSTANT_MOST, required=False, allow_null=True)

    class Meta:
        model = Note
        fields = ("id", "author", "text", "at_us", "finding_ref", "created_at", "edited_at")
        read_only_fields = ("id", "author", "created_at", "edited_at")


class JudgementSerializer(serializers.ModelSerializer[Judgement]):
    by = serializers.SlugRelatedField[Any](slug_field="username", read_only=True, allow_null=True)
    word = serializers.ChoiceField(choices=Judgement.Word.choices)
    why = Text(
        max_length=2000, required=False, default="", allow_blank=True, help_text="Needed to dispute and to set aside."
    )

    class Meta:
        model = Judgement
        fields = ("word", "why", "by", "at", "title")
        read_only_fields = ("by", "at", "title")


class AgreedSerializer(serializers.Serializer[Any]):
    """Needs no reason."""

    word = serializers.ChoiceField(choices=["agreed", "withdrawn"])
    why = Text(max_length=2000, required=False, allow_blank=True)


class DisputedSerializer(serializers.Serializer[Any]):
    """Whoever reads it next wants to know why."""

    word = serializers.ChoiceField(choices=["disputed", "set_aside"])
    why = serializers.RegexField(r"\S", max_length=2000)


class LinkSerializer(Kept):
    level = serializers.ChoiceField(choices=ShareLink.Level.choices, default=ShareLink.Level.CUSTOMER)
    days = Whole(min_value=1, max_value=settings.LIMITS.link_days_max, write_only=True, required=False)
    password = Word(
        NO_NUL,
        min_length=LEAST_PASSWORD,
        max_length=128,
        write_only=True,
        required=False,
        help_text="Asked of whoever opens it.",
    )
    has_password = serializers.SerializerMethodField()
    views_most = Whole(min_value=1, max_value=MOST_VIEWS, required=False, allow_null=True)

    class Meta:
        model = ShareLink
        fields = (
            "id", "level", "note", "view", "created_at", "ends_at", "revoked_at", "views_most", "has_password",
            "openings",
            "last_opened_at", "days", "password",
        )  # fmt: skip
        read_only_fields = ("id", "created_at", "ends_at", "revoked_at", "openings", "last_opened_at")

    def get_has_password(self, link: ShareLink) -> bool:
        return bool(link.password)


class NewLinkSerializer(LinkSerializer):
    """The one answer that tells the address."""

    address = serializers.CharField(read_only=True)

    class Meta(LinkSerializer.Meta):
        fields = (*LinkSerializer.Meta.fields, "address")  # type: ignore[assignment]  # one more than the base


class LinkEndSerializer(serializers.Serializer[Any]):
    days = Whole(min_value=1, max_value=settings.LIMITS.link_days_max, help_text="Counted from now.")
