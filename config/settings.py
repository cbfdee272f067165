"""The only settings file. It reads the environment through config.env; .env.example lists every variable.

Two shapes. Embedded (nothing set): SQLite and Valkey's socket in var/, for one engineer. Server: LOCKSCOPE_DB_HOST
is set, and then PostgreSQL, Redis, a secret and the public address must all be named, or the start is refused.
"""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext

from config.env import (
    BadSetting,
    env_bool,
    env_bytes,
    env_choice,
    env_int,
    env_list,
    env_path,
    env_required,
    env_secret,
    env_str,
    refuse_weak_secret,
)
from config.limits import limits_from_env
from config.logs import logging_config
from config.object_store import storage_from_env
from config.oidc import oidc_from_env
from config.secret_key import own_secret_key

# Forms and views may then name the model that they are for, ModelForm[Case], at run time as for the type checker.
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = "0.3.0"

# Shape and places -----------------------------------------------------------------------------------------------------
DB_HOST = env_str("LOCKSCOPE_DB_HOST", "")
EMBEDDED = not DB_HOST
DEBUG = env_bool("LOCKSCOPE_DEBUG", default=False)
VAR_DIR = env_path("LOCKSCOPE_VAR", BASE_DIR / "var")
STORAGE_ROOT = env_path("LOCKSCOPE_STORAGE", VAR_DIR / "storage")
KNOWLEDGE_DIR = env_path("LOCKSCOPE_KNOWLEDGE_DIR", None)
LIMITS = limits_from_env()

# Address --------------------------------------------------------------------------------------------------------------
BASE_URL = (env_str("LOCKSCOPE_BASE_URL", "") if EMBEDDED else env_required("LOCKSCOPE_BASE_URL")).rstrip("/")
_address = urlsplit(BASE_URL)
if BASE_URL and (_address.scheme not in {"http", "https"} or not _address.hostname):
    raise BadSetting(
        "LOCKSCOPE_BASE_URL", "must look like https://lockscope.example.com or https://example.com/lockscope"
    )
BEHIND_TLS = _address.scheme == "https"
LOCAL_HOSTS = ["127.0.0.1", "localhost", "[::1]"]
ALLOWED_HOSTS = env_list("LOCKSCOPE_ALLOWED_HOSTS", [_address.hostname] if _address.hostname else []) + LOCAL_HOSTS
CSRF_TRUSTED_ORIGINS = [f"{_address.scheme}://{_address.netloc}"] if BASE_URL else []
FORCE_SCRIPT_NAME = _address.path or None
PROXIES = env_int("LOCKSCOPE_PROXIES", 0)  # reverse proxies in front whose X-Forwarded-* headers are believed

# Secrets --------------------------------------------------------------------------------------------------------------
SECRET_KEY = env_secret("LOCKSCOPE_SECRET_KEY")
if EMBEDDED and not SECRET_KEY:
    SECRET_KEY = own_secret_key(VAR_DIR / "secret_key")
refuse_weak_secret("LOCKSCOPE_SECRET_KEY", SECRET_KEY)
if not EMBEDDED and DEBUG:
    raise BadSetting("LOCKSCOPE_DEBUG", "must be off on a server")
if not EMBEDDED and any("*" in host or host.startswith(".") for host in ALLOWED_HOSTS):
    raise BadSetting("LOCKSCOPE_ALLOWED_HOSTS", "must name the hosts; a wildcard is refused")
if not EMBEDDED and not BEHIND_TLS and f"{_address.hostname}" not in {"localhost", "127.0.0.1", "::1"}:
    raise BadSetting("LOCKSCOPE_BASE_URL", "must begin with https: over http passwords and customers' data can be read")

