from __future__ import annotations

from django import forms

from apps.webhooks.models import Webhook
from apps.webhooks.outgoing import ADDRESS_CHARS
from apps.webhooks.services import EVENTS


class WebhookForm(forms.Form):
    address = forms.CharField(
        max_length=ADDRESS_CHARS,
        label="Address",
        help_text="Kept encrypted; only its host is shown again.",
        widget=forms.URLInput(attrs={"autocomplete": "off", "placeholder": "https://chat.example.com/hooks/…"}),
    )
    shape = forms.ChoiceField(choices=Webhook.Shape.choices, initial=Webhook.Shape.GENERIC, label="What it is sent")
    events = forms.MultipleChoiceField(
        choices=[(name, words) for name, words in EVENTS.items()],
        initial=["case.state", "bundle.read", "bundle.failed"],
        widget=forms.CheckboxSelectMultiple,
        label="Tell it when",
    )
