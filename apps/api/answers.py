"""The form of answers that are no rows of one table: for the description of the API, and held by a test against real
answers.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.api.serializers import BundleSerializer, JudgementSerializer, SeenCaseSerializer
from apps.cases.models import Severity
from apps.diagnosis.models import Form, Tuning

Shape = serializers.Serializer[Any]


class BundlesShape(Shape):
    results = BundleSerializer(many=True)


class StateShape(Shape):
    settled = serializers.BooleanField(help_text="Nothing more will change unless somebody adds files.")
    files = serializers.DictField(child=serializers.IntegerField(), help_text="Number of files by state.")
    total = serializers.IntegerField()
    failure = serializers.CharField(allow_null=True)
    severity = serializers.ChoiceField(choices=Severity.choices, allow_null=True)
    verdict = serializers.CharField(allow_null=True)
    verdict_form = serializers.ChoiceField(choices=Form.choices, allow_null=True)


class LiveShape(Shape):
    """What a watch gets after each sample."""

    watching = serializers.BooleanField(help_text="Somebody sends samples.")
    blocker = serializers.CharField(allow_null=True, help_text="What blocks at the last sample that was read.")
    same_root_samples = serializers.IntegerField(help_text="In how many samples in a row it was the same.")
    waits = serializers.IntegerField(help_text="Waits of 10 s and more at the last sample.")
    longest_s = serializers.FloatField()
    severity = serializers.ChoiceField(choices=Severity.choices, allow_null=True)
    verdict = serializers.CharField(allow_null=True)
    verdict_form = serializers.ChoiceField(choices=Form.choices, allow_null=True)


class PlaceShape(Shape):
    """A line that a claim rests on."""

    path = serializers.CharField()
    sha256 = serializers.CharField(allow_null=True)
    line = serializers.IntegerField()
    last_line = serializers.IntegerField(allow_null=True)
    text = serializers.CharField()


class JudgementShape(Shape):
    word = serializers.ChoiceField(choices=["agreed", "disputed", "set_aside"])
    why = serializers.CharField(allow_blank=True)
    by = serializers.CharField()
    at = serializers.CharField()


class JudgementsShape(Shape):
    title = serializers.CharField(help_text="Of what is judged, as it reads now.", allow_blank=True)
    results = JudgementSerializer(many=True)


class FindingShape(Shape):
    id = serializers.CharField(
        help_text="Under which it is judged; the same in the next diagnosis, as long as it says the same."
    )
    rule = serializers.CharField()
    ref = serializers.CharField(allow_blank=True)
    severity = serializers.ChoiceField(choices=Severity.choices)
    confidence = serializers.FloatField()
    confidence_parts = serializers.JSONField()
    basis = serializers.CharField()
    title = serializers.CharField()
    explanation = serializers.CharField(allow_blank=True)
    nodes = serializers.ListField(child=serializers.CharField())
    figures = serializers.JSONField()
    disproved_by = serializers.CharField(allow_blank=True)
    tunings = serializers.ListField(child=serializers.CharField())
    start = serializers.CharField(allow_null=True)
    end = serializers.CharField(allow_null=True)
    evidence = PlaceShape(many=True)
    judgement = JudgementShape(allow_null=True)


class FindingsShape(Shape):
    results = FindingShape(many=True)


class TuningShape(Shape):
    id = serializers.CharField()
    parameter = serializers.CharField()
    scope = serializers.CharField(allow_blank=True)
    current = serializers.CharField(allow_null=True, help_text="null where the files do not tell it.")
    recommended = serializers.CharField(allow_blank=True)
    status = serializers.ChoiceField(choices=Tuning.Status.choices)
    commands = serializers.ListField(child=serializers.CharField())
    persist = serializers.CharField(allow_blank=True)
    caution = serializers.CharField(allow_blank=True)
    way_back = serializers.CharField(allow_blank=True)
    verify = serializers.CharField(allow_blank=True)
    since = serializers.CharField(allow_blank=True)
    why = serializers.CharField(allow_blank=True)
    sources = serializers.ListField(child=serializers.CharField())
    read_from = PlaceShape(allow_null=True)


class TuningsShape(Shape):
    results = TuningShape(many=True)


class AnalysisShape(Shape):
    schema = serializers.CharField()
    case = serializers.DictField()
    made_at = serializers.DateTimeField()
    engine_version = serializers.CharField()
    partial = serializers.BooleanField()  # type: ignore[assignment]  # the metaclass takes fields out of the class
    files = serializers.DictField(child=serializers.IntegerField())
    products = serializers.ListField(child=serializers.CharField())
    nodes = serializers.JSONField()
    window = serializers.DictField(child=serializers.CharField(allow_null=True))
    verdict = serializers.DictField()
    findings = FindingShape(many=True)
    tunings = TuningShape(many=True)
    waiter_kinds = serializers.JSONField()
    waits_for = serializers.JSONField()
    roots = serializers.JSONField()
    cycles = serializers.JSONField()
    missing = serializers.JSONField()
    next_steps = serializers.JSONField()


class WaitShape(Shape):
    """A wait followed over dumps; times are microseconds of the clock as printed."""

    node = serializers.CharField(allow_null=True)
    thread = serializers.CharField(allow_null=True)
    category = serializers.IntegerField(
        allow_null=True, help_text="1 normal, 2 may be long, 3 never long, 4 overload; null is unknown."
    )
    kind_id = serializers.CharField(allow_null=True)
    waits_on = serializers.CharField(allow_null=True)
    reason = serializers.CharField(allow_null=True)
    state = serializers.CharField(allow_null=True)
    start = serializers.IntegerField(allow_null=True)
    end = serializers.IntegerField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    dumps = serializers.IntegerField(allow_null=True)
    line = serializers.IntegerField(allow_null=True)


class WaitersShape(Shape):
    total = serializers.IntegerField()
    page = serializers.IntegerField()
    pages = serializers.IntegerField()
    results = WaitShape(many=True)


class ArrowShape(Shape):
    to = serializers.CharField()
    vias = serializers.ListField(child=serializers.CharField())
    count = serializers.IntegerField()
    longest_s = serializers.FloatField()
    is_resolved = serializers.BooleanField()
    ends = serializers.IntegerField(help_text="Waits that end once the name at the end of the arrow is free.")

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of the language and no name of an attribute."""
        return {"from": serializers.CharField(), **super().get_fields()}


