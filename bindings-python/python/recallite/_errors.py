"""The exceptions of the library: one class per code, under one base class."""

from __future__ import annotations

from ._base import Error
from ._generated import exceptions

__all__ = [
    "Error",
    "InvalidArgumentType",
]


class InvalidArgumentType(exceptions.InvalidArgument, TypeError):
    """An argument has a type that the call does not accept."""


# The extension looks classes up here. A wrong type has the code
# `invalid_argument` but its own class.
_BY_CODE: dict[str, type[Error]] = {"wrong_type": InvalidArgumentType}
for _name in exceptions.__all__:
    _class: type[Error] = getattr(exceptions, _name)
    _BY_CODE[_class.code] = _class
