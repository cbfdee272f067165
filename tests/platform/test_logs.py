from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest
import structlog
from gunicorn.config import Config

from config import gunicorn, logs


def record(message: str, *args: object) -> logging.LogRecord:
    return logging.LogRecord("lockscope.test", logging.WARNING, __file__, 1, message, args, None)


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("/s/bGlua3Rva2Vu-_0123456789/", "/s/[token]/"),
        ("POST /accounts/invitation/abcdef0123456789:x/", "POST /accounts/invitation/[token]/"),
        ("GET /accounts/enter/abcdef0123456789:x?next=/", "GET /accounts/enter/[token]?next=/"),
        ("/cases/CS-21007/files/3/", "/cases/CS-21007/files/3/"),
    ],
)
def test_tokens_of_links_are_taken_out_of_addresses(path: str, logged: str) -> None:
    assert logs.hide_tokens(path) == logged


def test_the_filter_also_sees_what_is_filled_in_later() -> None:
    line = record("Not Found: %s", "/s/bGlua3Rva2Vu0123456789/")
    assert logs.TokenFilter().filter(line)
    assert line.getMessage() == "Not Found: /s/[token]/"


def test_a_line_is_json_with_what_was_bound_to_the_task() -> None:
    structlog.contextvars.clear_contextvars()
    with structlog.contextvars.bound_contextvars(case="CS-7", artifact=12):
        line = json.loads(logs.formatter(as_json=True).format(record("read in %s s", 3)))
    assert (line["event"], line["level"], line["case"], line["artifact"]) == ("read in 3 s", "warning", "CS-7", 12)


def test_plain_tracebacks_show_no_local_variables() -> None:
    customer_text = "0x7F waiting on node-a"
    try:
        raise ValueError(len(customer_text))
    except ValueError as error:
        line = record("failed")
        line.exc_info = (ValueError, error, error.__traceback__)
    assert "node-a" not in logs.formatter(as_json=False).format(line).split("ValueError")[-1]
    assert "customer_text =" not in logs.formatter(as_json=False).format(line)


def test_the_access_log_has_no_tokens() -> None:
    class Answer:
        status = "200 OK"
        sent = 5
        headers: tuple[tuple[str, str], ...] = ()

    class Request:
        headers = (("REFERER", "http://localhost/s/bGlua3Rva2Vu0123456789/"),)

    address = {
        "RAW_URI": "/s/bGlua3Rva2Vu0123456789/",
        "PATH_INFO": "/s/bGlua3Rva2Vu0123456789/",
        "REQUEST_METHOD": "GET",
        "SERVER_PROTOCOL": "HTTP/1.1",
    }
    atoms = gunicorn.AccessLogger(Config()).atoms(Answer(), Request(), address, timedelta(seconds=1))
    assert atoms["U"] == "/s/[token]/"
    assert "bGlua3" not in str({key: value for key, value in atoms.items() if key in {"r", "U", "f"}})
    assert "bGlua3" not in gunicorn.access_log_format % {**dict.fromkeys("hmUsbM", ""), **atoms}


@pytest.mark.parametrize("mark", ["\n", "\r", "\x1b[31m", "\u2028", "\u202e", "\x85", "\0"])
def test_what_somebody_sends_makes_no_line_of_its_own(mark: str) -> None:
    shown = logs.one_line(f'/x{mark}10.0.0.9 "GET /admin" 200')
    assert shown.isprintable()
    assert len(shown.splitlines()) == 1
    assert logs.one_line("/cases/Mäkelä €") == "/cases/Mäkelä €"
