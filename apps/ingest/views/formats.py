"""Which formats are read, in the words of the upload page; made from the parsers themselves."""

from __future__ import annotations

from functools import cache

from apps.cases.page.product_names import PRODUCTS
from parsers.lookup import parsers

ANY_PRODUCT = "Any product"
ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar.zst", ".zip", ".gz", ".bz2", ".xz", ".zst", ".Z")


@cache
def readable_formats() -> list[dict[str, object]]:
    """Formats by product: [{product, formats: [pieces of the first sentence of the parser's docstring; each second one
    is a command]}].
    """
    by_product: dict[str, set[str]] = {}
    for parser in parsers().values():
        words = (parser.read.__doc__ or parser.name).strip().split("\n")[0].rstrip(".")
        by_product.setdefault(PRODUCTS.get(parser.product, ANY_PRODUCT), set()).add(words)
    names = sorted(by_product, key=lambda name: (name == ANY_PRODUCT, name))
    return [{"product": name, "formats": sorted(words.split("``") for words in by_product[name])} for name in names]
