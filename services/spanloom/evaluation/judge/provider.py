"""Asks a provider by pydantic-ai, which is loaded when a judge runs (``spanloom[judge]``).

Requests run in one event loop in a thread of its own: a judge may be called by any thread, with or
without a loop, and connections are shared. Keys are read from the environment by the library.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass, field
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any

from spanloom.core.model.trajectory import Usage
from spanloom.core.secrets import remember
from spanloom.evaluation.contract.errors import ErrorCode
from spanloom.evaluation.judge.failures import as_ask_error
from spanloom.evaluation.judge.port import AskError, Reply

if TYPE_CHECKING:
    from spanloom.evaluation.judge.config import ModelConfig
    from spanloom.evaluation.judge.port import Ask, Prompt

_SECRETS = ("_API_KEY", "_TOKEN", "_SECRET", "_SECRET_ACCESS_KEY")
"""Ends of the names of variables that are never shown."""
_LEAST = 8
"""Characters of a secret: a shorter value is a word of other texts, such as ``true``."""
_GRACE_S = 5.0
_loops: dict[int, asyncio.AbstractEventLoop] = {}
"""The loop of each process: a fork has none of its parent's threads."""
_lock = Lock()


def address_of(model: str) -> str:
    """Return the base URLs in the environment for a model: elsewhere it is another model."""
    provider = model.partition(":")[0].partition("-")[0].upper()
    return os.environ.get(f"{provider}_BASE_URL", "")


def ask_of(config: ModelConfig) -> Ask:
    """Return what asks the model of a configuration.

    The first question raises ``AskError`` where the library, the model or the key is missing.
    """
    return _Provider(config)


@dataclass
class _Provider:
    config: ModelConfig
    _model: Any = None  # of pydantic-ai
    _making: Lock = field(default_factory=Lock)

    def __call__(self, prompt: Prompt, *, output_tokens: int, timeout_s: float) -> Reply:
        for name, value in os.environ.items():
            if name.endswith(_SECRETS) and len(value) >= _LEAST:
                remember(value)
        try:
            request = self._request(prompt, output_tokens, timeout_s)
            timed = asyncio.wait_for(request, timeout_s)
            future = asyncio.run_coroutine_threadsafe(timed, _loop())
            return _reply(future.result(timeout_s + _GRACE_S))
        except AskError:
            raise
        except TimeoutError as error:
            reason = f"the provider did not answer within {timeout_s:g} s"
            raise AskError(ErrorCode.TIMEOUT, reason, is_passing=True) from error
        except Exception as error:  # every other error of libraries and networks
            raise as_ask_error(error) from error

    def _request(self, prompt: Prompt, output_tokens: int, timeout_s: float) -> Any:  # a coroutine
        """Return the request to await; the library is loaded before its time begins."""
        try:
            from pydantic_ai.direct import model_request  # noqa: PLC0415  # 1.6 s, 57 MB
            from pydantic_ai.messages import (  # noqa: PLC0415
                ModelRequest,
                SystemPromptPart,
                UserPromptPart,
            )
            from pydantic_ai.models import infer_model  # noqa: PLC0415
        except ImportError as error:
            reason = f"judges need pydantic-ai: pip install 'spanloom[judge]' ({error})"
            raise AskError(ErrorCode.MISSING_PACKAGE, reason, is_final=True) from error
        with self._making:
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
        raise AskError(ErrorCode.MODEL_REFUSED, "the model refused to answer")
    used = response.usage
    usage = Usage(
        used.input_tokens,
        used.output_tokens,
        cache_read_tokens=used.cache_read_tokens,
        cache_creation_tokens=used.cache_write_tokens,
    )
    return Reply(response.text or "", usage, is_cut=response.finish_reason == "length")


def _loop() -> asyncio.AbstractEventLoop:
    """Return the loop of this process, started when it is first needed."""
    with _lock:
        loop = _loops.get(os.getpid())
        if loop is None:
            loop = _loops[os.getpid()] = asyncio.new_event_loop()
            Thread(target=loop.run_forever, name="spanloom-judge", daemon=True).start()
        return loop