# Applications ---------------------------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "axes",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
    "allauth.usersessions",
    "apps.web",
    "apps.accounts",
    "apps.audit",
    "apps.privacy",
    "apps.webhooks",
    "apps.notices",
    "apps.learning",
    "apps.cases",
    "apps.recurrence",
    "apps.diagnosis",
    "apps.ingest",
    "apps.sharing",
    "apps.operations",
    "rest_framework",
    "drf_spectacular",
    "apps.api",
]
MIDDLEWARE = [
    "apps.web.middleware.forwarded_address",
    "apps.web.middleware.log_context",
    "apps.audit.place.note_place",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "apps.web.middleware.page_headers",
    "apps.web.middleware.RefuseNul",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "apps.accounts.middleware.note_activity",
    "apps.api.middleware.bearer_token",
    "apps.ingest.uploads.handler.refuse_too_large",
    "apps.cases.trail.reads.note_reading",
    "apps.web.errors.DomainErrorMiddleware",
    "axes.middleware.AxesMiddleware",
]
REST_FRAMEWORK = {
    # A token alone says who asks (apps/api/middleware.py); no browsable pages, so no forms to forge.
    "DEFAULT_AUTHENTICATION_CLASSES": ["apps.api.authentication.ByToken"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.AllowAny"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["apps.api.parsing.JSONParser"],
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": str(env_int("LOCKSCOPE_API_REQUESTS_PER_MINUTE", 600, least=1)) + "/min"},
    "EXCEPTION_HANDLER": "apps.api.problems.handle",
    "DATETIME_FORMAT": "iso-8601",
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Lockscope",
    "DESCRIPTION": "Cases of cluster file systems, for programs that act for a person.",
    "VERSION": "v1",
    "SCHEMA_PATH_PREFIX": "/api/v1/",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "PREPROCESSING_HOOKS": ["apps.api.schema.only_api"],
    "POSTPROCESSING_HOOKS": ["drf_spectacular.hooks.postprocess_schema_enums", "apps.api.schema.with_problems"],
    "ENUM_NAME_OVERRIDES": {
        "CaseState": "apps.cases.models.Case.State",
        "BundleState": "apps.cases.models.Bundle.State",
        "Severity": "apps.cases.models.Severity",
        "LinkLevel": "apps.sharing.models.ShareLink.Level",
        "TuningStatus": "apps.diagnosis.models.Tuning.Status",
        "FoundEnum": "apps.learning.models.CaseOutcome.Found",
    },
}
ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "apps.cases.people.notices.bell",
            ],
            "builtins": ["apps.web.templatetags.lockscope", "apps.web.templatetags.kept"],
        },
    }
]

# Database -------------------------------------------------------------------------------------------------------------
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
DATABASES: dict[str, dict[str, Any]]
if EMBEDDED:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": VAR_DIR / "lockscope.sqlite3",
            # Writers queue instead of failing: a transaction that reads first and writes later takes the lock at its
            # start.
            "OPTIONS": {
                "transaction_mode": "IMMEDIATE",
                "timeout": 30,
                "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL;",
            },
        }
    }
else:
    DATABASES = {
        "default": {
            "ENGINE": "django.db.backends.postgresql",
            "HOST": DB_HOST,
            "PORT": env_int("LOCKSCOPE_DB_PORT", 5432, least=1),
            "NAME": env_str("LOCKSCOPE_DB_NAME", "lockscope"),
            "USER": env_str("LOCKSCOPE_DB_USER", "lockscope"),
            "PASSWORD": env_secret("LOCKSCOPE_DB_PASSWORD"),
            "OPTIONS": {"connect_timeout": 5},
            "CONN_MAX_AGE": 60,
            "CONN_HEALTH_CHECKS": True,
        }
    }

# Broker and cache -----------------------------------------------------------------------------------------------------
_socket = VAR_DIR / "run" / "valkey.sock"
if EMBEDDED:
    BROKER_URL = env_str("LOCKSCOPE_BROKER_URL", f"redis+socket://{_socket}?virtual_host=0")
    CACHE_URL = env_str("LOCKSCOPE_CACHE_URL", f"unix://{_socket}?db=1")
else:
    BROKER_URL = env_required("LOCKSCOPE_BROKER_URL")
    CACHE_URL = env_required("LOCKSCOPE_CACHE_URL")
CACHES = {
    "default": {
        "BACKEND": "apps.web.redis_cache.KeptClientCache",
        "LOCATION": CACHE_URL,
        "OPTIONS": {"socket_timeout": 5},
    }
}

