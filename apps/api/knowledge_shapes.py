"""What requests and answers about the knowledge of teams hold."""

from __future__ import annotations

from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.api.serializers import Text, Whole
from apps.learning.models import SURE, CaseOutcome, OutcomeWord, TeamEntry
from parsers.messages.site_entries import FILE_BYTES

Shape = serializers.Serializer[Any]
Found = CaseOutcome.Found
ORDER_MOST = 1_000_000


@extend_schema_field(OpenApiTypes.OBJECT)
class RowField(serializers.DictField):
    """An entry as a file holds it."""


class NewEntrySerializer(Shape):
    entry = RowField(help_text="The keys of an [[entry]] of a file; see docs/knowledge.md.")
    product = Text(max_length=60, required=False, default="", allow_blank=True)
    why = Text(max_length=300, required=False, default="", allow_blank=True)


class ChangedEntrySerializer(NewEntrySerializer):
    seen = Whole(
        min_value=1, max_value=ORDER_MOST, help_text="Number of the version that was changed; another is refused (409)."
    )


class EntryStateSerializer(Shape):
    state = serializers.ChoiceField(choices=["proposed", "in_force", "offered", "withdrawn"])
    why = Text(max_length=300, required=False, default="", allow_blank=True)


class PackSerializer(Shape):
    toml = Text(max_length=FILE_BYTES, help_text="A file of entries.")
    why = Text(max_length=300, required=False, default="", allow_blank=True)


class TakenShape(Shape):
    added = serializers.ListField(child=serializers.CharField())
    changed = serializers.ListField(child=serializers.CharField())
    same = serializers.ListField(child=serializers.CharField())


class EntryShape(Shape):
    id = serializers.IntegerField()
    name = serializers.CharField()
    state = serializers.ChoiceField(choices=TeamEntry.State.choices, help_text="Of the latest version.")
    latest = serializers.IntegerField(help_text="Number of the latest version.")
    in_force = serializers.IntegerField(allow_null=True, help_text="Number of the version that judges cases.")
    offered = serializers.IntegerField(allow_null=True, help_text="Number of the version that is offered to the site.")
    entry = RowField()
    product = serializers.CharField(allow_blank=True)
    by = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()
    why = serializers.CharField(allow_blank=True)


class VerdictShape(Shape):
    title = serializers.CharField(allow_blank=True)
    severity = serializers.CharField(allow_blank=True)
    form = serializers.CharField(allow_blank=True)


class PlaceOfHitShape(Shape):
    path = serializers.CharField(allow_blank=True)
    line = serializers.IntegerField()
    text = serializers.CharField(allow_blank=True)


class HitShape(Shape):
    case = serializers.CharField()
    title = serializers.CharField()
    lines = serializers.IntegerField()
    places = PlaceOfHitShape(many=True)
    is_judged = serializers.BooleanField(help_text="Whether the case is of the team whose entry it is.")
    verdict = VerdictShape()
    verdict_then = VerdictShape()
    closed_as = serializers.CharField(allow_null=True, help_text="As `found` of its outcome.")


class LookShape(Shape):
    lines = serializers.IntegerField()
    cases = serializers.IntegerField()
    verdicts_changed = serializers.IntegerField()
    false_alarms = serializers.IntegerField()
    looked_at = serializers.IntegerField(help_text="Cases that were looked through.")
    not_kept = serializers.IntegerField(help_text="Cases of which nothing is kept yet.")
    results = HitShape(many=True, help_text="The newest cases first.")
    would_have_cried_wolf = HitShape(many=True)


class UnjudgedQuery(Shape):
    part = serializers.ChoiceField(choices=["all", "log", "output", "waits"], required=False)
    q = serializers.CharField(required=False, allow_blank=True, max_length=160, help_text="Words of the text.")
    case = serializers.SlugField(required=False, max_length=40)
    quiet = serializers.BooleanField(required=False, help_text="Also what does not sound like trouble.")


class UnjudgedRowShape(Shape):
    sort = serializers.ChoiceField(choices=["log", "output", "waits"])
    told_by = serializers.CharField(allow_blank=True)
    text = serializers.CharField()
    weight = serializers.CharField(allow_blank=True)
    lines = serializers.IntegerField()
    cases = serializers.IntegerField()
    newest = serializers.CharField()
    known = serializers.CharField(allow_blank=True, help_text="Name of the entry that speaks of it by now.")


class UnjudgedShape(Shape):
    cases = serializers.IntegerField()
    results = UnjudgedRowShape(many=True)


class WorthRowShape(Shape):
    about = serializers.ChoiceField(choices=OutcomeWord.About.choices)
    name = serializers.CharField()
    spoke = serializers.IntegerField()
    confirmed = serializers.IntegerField()
    refuted = serializers.IntegerField()
    overruled = serializers.IntegerField()
    is_often_refuted = serializers.BooleanField()


class WorthShape(Shape):
    results = WorthRowShape(many=True)


def _place(**given: Any) -> Whole:
    return Whole(min_value=0, max_value=ORDER_MOST, help_text="With `other`: place of the finding, from 0.", **given)


class OutcomeSerializer(Shape):
    found = serializers.ChoiceField(choices=CaseOutcome.Found.choices)
    sure = serializers.ChoiceField(choices=SURE)
    finding = _place(required=False)


class NamelessOutcomeSerializer(OutcomeSerializer):
    """Names no finding: it is the first one, or none is right."""

    found = serializers.ChoiceField(choices=[found for found in Found if found != Found.OTHER])


class OtherOutcomeSerializer(OutcomeSerializer):
    """Another finding than the first one, and which."""

    found = serializers.ChoiceField(choices=[Found.OTHER])
    finding = _place()


class OutcomeShape(Shape):
    found = serializers.ChoiceField(choices=CaseOutcome.Found.choices)
    sure = serializers.ChoiceField(choices=SURE)
    title = serializers.CharField(allow_blank=True)
    ref = serializers.CharField(allow_blank=True)
    by = serializers.CharField(allow_null=True)
    at = serializers.DateTimeField()


class OutcomesShape(Shape):
    results = OutcomeShape(many=True)
