"""The exceptions of the library: one class per code, under one base class."""

from __future__ import annotations

from typing import ClassVar

from ._generated.errors import ErrorCode

__all__ = [
    "AlreadyExists",
    "Busy",
    "CallbackError",
    "Closed",
    "Corrupt",
    "EmbedderError",
    "Error",
    "Full",
    "InternalError",
    "InvalidArgument",
    "InvalidArgumentType",
    "InvalidTransition",
    "InvariantViolation",
    "IoError",
    "NeedsReopen",
    "NewerFormat",
    "NotFound",
    "PermissionDenied",
    "Poisoned",
    "Unsupported",
]


class Error(Exception):
    """Anything that went wrong inside the library.

    Messages say what happened and what to do next. They never contain stored
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


class InvalidArgument(Error, ValueError):
    """An argument is outside what the call accepts; ``argument`` names it."""

    code = ErrorCode.INVALID_ARGUMENT


class InvalidArgumentType(InvalidArgument, TypeError):
    """An argument is of a type that the call does not accept."""


class NotFound(Error, LookupError):
    """The named event, citation, session or store does not exist here."""

    code = ErrorCode.NOT_FOUND


class AlreadyExists(Error):
    """Something with this name or key exists already."""

    code = ErrorCode.ALREADY_EXISTS


class Busy(Error, TimeoutError):
    """Another process or thread held the store longer than ``busy_timeout_ms``."""

    code = ErrorCode.BUSY


class Corrupt(Error):
    """Bytes on the disk are not what was written; the message names the place."""

    code = ErrorCode.CORRUPT


class IoError(Error, OSError):
    """The operating system reported an error while reading or writing."""

    code = ErrorCode.IO


class Full(Error, OSError):
    """The disk, or the hard size limit of the store, is full."""

    code = ErrorCode.FULL


class NeedsReopen(Error):
    """The handle cannot be used any more, for example after a fork; open again."""

    code = ErrorCode.NEEDS_REOPEN


class NewerFormat(Error):
    """The store was written by a newer library in a way this one cannot read."""

    code = ErrorCode.NEWER_FORMAT


class PermissionDenied(Error, PermissionError):
    """The operating system denies access to the store's folder or files."""

    code = ErrorCode.PERMISSION_DENIED


class Closed(Error, ValueError):
    """The memory was closed."""

    code = ErrorCode.CLOSED


class Unsupported(Error, NotImplementedError):
    """The call needs a feature that was not built in, or another platform."""

    code = ErrorCode.UNSUPPORTED


class Poisoned(Error, RuntimeError):
    """An earlier defect left this handle unusable; close it and open again."""

    code = ErrorCode.POISONED


class EmbedderError(Error):
    """The embedder failed; lexical recall still works."""

    code = ErrorCode.EMBEDDER


class InvalidTransition(Error):
    """A task or job cannot move between these two states."""

    code = ErrorCode.INVALID_TRANSITION


class InvariantViolation(Error):
    """The change would break a rule that the data must always keep."""

    code = ErrorCode.INVARIANT_VIOLATION


class CallbackError(Error):
    """A callback of the host failed."""

    code = ErrorCode.CALLBACK


class InternalError(Error, RuntimeError):
    """A defect of this library; please report it with the message."""

    code = ErrorCode.INTERNAL


# What the extension looks classes up in. A wrong type has the code
# `invalid_argument` and a class of its own.
_BY_CODE: dict[str, type[Error]] = {
    "wrong_type": InvalidArgumentType,
    **{
        str(cls.code): cls
        for cls in (
            InvalidArgument,
            NotFound,
            AlreadyExists,
            Busy,
            Corrupt,
            IoError,
            Full,
            NeedsReopen,
            NewerFormat,
            PermissionDenied,
            Closed,
            Unsupported,
            Poisoned,
            EmbedderError,
            InvalidTransition,
            InvariantViolation,
            CallbackError,
            InternalError,
        )
    },
}
