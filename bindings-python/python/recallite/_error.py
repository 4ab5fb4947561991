"""The base of the exceptions of the library."""

from __future__ import annotations

from typing import ClassVar

from ._generated.errors import ErrorCode

__all__ = [
    "Error",
]


class Error(Exception):
    """An error of the library.

    A message says what happened and what to do next. It never contains stored
    content or secrets.
    """

    code: ClassVar[ErrorCode] = ErrorCode.INTERNAL
    """The stable code of the class."""

    argument: str | None
    """The argument that was wrong, when the caller was wrong."""

    retryable: bool
    """Whether the same call may succeed later without any other change."""

    needs_reopen: bool
    """Whether the memory must be opened again before anything else. After
    ``NeedsReopen`` that heals the other handles of the process too."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.argument = None
        self.retryable = False
        self.needs_reopen = False
