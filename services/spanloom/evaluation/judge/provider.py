"""Sends prompts to a provider through pydantic-ai, which is loaded when a judge runs.

It needs the extra ``spanloom[judge]``. Requests run in one event loop in a thread of its own, so
that any thread may call a judge, with or without a loop, and connections are shared. The library
reads keys from the environment.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from spanloom.core.model.step import Usage
from spanloom.core.secrets import remember
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.failures import as_model_error
from spanloom.evaluation.judge.port import ModelError, Reply

if TYPE_CHECKING:
    from spanloom.evaluation.judge.config import ModelConfig
    from spanloom.evaluation.judge.port import Prompt, SendPrompt

_SECRETS = ("_API_KEY", "_TOKEN", "_SECRET", "_SECRET_ACCESS_KEY")
"""Suffixes of environment variables whose values are never shown."""
_LEAST = 8
"""Minimum characters of a secret; shorter values, such as ``true``, may occur in other texts."""
_GRACE_S = 5.0
_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""The event loop of each process, keyed by process id, because a fork does not inherit threads."""
_lock = Lock()


def address_of(model: str) -> str:
    """Return the base URL that the environment sets for a model's provider; empty if none is set.

    It is part of the keys of cached answers and of rate limits.
    """
    provider = model.partition(":")[0].partition("-")[0].upper()
    return os.environ.get(f"{provider}_BASE_URL", "")


def provider_of(config: ModelConfig) -> SendPrompt:
    """Return a function that sends prompts to the configured model.

    Its first call raises ``ModelError`` if the library, the model or the key is missing.
    """
    return _Provider(config)


@dataclass
class _Provider:
    config: ModelConfig
    _model: Any = None  # of pydantic-ai
    _creating: Lock = field(default_factory=Lock)

    def __call__(self, prompt: Prompt, *, output_tokens: int, timeout_s: float) -> Reply:
        for name, value in os.environ.items():
            if name.endswith(_SECRETS) and len(value) >= _LEAST:
                remember(value)
        try:
            request = self._request(prompt, output_tokens, timeout_s)
            timed = asyncio.wait_for(request, timeout_s)
            future = asyncio.run_coroutine_threadsafe(timed, _loop())
            return _reply(future.result(timeout_s + _GRACE_S))
        except ModelError:
            raise
        except TimeoutError as error:
            reason = f"the provider did not answer within {timeout_s:g} s"
            raise ModelError(ErrorCode.TIMEOUT, reason, is_retryable=True) from error
        except Exception as error:  # every other error of libraries and networks
            raise as_model_error(error) from error

    def _request(self, prompt: Prompt, output_tokens: int, timeout_s: float) -> Any:  # a coroutine
        """Return the request to await; its timeout excludes the time for loading the library."""
        try:
            from pydantic_ai.direct import model_request  # noqa: PLC0415  # takes 1.6 s, 57 MB
            from pydantic_ai.messages import (  # noqa: PLC0415
                ModelRequest,
                SystemPromptPart,
                UserPromptPart,
            )
            from pydantic_ai.models import infer_model  # noqa: PLC0415
        except ImportError as error:
            reason = f"judges need pydantic-ai: pip install 'spanloom[judge]' ({error})"
            raise ModelError(ErrorCode.MISSING_PACKAGE, reason, is_final=True) from error
        with self._creating:
            self._model = self._model or infer_model(self.config.model)
        parts = [SystemPromptPart(content=prompt.system), UserPromptPart(content=prompt.user)]
        settings = {"max_tokens": output_tokens, "timeout": timeout_s, "max_retries": 0}
        for name in ("temperature", "seed"):
            if (value := getattr(self.config, name)) is not None:
                settings[name] = value
        return model_request(
            self._model, [ModelRequest(parts=parts)], model_settings=settings, instrument=False
        )


def _reply(response: Any) -> Reply:  # of pydantic-ai
    details = response.provider_details or {}
    if details.get("refusal") or response.finish_reason == "content_filter":
        raise ModelError(ErrorCode.MODEL_REFUSED, "the model refused to answer")
    used = response.usage
    usage = Usage(
        used.input_tokens,
        used.output_tokens,
        cache_read_tokens=used.cache_read_tokens,
        cache_creation_tokens=used.cache_write_tokens,
    )
    return Reply(response.text or "", usage, is_cut=response.finish_reason == "length")


def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of this process, started when first needed."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            Thread(target=loop.run_forever, name="spanloom-judge", daemon=True).start()
        return loop
