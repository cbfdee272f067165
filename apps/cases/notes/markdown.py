"""Notes: Markdown of people, turned into HTML that cannot do anything."""

from __future__ import annotations

from typing import Final

import nh3
from markdown_it import MarkdownIt

TAGS: Final = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table",
    "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
# No images: a page of ours asks no other machine for anything.
_MARKDOWN: Final = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["image"])


TITLE_CHARS: Final = 80


def first_words(text: str) -> str:
    """The first line as plain text, for a label."""
    blocks = _MARKDOWN.parse(text.strip()[: 4 * TITLE_CHARS])
    inline = next((token.children for token in blocks if token.type == "inline" and token.children), [])
    words = "".join(" " if token.type == "softbreak" else token.content for token in inline)
    return words[:TITLE_CHARS] or text.strip().split("\n")[0][:TITLE_CHARS]


def texts(text: str) -> list[str]:
    """What stands in it as text of a person: no code, no addresses of links."""
    inline = (token.children or [] for token in _MARKDOWN.parse(text) if token.type == "inline")
    return [child.content for children in inline for child in children if child.type == "text"]


def to_html(text: str) -> str:
    """Cleaned HTML; links open without telling where they were clicked."""
    return nh3.clean(
        _MARKDOWN.render(text),
        tags=TAGS,
        attributes={"a": {"href", "title"}},
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )
