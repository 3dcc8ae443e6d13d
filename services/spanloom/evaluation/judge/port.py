"""The interface to a model: it gets a prompt, and returns a text and the token usage."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from spanloom.core.model.step import Usage

if TYPE_CHECKING:
    from spanloom.evaluation.contract.errors import ErrorCode


class Prompt(NamedTuple):
    """The messages of a request."""

    system: str
    user: str

    @property
    def tokens(self) -> int:
        """The estimated number of tokens."""
        return estimated_tokens(self.system) + estimated_tokens(self.user)


class Reply(NamedTuple):
    """The answer of a model."""

    text: str
    usage: Usage = Usage()
    is_cut: bool = False
    """Whether the answer reached the limit of output tokens."""


class ModelError(Exception):
    """A model did not answer; the message contains no secret."""

    def __init__(
        self,
        code: ErrorCode,
        reason: str,
        *,
        is_retryable: bool = False,
        is_final: bool = False,
        retry_after_s: float | None = None,
    ) -> None:
        """Store the reason, whether a retry may help, and whether all other requests would fail."""
        super().__init__(reason)
        self.code = code
        self.is_retryable = is_retryable
        self.is_final = is_final
        self.retry_after_s = retry_after_s


class SendPrompt(Protocol):
    """Sends one prompt to a model, without tools and without retries.

    A call returns or raises within ``timeout_s``, raises only ``ModelError``, and may run in
    several threads at once.
    """

    def __call__(self, prompt: Prompt, *, output_tokens: int, timeout_s: float) -> Reply:
        """Return the answer to a prompt, of at most ``output_tokens``."""
        ...


_BYTES_PER_TOKEN = 3


def estimated_tokens(text: str) -> int:
    """Return an estimate of the tokens of a text, which is too high rather than too low.

    English has four bytes per token, code three; Chinese has three bytes per character.
    """
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN)