CELERY_BROKER_URL = BROKER_URL
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # Above the longest task, or a second copy starts beside the first; a killed worker's file comes back sooner, by its
    # lease.
    "visibility_timeout": LIMITS.task_hard_s + 600,
    "unacked_restore_interval": 1,
    "unacked_restore_throttle": 1,
    "socket_timeout": 30,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
}
CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SOFT_TIME_LIMIT = LIMITS.task_soft_s
CELERY_TASK_TIME_LIMIT = LIMITS.task_hard_s
CELERY_TASK_DEFAULT_QUEUE = "light"
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in ("light", "heavy")}
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
CELERY_TIMEZONE = "UTC"
# Beyond this a pool process is replaced after its task, so that one large file does not keep its memory.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = env_int("LOCKSCOPE_WORKER_MEMORY_KIB", 600_000, least=100_000)
CELERY_BEAT_SCHEDULER = "config.celery:BeatingScheduler"
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "ingest.sweep",
        "schedule": LIMITS.sweep_s,
        "options": {"queue": "light", "expires": LIMITS.sweep_s},
    },
    # Every hour, so that a machine which is off at night misses no day.
    "purge-trash": {"task": "cases.purge_trash", "schedule": 3600, "options": {"queue": "light", "expires": 3600}},
    "retain": {"task": "cases.retain", "schedule": 3600, "options": {"queue": "light", "expires": 3600}},
    "forget-notices": {
        "task": "cases.forget_notices",
        "schedule": 3600,
        "options": {"queue": "light", "expires": 3600},
    },
    "count-rows": {"task": "operations.count_rows", "schedule": 3600, "options": {"queue": "light", "expires": 3600}},
    "audit-chain": {"task": "audit.extend_chain", "schedule": 60, "options": {"queue": "light", "expires": 60}},
    "webhooks": {"task": "webhooks.send_due", "schedule": 60, "options": {"queue": "light", "expires": 60}},
    "remove-orphans": {
        "task": "operations.remove_orphans",
        "schedule": 86_400,
        "options": {"queue": "light", "expires": 3600},
    },
}
# Without beat one worker keeps the clock itself and, being the only one, takes back what it left unfinished.
WORKER_SWEEPS = env_bool("LOCKSCOPE_WORKER_SWEEPS", default=EMBEDDED)
WORKER_IS_ALONE = EMBEDDED
WORKER_NICE = env_int("LOCKSCOPE_WORKER_NICE", 10)

# Files ----------------------------------------------------------------------------------------------------------------
STORAGES = {
    "default": storage_from_env(STORAGE_ROOT),
    "staticfiles": {"BACKEND": "apps.web.static_files.HashedStaticStorage"},
}
# With a store elsewhere, copies of facts on this machine may take so much.
CACHE_BYTES = env_bytes("LOCKSCOPE_CACHE_BYTES", 20 << 30)
# Parts of pages that stand on a diagnosis alone, in the memory of each web process (apps/web/kept.py).
PAGES_KEPT_BYTES = 0 if DEBUG else env_bytes("LOCKSCOPE_PAGES_KEPT_BYTES", 64 << 20)
STATIC_URL = "static/"
STATIC_ROOT = env_path("LOCKSCOPE_STATIC_ROOT", VAR_DIR / "static")
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder"
]  # ours alone; nothing of what packages bring is used
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_USE_FINDERS = DEBUG
# Temporary files of uploads lie on the data volume: a system's /tmp is often small or held in memory.
FILE_UPLOAD_TEMP_DIR = VAR_DIR / "tmp"
# What came so far of uploads that can be gone on with; several web machines must share this folder.
UPLOADS_DIR = env_path("LOCKSCOPE_UPLOADS", VAR_DIR / "uploads")
FILE_UPLOAD_HANDLERS = ["apps.ingest.uploads.handler.HashingUploadHandler"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 10 * 1024 * 1024  # a pasted console transcript; files are streamed and not counted here

# Accounts -------------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username", "display_name", "email")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
PASSWORD_RESET_TIMEOUT = 3600  # seconds
LOGIN_URL = "accounts:sign_in"
LOGIN_REDIRECT_URL = "cases:list"
LOGOUT_REDIRECT_URL = "accounts:sign_in"
# The account that is made where there is none yet; with a password nobody needs the one-time link.
FIRST_ADMIN = env_str("LOCKSCOPE_ADMIN_USER", "admin")
FIRST_ADMIN_PASSWORD = env_secret("LOCKSCOPE_ADMIN_PASSWORD")
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_WHITELIST_CALLABLE = "apps.accounts.known_device.is_known"
AXES_RESET_ON_SUCCESS = True
AXES_HTTP_RESPONSE_CODE = 429
AXES_LOCKOUT_CALLABLE = "apps.web.errors.locked_out"
AXES_VERBOSE = False
AXES_ENABLE_ACCESS_FAILURE_LOG = False

# django-allauth: second factors, single sign-on, sessions. Its limits on guessing are on by default and stay so.
ACCOUNT_ADAPTER = "apps.accounts.signing_in.AccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]  # checked by allauth; there is no page to sign up on
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_UNIQUE_EMAIL = False
MFA_ADAPTER = "apps.accounts.second_factor.SecondFactorAdapter"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_FORMS = {
    "add_webauthn": "apps.accounts.passkey_forms.PasskeyAddForm",
    "authenticate_webauthn": "apps.accounts.passkey_forms.PasskeySecondStepForm",
    "login_webauthn": "apps.accounts.passkey_forms.PasskeySignInForm",
    "reauthenticate_webauthn": "apps.accounts.passkey_forms.PasskeyConfirmForm",
}
MFA_TOTP_ISSUER = "Lockscope"
MFA_TOTP_TOLERANCE = 1
MFA_WEBAUTHN_ALLOW_INSECURE_ORIGIN = not BEHIND_TLS  # browsers themselves allow it on localhost only
SOCIALACCOUNT_ADAPTER = "apps.accounts.sso.SsoAdapter"
SOCIALACCOUNT_LOGIN_ON_GET = True  # our policy on where forms may lead to would stop the way to the provider
SOCIALACCOUNT_STORE_TOKENS = False
OIDC = oidc_from_env()
SOCIALACCOUNT_PROVIDERS = OIDC.providers()

# Browser security -----------------------------------------------------------------------------------------------------
SESSION_ENGINE = "apps.web.session_store"
SESSION_COOKIE_NAME = "lockscope_session"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = BEHIND_TLS
SESSION_COOKIE_PATH = f"{_address.path}/"
CSRF_COOKIE_NAME = "lockscope_csrf"
CSRF_COOKIE_SECURE = BEHIND_TLS
CSRF_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_PATH = SESSION_COOKIE_PATH
CSRF_FAILURE_VIEW = "apps.web.views.csrf_failed"
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if PROXIES else None
SECURE_HSTS_SECONDS = 31_536_000 if BEHIND_TLS else 0
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "object-src": ["'none'"],
    }
}

