"""T40: keys, tokens and password hashes in an upload are found and warned of; ordinary dumps raise no alarm."""

from __future__ import annotations

import gzip
import io
import re
import tarfile
import time

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse

from apps.audit.models import AuditEvent
from apps.cases.models import Case
from apps.ingest.samples import SAMPLES, Sample
from apps.privacy.credentials import JUDGED_CHARS, CredentialScan, sort_of
from apps.privacy.models import Credential
from tests.builders import People
from tests.ingest.material import send, tar, waiters
from tests.shown import shown

SEEDED = {
    "-----BEGIN RSA PRIVATE KEY-----": "private key",
    "-----BEGIN OPENSSH PRIVATE KEY-----": "private key",
    "aws_access_key_id = AKIA" + "QX7NZ4PLMN2KWT5A": "AWS access key",
    "remote: https://ghp_" + "a1B2c3D4e5" * 4 + "@github.com/x": "GitHub token",
    "SLACK=xoxb-" + "123456789012-abcdefABCDEF": "Slack token",
    "maps key AIza" + "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q": "Google key",
    "DefaultEndpointsProtocol=https;AccountName=bank;AccountKey=" + "Ab3dE6gH9jK2" * 6 + "==": "Azure key",
    "https://bank.blob.example/x?sv=2024&sig=" + "Ab3dE6gH9jK2mN5p" * 3: "Azure access signature",
    "root:$6$Nf2kQ8sL$" + "vQ9xT2mK7pR4wY6zB1cD3eF5gH8jL0nM" * 2 + ":19800:0:99999:7:::": "password hash",
    "svc:$y$j9T$" + "vQ9xT2mK7pR4wY6z" + "$" + "B1cD3eF5gH8jL0nMvQ9xT2mK7pR4": "password hash",
    "Administrator:500:aad3b435b51404eeaad3b435b51404ee:31d6cfe0d16ae931b73c59d7e0c089c0:::": "NTLM hash",
    "Authorization: Bearer " + "q7Rt5Yw2Zx8Cv4Bn6Mk1Lp3": "bearer token",
    "session eyJ" + "hbGciOiJIUzI1NiJ9.eyJ" + "zdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9P": "web token",
    "db_password = Tr0ub4dor&3": "password or key in a setting",
    "  BIND_PASSWORD: 's3cr3t-Value'": "password or key in a setting",
    "jdbc postgres://app:Tr0ub4dor@db1:5432/x": "password in an address",
}
HARMLESS = (
    "password:   files sss", "passwd: files systemd", "Password: ", "password=********", "PasswordAuthentication yes",
    "secretKey = none",
    "Failed password for invalid user admin from 10.0.0.7 port 22 ssh2",
    "password  required  pam_unix.so try_first_pass",
    "auth_token=${TOKEN}", "tokenMemLimit 536870912", "tmMsgTellAcquire1: token revoke pending", "sig=3 cpu=7",
    "-----", "ASIA",
    "https://www.ibm.com/docs/en/storage-scale", "G:  s:EX n:2/45afc2 f:lDpIqob t:SH d:UN/1000 a:0 v:0 r:4 m:200",
)  # fmt: skip


@pytest.mark.parametrize("line", SEEDED, ids=[*SEEDED.values()])
def test_a_seeded_credential_is_found(line: str) -> None:
    assert sort_of(line) == SEEDED[line]
    scan = CredentialScan()
    scan.take(f"first\n{line}\nlast\n".encode(), 11)
    assert [(one.line, one.sort) for one in scan.found] == [(12, SEEDED[line])]


@pytest.mark.parametrize("line", HARMLESS)
def test_an_ordinary_line_raises_no_alarm(line: str) -> None:
    assert sort_of(line) is None


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.key))
def test_a_sample_case_raises_no_alarm(sample: Sample) -> None:
    with gzip.open(io.BytesIO(sample.build())) as unpacked, tarfile.open(fileobj=unpacked) as archive:
        for member in archive:
            file = archive.extractfile(member)
            scan = CredentialScan()
            scan.take(file.read() if file else b"", 1)
            assert scan.found == [], member.name


def test_a_text_made_to_be_slow_is_looked_at_up_to_a_bound() -> None:
    block = b"\n".join([b"password=" + b"a." * 4000] * 40)
    scan = CredentialScan()
    begun = time.process_time()
    while not scan.is_cut:
        scan.take(block, 1)
        assert scan._judged <= JUDGED_CHARS + len(block)
    assert time.process_time() - begun < 60


@pytest.mark.parametrize(
    "evil",
    ["a-" * 4000 + "password", "eyJ" * 2700, "-----BEGIN " * 700, "bearer " + " " * 8000, "password" + " " * 8000],
)
def test_no_pattern_backtracks(evil: str) -> None:
    begun = time.process_time()
    sort_of(evil)
    assert time.process_time() - begun < 1.0


@pytest.mark.django_db
def test_t40_the_case_the_files_the_line_and_the_share_page_warn_without_the_secret(staff: People) -> None:
    cache.clear()
    secrets = [line for line, sort in SEEDED.items() if sort != "private key"]
    text = waiters() + b"".join(f"{line}\n".encode() for line in SEEDED)
    client = Client()
    client.force_login(staff.alice)
    send(
        client,
        tar({"oulu-n1/all.txt": text, "oulu-n2/waiters.txt": waiters("oulu-n2")}),
        team=staff.team.slug,
        title="Hang",
    )
    case = Case.objects.get()
    found = list(Credential.objects.order_by("line").values_list("line", "sort"))
    first = text.count(b"\n", 0, text.index(b"-----BEGIN RSA")) + 1
    assert found == [(first + number, sort) for number, sort in enumerate(SEEDED.values())]
    words = f"{len(SEEDED)} lines with credentials"
    assert words in shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    files = shown(client.get(reverse("cases:files", args=[case.key])))
    share = shown(client.get(reverse("sharing:dialog", args=[case.key])))
    assert "Passwords, keys and tokens" in files
    assert f"{len(SEEDED)} lines of these files look like passwords" in share
    for page in (files, share, str(list(AuditEvent.objects.values())), str(list(Credential.objects.values()))):
        assert not [line for line in secrets if line[-16:] in page]
    artifact = case.artifacts.get(path__contains="all.txt")
    viewer = shown(client.get(reverse("cases:file", args=[case.key, artifact.pk]), {"line": str(first)}))
    assert "Looks like a password, key or token" in viewer
    assert re.search(rf'class="line is-marked is-medium is-chosen[^"]*" id="L{first}"', viewer)
    assert AuditEvent.objects.filter(verb="credentials.found", case=case).count() == 1
