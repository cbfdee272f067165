"""Names of the products as pages show them."""

from __future__ import annotations

from typing import Final

PRODUCTS: Final[dict[str, str]] = {
    "spectrum-scale": "IBM Storage Scale",
    "veritas": "VxFS / CFS / LLT",
    "gfs2": "GFS2 / DLM",
    "storage": "Storage",
}


def product_names(products: list[str]) -> str:
    return " · ".join(PRODUCTS.get(product, product) for product in products)
