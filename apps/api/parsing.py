"""Bodies of requests as programs send them."""

from __future__ import annotations

from typing import IO, Any

from rest_framework import exceptions, parsers


class JSONParser(parsers.JSONParser):
    """JSON that is nested deeper than Python can read is as wrong as any other that cannot be read."""

    def parse(self, stream: IO[Any], media_type: Any = None, parser_context: Any = None) -> Any:
        try:
            return super().parse(stream, media_type, parser_context)
        except RecursionError as error:
            raise exceptions.ParseError("This JSON is nested too deep.") from error
