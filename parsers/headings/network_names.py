"""Names that hosts have in one of their networks: ``lund1-hs``, ``lund1-ib0``, ``lund1-priv``.

Source: names in documentation and in files of clusters; recalled.
"""

from __future__ import annotations

import re
from typing import Final

NETWORK_NAME: Final = re.compile(
    r"(?P<host>[A-Za-z][\w-]{0,60}?\w)"
    r"(?P<network>[-_](?:hs|ib\d?|opa\d?|priv|gpfs|hpc|bond\d?|mgmt|adm(?:in)?|san|eth\d|en\d|clu|hb\d?|ic\d?|rdma|roce|\d{1,3}ge?))$"
)
"""A name of a host in one of its networks."""