class RootShape(Shape):
    what = serializers.CharField()
    kind = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    why = serializers.CharField()
    waiters = serializers.IntegerField()
    relieves = serializers.IntegerField()


class GraphShape(Shape):
    arrows = ArrowShape(many=True)
    arrows_n = serializers.IntegerField(help_text="Of the whole case.")
    left_out = serializers.IntegerField(
        help_text="Arrows that match and are not in the answer, which holds 500 at most."
    )
    roots = RootShape(many=True)
    cycles = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    cycles_are_proven = serializers.BooleanField()
    moments = serializers.JSONField(help_text="Rounds of dumps that `at` may name.")


class SeriesShape(Shape):
    window = serializers.DictField()
    whole = serializers.DictField(child=serializers.IntegerField())
    folds = serializers.ListField(
        child=serializers.DictField(), help_text="Stretches without data; the rest alone sets the width of buckets."
    )
    bucket_us = serializers.IntegerField()
    overview = serializers.DictField()
    lanes = serializers.ListField(child=serializers.DictField())


class SeenShape(Shape):
    signature = serializers.CharField()
    words = serializers.CharField()
    rule = serializers.CharField(allow_blank=True)
    cases = SeenCaseSerializer(many=True)
    others_n = serializers.IntegerField()


class SeenBeforeShape(Shape):
    results = SeenShape(many=True)
