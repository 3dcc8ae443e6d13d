"""Runs the code of an evaluator once, as a script in its own process; imports nothing of spanloom.

The script reads the code and its arguments from standard input as JSON, and writes the returned
value as JSON to the descriptor named in its arguments. Before it runs the code it limits CPU time,
memory and file size, and blocks connections, new processes and changes of files. This limits the
harm of mistakes; it is not a sandbox against hostile code (docs/evaluation/code.md).
"""

from __future__ import annotations

import json
import os
import re
import resource
import sys

_REFUSED = (
    *("socket.", "subprocess.", "urllib.", "http.client.", "ftplib.", "smtplib.", "imaplib."),
    *("poplib.", "nntplib.", "telnetlib.", "webbrowser.", "pty.", "shutil."),
    *("os.fork", "os.exec", "os.spawn", "os.posix_spawn", "os.system", "os.startfile", "os.kill"),
    *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"),
    *("os.chmod", "os.chown", "os.chflags", "os.setxattr", "os.removexattr", "os.utime"),
)
_FOREIGN = ("ctypes.",)
"""Audit events of modules that call C functions, which raise no events of their own."""


class EvalOutput:
    """The object that a code evaluator of Coze returns."""

    def __init__(self, score: object = None, reason: object = "") -> None:
        """Store the score and its reason."""
        self.score, self.reason = score, reason


def limit(cpu_s: int, memory_bytes: int, file_bytes: int) -> None:
    """Set the resource limits of this process; only the CPU time can be raised, by one second."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))


def refuse() -> None:
    """Block connections, new processes and changes of files from now on."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND

    def hook(event: str, args: tuple[object, ...], _refused: tuple[str, ...] = _REFUSED) -> None:
        if event == "open":
            path, mode, flags = args
            is_writing = isinstance(flags, int) and flags & writing
            if (is_writing or (isinstance(mode, str) and not set(mode).isdisjoint("wax+"))) and (
                path != os.devnull
            ):
                raise PermissionError("an evaluator may not write files")
        elif event.startswith(_refused):
            raise PermissionError(f"an evaluator may not use {event}")
        elif event.startswith(_FOREIGN):
            raise ImportError(f"an evaluator may not use {event}")

    sys.addaudithook(hook)


def answer_of(request: dict[str, object]) -> object:
    """Run the code and return the value of its function; an ``EvalOutput`` becomes a mapping."""
    names: dict[str, object] = {
        "__name__": "evaluator",
        "__file__": request["file"],
        "json": json,
        "re": re,
        "EvalOutput": EvalOutput,
    }
    code = compile(str(request["source"]), str(request["file"]), "exec")
    exec(code, names)  # noqa: S102  # the purpose of this script
    function = names[str(request["function"])]
    answer = function(*request["arguments"])  # type: ignore[operator,misc]
    if hasattr(answer, "score"):
        return {"score": answer.score, "reason": getattr(answer, "reason", "")}
    return answer


def main() -> None:
    """Read the request, run the code, and write the returned value or the exception."""
    request = json.load(sys.stdin)
    with os.fdopen(int(sys.argv[1]), "wb") as out:
        limit(request["cpu_s"], request["memory_bytes"], request["file_bytes"])
        refuse()
        try:
            reply = {"answer": answer_of(request)}
            body = json.dumps(reply, default=_scalar).encode()
        except BaseException as error:  # whatever the code raises is written
            reply = {"error": f"{type(error).__name__}: {error}"[:1_000]}
            body = json.dumps(reply).encode()
        out.write(body)
        out.flush()
    sys.stdout.flush()
    os._exit(0)  # ends threads and exit handlers of the code, too


def _scalar(value: object) -> object:
    if callable(item := getattr(value, "item", None)):
        return item()
    raise TypeError(f"the answer has a value of type {type(value).__name__}")


if __name__ == "__main__":
    main()
