# SPDX-License-Identifier: Apache-2.0
"""What went wrong inside a module, with the line of its file."""
import signal
import traceback

from ww_source import Refusal

NETWORK = ("URLError", "gaierror", "ConnectionError", "HTTPError", "NewConnectionError",
           "ConnectionRefusedError", "MaxRetryError", "LocalEntryNotFoundError", "SSLError")


def hint(error):
    kinds = {type(error).__name__}
    cause = error
    for _ in range(8):
        cause = cause.__cause__ or cause.__context__
        if cause is None:
            break
        kinds.add(type(cause).__name__)
    text = str(error)
    if kinds & set(NETWORK) or "Name or service not known" in text or "Network is unreachable" in text:
        return "; it asks for the network, which modules do not have here"
    if isinstance(error, MemoryError) or "allocate memory" in text or "DefaultCPUAllocator" in text:
        return "; it needs more memory than modules may have here"
    if isinstance(error, (ModuleNotFoundError, ImportError)):
        return "; only what the interpreter of [torch] python has can be imported"
    if "not implemented for 'Double'" in text:
        return "; the reference runs in float64, which this operation does not have"
    return ""


def line_of(error, path):
    """The innermost line of the module's own file."""
    line = None
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == path:
            line = frame.lineno
    return line


def said(error, path):
    """One line: "FILE:LINE: Kind: text"."""
    if isinstance(error, Refusal):
        return str(error)
    line = line_of(error, path)
    if isinstance(error, SyntaxError) and error.filename == path:
        line = error.lineno
    text = " ".join(str(error).split())
    text = text if len(text) <= 600 else text[:600] + " ..."
    kind = type(error).__name__
    what = f"{kind}: {text}" if text else kind
    return f"{path}:{line or 1}: {what}{hint(error)}"


class TooLong(BaseException):
    """No module's `except Exception` takes it away."""


class Clock:
    """Stops a module after so many seconds of computing, or six times as many of any kind."""

    def __init__(self, path):
        self.path, self.limit = path, 0
        signal.signal(signal.SIGPROF, self.ring)
        signal.signal(signal.SIGALRM, self.ring)

    def set(self, seconds):
        self.limit = seconds
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_REAL, 6 * seconds)

    def ring(self, signum, frame):
        line = None
        while frame is not None and line is None:
            if frame.f_code.co_filename == self.path:
                line = frame.f_lineno
            frame = frame.f_back
        raise TooLong(f"{self.path}:{line or 1}: the module takes too long: it was stopped after "
                      f"{self.limit} s")
