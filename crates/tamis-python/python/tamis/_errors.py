"""The exceptions: all are `tamis.Error`, and each is also what Python people expect in its place."""

__all__ = [
    "Error",
    "FileError",
    "FormatError",
    "MismatchError",
    "MissingFileError",
    "NotFoundError",
    "ParameterError",
    "TextError",
    "UnsupportedError",
    "WrongTypeError",
]


class Error(Exception):
    """Everything that Tamis refuses, with a sentence that says why."""

    __module__ = "tamis"


class ParameterError(Error, ValueError):
    """A parameter that makes no sense: a rate of 2, a layout that there is not."""

    __module__ = "tamis"


class WrongTypeError(Error, TypeError):
    """Something that cannot be a key, a text or a name."""

    __module__ = "tamis"


class TextError(Error, ValueError):
    """A text that has no UTF-8: it has a lone surrogate."""

    __module__ = "tamis"


class MismatchError(Error, ValueError):
    """Two things that cannot be compared or merged: they differ in size, hash or seed."""

    __module__ = "tamis"


class UnsupportedError(Error, ValueError):
    """Something that a structure cannot do, with the reason."""

    __module__ = "tamis"


class FormatError(Error, ValueError):
    """A file that is damaged, truncated, or of another kind."""

    __module__ = "tamis"


class FileError(Error, OSError):
    """A file that cannot be read or written."""

    __module__ = "tamis"


class MissingFileError(FileError, FileNotFoundError):
    """A file that is not there."""

    __module__ = "tamis"


class NotFoundError(Error, KeyError, ValueError):
    """A key that is not in."""

    __module__ = "tamis"

    # A KeyError shows its argument in quotes.
    __str__ = Exception.__str__
