"""T26 and T27: every address and verb by everybody, and every nested number with another case's child.

A new address needs a row here: without one the first test fails.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.invitations import invite
from apps.accounts.models import Role, Team, TeamMembership, User
from apps.api.services import create_token
from apps.cases.models import CaseMembership, Note
from apps.diagnosis.pages.judging.judgements import Subject
from apps.learning.models import Example, SiteEntry, TeamEntry
from apps.sharing.models import ShareLink
from apps.sharing.services import create_share_link
from apps.webhooks.models import Webhook
from apps.webhooks.services import add_webhook
from tests.builders import Built, People, build_case, person
from tests.learning.pack import ROW, proposed
from tests.part import part
from tests.test_urls_have_policy import ALL

pytestmark = pytest.mark.django_db

ROWS = {
    "public": """
        web:healthz web:readyz web:version accounts:sign_in accounts:sign_out accounts:enter accounts:invitation account_login
        account_logout mfa_authenticate mfa_login_webauthn openid_connect_login openid_connect_callback
        socialaccount_login_cancelled api_not_found operations:metrics accounts:password_forgotten accounts:password_new""",  # noqa: E501 - a list of addresses
    "signed_in": """
        cases:list cases:case_table cases:view_save cases:view_remove ingest:sample cases:trash_list cases:not_understood cases:retention cases:removal_proof diagnosis:search diagnosis:compare
        diagnosis:knowledge diagnosis:worth learning:unjudged learning:site api:unjudged api:worth ingest:upload ingest:known ingest:resumable
        ingest:resumable_one ingest:discard accounts:password accounts:security accounts:sessions_end accounts:session_end
        accounts:sso_disconnect account_reauthenticate mfa_reauthenticate mfa_reauthenticate_webauthn mfa_index
        mfa_list_webauthn mfa_activate_totp mfa_deactivate_totp mfa_view_recovery_codes mfa_generate_recovery_codes
        mfa_add_webauthn mfa_edit_webauthn mfa_remove_webauthn teams:list sharing:links api:tokens api:revoke api:cases api:resumable
        api:resumable_one api:schema api:reference api:client recurrence:signature accounts:mail accounts:mail_confirm cases:notices
        cases:notices_read cases:notice_open notices:settings""",  # noqa: E501 - a list of addresses
    "administrator": """
        cases:holds cases:audit cases:audit_all accounts:users accounts:make_link accounts:second_factor_off accounts:set_active
        operations:work operations:retry learning:accept learning:leave_out""",  # noqa: E501 - a list of addresses
    "case:viewer": """
        cases:keeping cases:people cases:visit_end cases:bundle_download cases:files cases:file cases:file_lines
        cases:file_words cases:file_raw cases:lines cases:history cases:notes diagnosis:timeline diagnosis:timeline_json
        diagnosis:evidence sharing:reply diagnosis:state diagnosis:live diagnosis:waiters diagnosis:waiters_csv diagnosis:graph diagnosis:locks
        diagnosis:settings diagnosis:table_csv diagnosis:report diagnosis:collect diagnosis:export_markdown
        diagnosis:export_json diagnosis:export_html ingest:reading api:case api:bundles api:state api:live api:analysis api:waiters
        api:findings api:judgements api:tunings api:graph api:series api:export api:seen_before
        api:notes api:outcome""",  # noqa: E501 - a list of addresses
    "case:editor": """
        cases:edit cases:bundle_remove cases:note_form cases:note_edit cases:note_delete diagnosis:judge diagnosis:outcome ingest:add ingest:retry
        ingest:unpack_again ingest:diagnose_again learning:means learning:means_wait sharing:example_keep""",  # noqa: E501 - a list of addresses
    "case:owner": """
        cases:trash cases:restore cases:remove cases:archive cases:unarchive cases:hold cases:release cases:person_add
        cases:person_remove cases:transfer cases:audit_export ingest:reparse_file ingest:reparse_case sharing:dialog
        sharing:preview sharing:revoke_all sharing:revoke sharing:end api:links api:link""",
    "case:administrator": "cases:visit cases:hold_end",
    "team:viewer": """
        teams:team learning:entries learning:entry learning:look learning:file learning:pack sharing:examples
        api:entries api:entry api:entry_state api:entry_look api:pack""",
    "team:editor": """
        learning:new learning:edit learning:propose learning:withdraw learning:upload sharing:examples_check
        sharing:example_remove""",
    "team:owner": """
        learning:put_in_force learning:offer teams:rename teams:member_add teams:member_remove teams:invite teams:withdraw webhooks:list webhooks:test webhooks:remove""",  # noqa: E501 - a list of addresses
    "link": """
        sharing:page sharing:unlock sharing:timeline_json sharing:files sharing:file sharing:file_lines sharing:file_raw
        sharing:notes sharing:part""",
}
POLICIES = {name: policy for policy, names in ROWS.items() for name in names.split()}
PATTERNS = dict(ALL)
NOBODY = "nobody"
ROLES = ("viewer", "editor", "owner")
EVERYBODY = ("anonymous", "stranger", *ROLES, "administrator")
PAGE_VERBS, OTHER_VERBS = ("get", "post"), ("put", "patch", "delete")
VERBS = PAGE_VERBS + OTHER_VERBS
JUDGED = Subject("finding", "slow-disk", "One disk is slow").token
WORDS = {
    "judged": JUDGED,
    "name": "waiters",
    "kind": "csv",
    "product": "gfs2",
    "provider_id": "nobody",
    "slug": "lund-storage",
}
OF_A_LINK = {"name": "graph"}
# 404 is right although they may: nothing of the kind is there, or a name or product means something only with other
# data.
NOTHING_THERE = {
    "learning:means_wait",
    "cases:visit_end",
    "cases:file_words",
    "diagnosis:table_csv",
    "diagnosis:collect",
    "api:export",
}
# Somebody else's note is not changed by another editor.
NOT_OWN = {("cases:note_edit", "editor"), ("cases:note_delete", "editor")}


@dataclass(frozen=True, slots=True)
class World:
    """Everybody signed in, and two cases of one team with something of each kind in them."""

    people: dict[str, Client]
    programs: dict[str, dict[str, str]]
    numbers: dict[str, int]
    others: dict[str, int]
    """The same kinds, of the other case."""
    key: str
    token: str = ""
    tokens: dict[str, str] = field(default_factory=dict)


@pytest.fixture
def world(folk: People) -> World:
    cache.clear()
    users = {
        "stranger": folk.charlie,
        "viewer": person("vera", folk.team, Role.VIEWER),
        "editor": folk.bob,
        "owner": folk.alice,
        "administrator": person("root", is_staff=True),
    }
    people = {"anonymous": Client(raise_request_exception=False)}
    assert {*people, *users} == {*EVERYBODY}
    for name, user in users.items():
        people[name] = Client(raise_request_exception=False)
        people[name].force_login(user)
    programs = {name: _bearer(user) for name, user in users.items()} | {"anonymous": {}}
    built, other = build_case(folk.team), build_case(folk.team, "another of the same team")
    numbers, others = _numbers(built, folk.alice, folk.team), _numbers(other, folk.alice, folk.other_team)
    return World(people, programs, numbers, others, built.case.key)


def _bearer(user: User) -> dict[str, str]:
    return {"Authorization": f"Bearer {create_token(user=user, name='matrix', scope='write', days=3).text}"}


def _numbers(built: Built, owner: User, team: Team) -> dict[str, int]:
    guest = person(f"guest-{built.case.pk}", team, Role.VIEWER)
    return {
        "artifact_id": built.artifact.pk,
        "bundle_id": built.bundle.pk,
        "note_id": Note.objects.create(case=built.case, author=owner, text="seen").pk,
        "link_id": create_share_link(case=built.case, user=owner, days=3).link.pk,
        "membership_id": CaseMembership.objects.create(case=built.case, user=guest, role=Role.VIEWER).pk,
        "team_membership_id": TeamMembership.objects.get(team=team, user=guest).pk,
        "invitation_id": invite(team=team, role="viewer", days=3, by=owner).invitation.pk,
        "user_id": guest.pk,
        "webhook_id": _webhook(team, owner).pk,
        "entry_id": _offered(team, owner, f"entry-{built.case.pk}"),
        "site_entry_id": SiteEntry.objects.create(name=f"site-{built.case.pk}", row=ROW).pk,
        "example_id": Example.objects.create(team=team, title="one", stored="examples/none/", expected={}).pk,
    }


def _offered(team: Team, owner: User, name: str) -> int:
    entry = proposed(team, owner, name=name)
    TeamEntry.objects.filter(pk=entry.pk).update(offered=1)
    return entry.pk


def _webhook(team: Team, owner: User) -> Webhook:
    return add_webhook(team, address="https://hooks.example.com/x", shape="generic", events=["case.state"], by=owner)


def address(name: str, world: World, numbers: dict[str, int], token: str = NOBODY) -> str:
    """Every number that an address asks for is one that is there."""
    given: dict[str, Any] = {}
    if name == "api_not_found":
        return "/api/nothing/"
    for piece in PATTERNS[name].pattern.converters:
        which = f"team_{piece}" if name.startswith("teams:") and piece == "membership_id" else piece
        given[piece] = (
            {"key": world.key, "token": token}.get(piece)
            or (OF_A_LINK if token != NOBODY else {}).get(piece)
            or WORDS.get(piece)
        )
        given[piece] = given[piece] or numbers.get(which, 1)
    return reverse(name, kwargs=given)


@contextmanager
def taken_back(verb: str = "") -> Iterator[None]:
    """What a request changes is undone for the next one. Without what is cached each request looks for its session in
    the database and notes again that somebody was there, a third of what most of them cost; so a page that is only
    looked at leaves it.
    """
    point = transaction.savepoint()
    yield
    transaction.savepoint_rollback(point)
    if verb != "get":
        cache.clear()


def ask(world: World, who: str, verb: str, url: str, form: dict[str, str] | None = None) -> HttpResponseBase:
    headers = world.programs[who] if url.startswith("/api/") else {}
    given = {"data": form} if form and verb == "post" and headers == {} else {}
    response: HttpResponseBase = getattr(world.people[who], verb)(url, headers=headers, **given)
    assert response.status_code < 500, (who, verb, url)
    return response


def is_sent_to_sign_in(response: HttpResponseBase) -> bool:
    return response.status_code == 401 or response.headers.get("Location", "").startswith("/accounts/sign-in/")


def may(who: str, policy: str) -> bool:
    kind, _, role = policy.partition(":")
    if kind == "signed_in":
        return who != "anonymous"
    if kind == "administrator" or role == "administrator":
        return who == "administrator"
    if who == "administrator":
        return kind == "team"
    return who in {"viewer", "editor", "owner"} and Role(who).reaches(Role(role))


def refusals(who: str, policy: str) -> set[int]:
    """What somebody who may not is answered: strangers learn nothing, a role too low is told so."""
    if policy == "administrator":
        return {403}
    if who in {"stranger", "administrator"} or policy == "case:administrator":
        return {404}
    return {403}


def others_who_ask(policy: str, most: str, name: str) -> list[str]:
    """Besides nobody and who may most: the roles on both sides of the line, and for each address one of the others;
    ``make matrix`` asks as all of them.
    """
    role = policy.partition(":")[2]
    others = [who for who in EVERYBODY if who not in {"anonymous", most}]
    on_the_line: set[str] = set()
    if role in ROLES:
        on_the_line |= {*ROLES[max(0, ROLES.index(role) - 1) : ROLES.index(role) + 1]}
    on_the_line |= {*part([who for who in others if who not in on_the_line], 1, "who", policy, name)}
    return [who for who in others if who in on_the_line]


def test_every_address_has_a_row_that_says_its_policy() -> None:
    assert {name: getattr(pattern.callback, "policy", "") for name, pattern in ALL} == POLICIES


@pytest.mark.parametrize("policy", sorted(set(ROWS) - {"public", "link"}))
def test_t26_every_verb_by_everybody(world: World, policy: str) -> None:
    most = "administrator" if policy.endswith("administrator") else "owner"
    for name in ROWS[policy].split():
        url = address(name, world, world.numbers)
        everybody = ["anonymous", most, *others_who_ask(policy, most, name)]
        for verb in VERBS if url.startswith("/api/") else PAGE_VERBS:
            known = 0
            for who in everybody:
                with taken_back(verb):
                    known += _check(world, name, policy, who, verb, url)
                if who == most and not known:  # neither to who may least nor to who may most
                    break


def test_t26_pages_know_no_other_verbs(world: World) -> None:
    """But for those of django-allauth, which take PUT for POST."""
    for name, policy in POLICIES.items():
        url = address(name, world, world.numbers)
        if not url.startswith("/api/") and policy != "public" and not name.startswith(("mfa_", "account_")):
            for verb in OTHER_VERBS:
                assert ask(world, "owner", verb, url).status_code in {302, 401, 403, 404, 405}, (name, verb)


def _check(world: World, name: str, policy: str, who: str, verb: str, url: str) -> bool:
    """Whether the verb is known here; what comes back where it is."""
    response = ask(world, who, verb, url)
    case = (name, who, verb, response.status_code)
    if response.status_code == 405:  # no such verb here, for whomever
        return False
    if may(who, policy):
        assert not is_sent_to_sign_in(response) or name.startswith("mfa_"), case
        allowed_anyway = (
            (name, who) in NOT_OWN or policy == "signed_in" or (verb not in {"get", "post"} and url.startswith("/api/"))
        )
        assert response.status_code != 403 or allowed_anyway or verb == "post", case
        assert response.status_code != 404 or name in NOTHING_THERE or policy == "signed_in", case
    elif who == "anonymous":
        assert is_sent_to_sign_in(response), case
    elif response.status_code == 302:
        assert (who, verb, policy.partition(":")[0]) == ("administrator", "get", "case"), case
        assert response.headers["Location"].startswith(f"/cases/{world.key}/reason/"), case
    else:
        assert response.status_code in refusals(who, policy), case
    return True


NESTED = [
    name
    for name in POLICIES
    if POLICIES[name].startswith(("case:", "team:"))
    and any(p.endswith("_id") for p in PATTERNS[name].pattern.converters)
]


def test_t27_a_number_of_another_case_or_team_leads_nowhere(world: World) -> None:
    for name in NESTED:
        url = address(name, world, world.others)
        for verb in VERBS if url.startswith("/api/") else PAGE_VERBS:
            with taken_back():
                assert ask(world, "owner", verb, url, {"days": "7", "text": "x"}).status_code in {404, 405}, (
                    name,
                    verb,
                )


OF_LINKS = [name for name, policy in POLICIES.items() if policy == "link"]


RAW = {"sharing:files", "sharing:file", "sharing:file_lines", "sharing:file_raw", "sharing:notes"}


@pytest.mark.parametrize("level", ShareLink.Level.values)
def test_t26_a_link_opens_its_level_until_it_ends_or_is_revoked(world: World, folk: People, level: str) -> None:
    case = Note.objects.get(pk=world.numbers["note_id"]).case
    fresh = create_share_link(case=case, user=folk.alice, days=3, level=level)
    is_colleague = level == ShareLink.Level.COLLEAGUE
    ended = {"ends_at": timezone.now() - timedelta(seconds=1), "created_at": timezone.now() - timedelta(days=9)}
    for name in OF_LINKS:
        url = address(name, world, world.numbers, fresh.token)
        with taken_back("get"):
            response = ask(world, "anonymous", "get", url)
            assert response.status_code == 405 or is_sent_to_sign_in(response) == is_colleague, name
        with taken_back("get"):
            is_closed = name in RAW and not is_colleague
            assert ask(world, "stranger", "get", url).status_code in ({404} if is_closed else {200, 302, 405}), name
        for change in (ended, {"revoked_at": timezone.now()}):
            _meets_nothing(world, name, url, fresh.link, change)


def _meets_nothing(world: World, name: str, url: str, link: ShareLink, change: dict[str, Any]) -> None:
    with taken_back():
        ShareLink.objects.filter(pk=link.pk).update(**change)
        for who in ("anonymous", "stranger", "owner"):
            for verb in PAGE_VERBS:
                assert ask(world, who, verb, url).status_code in {404, 405}, (name, who, verb)


def test_t26_a_token_that_never_was_opens_nothing(world: World) -> None:
    for name in OF_LINKS:
        for who in ("anonymous", "owner", "administrator"):
            with taken_back():
                assert ask(world, who, "get", address(name, world, world.numbers, "x" * 27)).status_code in {
                    404,
                    405,
                }, (name, who)


SECRET = "zanzibar"
LISTS = (
    "/", "/?archive=1", "/?q=zanzibar", "/trash/", "/not-understood/",
    "/unjudged/?quiet=1", "/knowledge/worth/", "/search/?q=zanzibar", "/search/?q=NSDThread",
    "/compare/",
    "/knowledge/", "/knowledge/?q=nsd", "/knowledge/?part=messages", "/upload/", "/upload/?case=SECRET-1", "/teams/",
    "/links/", "/notices/",
    "/retention/",
    "/api/v1/cases/", "/api/v1/cases/?q=zanzibar",
)  # fmt: skip


@pytest.mark.parametrize("who", ["stranger", "administrator"])
def test_t28_lists_searches_and_counts_tell_nothing_of_cases_of_others(world: World, folk: People, who: str) -> None:
    """The same answers as before the case was there, but for times and keys of forms."""
    before = {url: _figures(world, who, url) for url in LISTS}
    for number in range(3):
        build_case(folk.team, f"{SECRET} {number}", key=f"SECRET-{number}", customer="Zanzibar Trading")
    for url in LISTS:
        text, after = _page(world, who, url), _figures(world, who, url)
        assert f"{SECRET} 0" not in text.lower(), url
        assert "SECRET-0" not in text, url
        if not (who == "administrator" and url == "/teams/"):  # who runs all teams sees how many cases each has
            assert before[url] == after, url


def _page(world: World, who: str, url: str) -> str:
    response = world.people[who].get(url, headers=world.programs[who] if url.startswith("/api/") else {})
    assert response.status_code == 200, url
    return str(response.content.decode())


def _figures(world: World, who: str, url: str) -> list[str]:
    """All numbers of a page's text: counts in facets, pagers, titles."""
    text = re.sub(r"<(script|style|time|input|meta|link|img|svg)\b.*?>", " ", _page(world, who, url), flags=re.DOTALL)
    return re.findall(r">\s*([\d\u2009,.]+)\s*<|(\d+) (?:cases?|shown|in all|lines?|files?)", text)
