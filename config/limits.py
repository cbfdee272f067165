"""What a hostile or merely huge input may cost. One frozen value; the upload page shows it and the reading code is
given it.
"""

from __future__ import annotations

from dataclasses import dataclass

from config.env import BadSetting, env_bytes, env_int

MIB = 1 << 20
GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    upload_bytes: int
    team_bytes: int
    """Uploads of one team together; 0: as much as there is room for."""
    expanded_bytes: int
    expanded_ratio: int
    """Expanded bytes per uploaded byte, counted only above ratio_free_bytes."""
    ratio_free_bytes: int
    member_bytes: int
    members: int
    depth: int
    name_chars: int
    line_bytes: int
    shape_memo: int
    link_days: int
    link_days_max: int
    sign_in_days: int
    idle_minutes: int
    """A browser that was signed in and asked for nothing for so long is signed out."""
    link_idle_minutes: int
    """The same of a link that was opened with its password, or by one of a number of openings."""
    trash_days: int
    upload_days: int
    """An unfinished upload can be gone on with for so long after its last byte."""
    task_soft_s: int
    task_hard_s: int
    task_retries: int
    lease_s: int
    lease_renew_s: int
    sweep_s: int
    partial_diagnosis_s: int
    light_bytes: int
    """Uploads under this size use the queue for small work."""
    window_bytes: int
    """A text of twice this size and more is read in windows of this size, by several workers."""


def limits_from_env() -> Limits:
    limits = Limits(
        upload_bytes=env_bytes("LOCKSCOPE_MAX_UPLOAD_BYTES", 20 * GIB),
        team_bytes=env_bytes("LOCKSCOPE_TEAM_BYTES", 0),
        expanded_bytes=env_bytes("LOCKSCOPE_MAX_EXPANDED_BYTES", 200 * GIB),
        expanded_ratio=env_int("LOCKSCOPE_MAX_EXPANDED_RATIO", 200, least=1),
        ratio_free_bytes=env_bytes("LOCKSCOPE_RATIO_FREE_BYTES", GIB),
        member_bytes=env_bytes("LOCKSCOPE_MAX_MEMBER_BYTES", 50 * GIB),
        members=env_int("LOCKSCOPE_MAX_MEMBERS", 200_000, least=1),
        depth=env_int("LOCKSCOPE_MAX_DEPTH", 4, least=1),
        name_chars=env_int("LOCKSCOPE_MAX_NAME_CHARS", 1024, least=16),
        line_bytes=env_bytes("LOCKSCOPE_MAX_LINE_BYTES", MIB),
        shape_memo=env_int("LOCKSCOPE_SHAPE_MEMO", 100_000, least=1),
        link_days=env_int("LOCKSCOPE_LINK_DAYS", 14, least=1),
        link_days_max=env_int("LOCKSCOPE_LINK_DAYS_MAX", 90, least=1),
        sign_in_days=env_int("LOCKSCOPE_SIGN_IN_DAYS", 14, least=1),
        idle_minutes=env_int("LOCKSCOPE_IDLE_MINUTES", 3 * 24 * 60, least=1),
        link_idle_minutes=env_int("LOCKSCOPE_LINK_IDLE_MINUTES", 4 * 60, least=1),
        trash_days=env_int("LOCKSCOPE_TRASH_DAYS", 30, least=1),
        upload_days=env_int("LOCKSCOPE_UPLOAD_DAYS", 7, least=1),
        task_soft_s=env_int("LOCKSCOPE_TASK_SOFT_S", 15 * 60, least=1),
        task_hard_s=env_int("LOCKSCOPE_TASK_HARD_S", 20 * 60, least=1),
        task_retries=env_int("LOCKSCOPE_TASK_RETRIES", 3),
        lease_s=env_int("LOCKSCOPE_LEASE_S", 45, least=1),
        lease_renew_s=env_int("LOCKSCOPE_LEASE_RENEW_S", 15, least=1),
        sweep_s=env_int("LOCKSCOPE_SWEEP_S", 15, least=1),
        partial_diagnosis_s=env_int("LOCKSCOPE_PARTIAL_DIAGNOSIS_S", 10, least=1),
        light_bytes=env_bytes("LOCKSCOPE_LIGHT_BYTES", 20 * MIB),
        window_bytes=env_bytes("LOCKSCOPE_WINDOW_BYTES", 256 * MIB),
    )
    refuse_contradictions(limits)
    return limits


def refuse_contradictions(limits: Limits) -> None:
    ordered = (
        ("LOCKSCOPE_TASK_SOFT_S", limits.task_soft_s, "LOCKSCOPE_TASK_HARD_S", limits.task_hard_s),
        ("LOCKSCOPE_LEASE_RENEW_S", limits.lease_renew_s, "LOCKSCOPE_LEASE_S", limits.lease_s),
    )
    for name, value, above_name, above in ordered:
        if value >= above:
            raise BadSetting(name, f"must be below {above_name}")
    if limits.link_days > limits.link_days_max:
        raise BadSetting("LOCKSCOPE_LINK_DAYS", "must not be above LOCKSCOPE_LINK_DAYS_MAX")
