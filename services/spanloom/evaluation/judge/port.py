"""The port to a model: a prompt goes out, a text and its usage come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.trajectory import Usage

if TYPE_CHECKING:
    from spanloom.evaluation.contract.errors import ErrorCode


class Prompt(NamedTuple):
    """What is asked."""

    system: str
    user: str

    @property
    def tokens(self) -> int:
        """Its tokens, estimated."""
        return estimated_tokens(self.system) + estimated_tokens(self.user)


class Reply(NamedTuple):
    """What a model answered."""

    text: str
    usage: Usage = Usage()
    is_cut: bool = False
    """Whether it ended at the limit of output tokens."""


class AskError(Exception):
    """A model did not answer; the message has no secret in it."""

    def __init__(
        self,
        code: ErrorCode,
        reason: str,
        *,
        is_passing: bool = False,
        is_final: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        """Keep why, whether asking again may help, and whether every other call fails alike."""
        super().__init__(reason)
        self.code = code
        self.is_passing = is_passing
        self.is_final = is_final
        self.retry_after_s = retry_after_s


class Ask(Protocol):
    """Asks a model once, without tools and without asking again.

    It returns within ``timeout_s`` or raises; it raises ``AskError`` and nothing else, and may be
    called by several threads at once.
    """

    def __call__(self, prompt: Prompt, *, output_tokens: int, timeout_s: float) -> Reply:
        """Return the answer to a prompt, of at most ``output_tokens``."""
        ...


_BYTES_PER_TOKEN = 3


def estimated_tokens(text: str) -> int:
    """Return about how many tokens a text has, rather too many than too few.

    English has four bytes to a token, code three, Chinese three to a character.
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
