"""Where files of cases are kept: a folder, or an S3-compatible store when a bucket is named."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from config.env import BadSetting, env_choice, env_secret, env_str


def storage_from_env(root: Path) -> dict[str, Any]:
    """As Django's STORAGES takes it."""
    bucket = env_str("LOCKSCOPE_S3_BUCKET", "")
    if not bucket:
        return {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": root, "file_permissions_mode": 0o600, "directory_permissions_mode": 0o700},
        }
    return {"BACKEND": "apps.cases.storage.s3.CaseStorage", "OPTIONS": _options(bucket)}


def _options(bucket: str) -> dict[str, Any]:
    from botocore.config import Config  # a tenth of a second that an installation without S3 need not spend

    access, secret = env_secret("LOCKSCOPE_S3_ACCESS_KEY"), env_secret("LOCKSCOPE_S3_SECRET_KEY")
    if bool(access) != bool(secret):
        raise BadSetting(
            "LOCKSCOPE_S3_SECRET_KEY",
            "and LOCKSCOPE_S3_ACCESS_KEY must both be set, or neither (then the machine's role is used)",
        )
    style = env_choice("LOCKSCOPE_S3_ADDRESSING", "path", ("path", "virtual"))
    return {
        "bucket_name": bucket,
        "endpoint_url": _endpoint(),
        "region_name": env_str("LOCKSCOPE_S3_REGION", "us-east-1"),
        "access_key": access or None,
        "secret_key": secret or None,
        "file_overwrite": False,
        "default_acl": None,
        "querystring_auth": False,
        # A store that hangs holds each page that asks it, for three quarters of a minute; then it is said to be away.
        # Joining the parts of a huge file takes longer, and has a client of its own (apps/cases/storage/s3.py).
        "client_config": Config(
            connect_timeout=5,
            read_timeout=15,
            retries={"total_max_attempts": 3, "mode": "standard"},
            s3={"addressing_style": style},
            signature_version="s3v4",
            # Stores other than Amazon's often do not know the newer checksums; texts and facts carry sums of their own.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    }


def _endpoint() -> str | None:
    endpoint = env_str("LOCKSCOPE_S3_ENDPOINT", "")
    address = urlsplit(endpoint)
    if endpoint and (address.scheme not in {"http", "https"} or not address.hostname):
        raise BadSetting("LOCKSCOPE_S3_ENDPOINT", "must look like https://s3.example.com")
    return endpoint or None
