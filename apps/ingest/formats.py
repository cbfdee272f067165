"""Which formats are read, in the words of the upload page; made from the parsers themselves."""

from __future__ import annotations

from functools import cache

from apps.cases.products import PRODUCTS
from parsers.registry import parsers

ANY_PRODUCT = "Any product"
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".zip", ".gz", ".bz2", ".xz", ".zst")


@cache
def readable_formats() -> list[dict[str, object]]:
    """Formats by product: [{product, formats: [first sentence of the parser's docstring]}]."""
    by_product: dict[str, list[str]] = {}
    for parser in parsers().values():
        words = (parser.read.__doc__ or parser.name).strip().split("\n")[0].rstrip(".").replace("``", "")
        by_product.setdefault(PRODUCTS.get(parser.product, "Any product"), []).append(words)
    return [{"product": product, "formats": sorted(set(words))} for product, words in sorted(by_product.items())]
