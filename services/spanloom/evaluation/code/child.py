"""Runs one evaluation of a file, in a process of its own: a script without any import of ours.

It reads the code and its arguments from standard input as JSON, and writes the answer as JSON to
the descriptor that it is given. It limits itself before it runs the code: CPU, memory, size of
files; what opens connections, starts programs or changes files is refused. That keeps mistakes from
doing harm; it is no wall around code that wants to break out (docs/evaluation/code.md).
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
"""Calls around the interpreter, and with it around this list."""


class EvalOutput:
    """Coze's answer of a code evaluator."""

    def __init__(self, score: object = None, reason: object = "") -> None:
        """Keep the score, and why."""
        self.score, self.reason = score, reason


def limit(cpu_s: int, memory_bytes: int, file_bytes: int) -> None:
    """Limit this process, so that it cannot raise the limits again."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))


def refuse() -> None:
    """Refuse connections, programs and changes of files from now on."""
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


def answer_of(asked: dict[str, object]) -> object:
    """Return what the code answers, with Coze's object as a mapping."""
    names: dict[str, object] = {
        "__name__": "evaluator",
        "__file__": asked["file"],
        "json": json,
        "re": re,
        "EvalOutput": EvalOutput,
    }
    exec(compile(str(asked["source"]), str(asked["file"]), "exec"), names)  # noqa: S102  # its task
    function = names[str(asked["function"])]
    answer = function(*asked["arguments"])  # type: ignore[operator,misc]
    if hasattr(answer, "score"):
        return {"score": answer.score, "reason": getattr(answer, "reason", "")}
    return answer


def main() -> None:
    """Read the request, run the code, write the answer or what was raised."""
    asked = json.load(sys.stdin)
    with os.fdopen(int(sys.argv[1]), "wb") as out:
        limit(asked["cpu_s"], asked["memory_bytes"], asked["file_bytes"])
        refuse()
        try:
            told = {"answer": answer_of(asked)}
            body = json.dumps(told, default=_scalar).encode()
        except BaseException as error:  # whatever the code raises is the answer
            told = {"error": f"{type(error).__name__}: {error}"[:1_000]}
            body = json.dumps(told).encode()
        out.write(body)
        out.flush()
    sys.stdout.flush()
    os._exit(0)  # no thread and no handler of the code goes on


def _scalar(value: object) -> object:
    if callable(item := getattr(value, "item", None)):
        return item()
    raise TypeError(f"the answer has a value of type {type(value).__name__}")


if __name__ == "__main__":
    main()