# Watching -------------------------------------------------------------------------------------------------------------
METRICS_TOKEN = env_secret("LOCKSCOPE_METRICS_TOKEN")  # without one there is no /metrics

# Mail -----------------------------------------------------------------------------------------------------------------
# May be absent: invitations are then links to hand over. The host "console" writes mails to the output, to try things
# out.
MAIL_HOST = env_str("LOCKSCOPE_MAIL_HOST", "")
_mail_way = {"": "dummy", "console": "console"}.get(MAIL_HOST, "smtp")
EMAIL_BACKEND = f"django.core.mail.backends.{_mail_way}.EmailBackend"
EMAIL_HOST = MAIL_HOST
_mail_security = env_choice("LOCKSCOPE_MAIL_SECURITY", "starttls", ("starttls", "tls", "none"))
EMAIL_PORT = env_int("LOCKSCOPE_MAIL_PORT", {"starttls": 587, "tls": 465, "none": 25}[_mail_security], least=1)
EMAIL_USE_TLS = _mail_security == "starttls"
EMAIL_USE_SSL = _mail_security == "tls"
EMAIL_HOST_USER = env_str("LOCKSCOPE_MAIL_USER", "")
EMAIL_HOST_PASSWORD = env_secret("LOCKSCOPE_MAIL_PASSWORD")
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = env_str("LOCKSCOPE_MAIL_FROM", f"lockscope@{_address.hostname or 'localhost'}")

# Webhooks -------------------------------------------------------------------------------------------------------------
# Hosts of the own network that webhooks may call, each with a port where it is not that of its scheme; all others must
# be public.
WEBHOOK_HOSTS = env_list("LOCKSCOPE_WEBHOOK_HOSTS", [])

# Language, time, log --------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "en"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"
LOGGING = logging_config(
    as_json=env_choice("LOCKSCOPE_LOG_FORMAT", "plain" if EMBEDDED else "json", ("plain", "json")) == "json",
    level=env_choice("LOCKSCOPE_LOG_LEVEL", "INFO", ("DEBUG", "INFO", "WARNING", "ERROR")),
)
