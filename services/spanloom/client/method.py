"""Makes methods of the clients from the functions that build requests (``calls/``)."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Generic, ParamSpec, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_AskedT = TypeVar("_AskedT")
_ClientT = TypeVar("_ClientT")
_GivenT = TypeVar("_GivenT")


class Method(Generic[_P, _AskedT, _ClientT, _GivenT]):
    """A method with the signature and docstring of a function that only describes a request.

    ``carry_out`` is called with the client and the result of that function. ::

        trajectory = Method(runs.trajectory, ask)  # client.trajectory("4bf9…") → Trajectory
    """

    def __init__(
        self,
        describe: Callable[_P, _AskedT],
        carry_out: Callable[[_ClientT, _AskedT], _GivenT],
    ) -> None:
        """Keep the function that describes the request, and the one that carries it out."""
        self._describe, self._carry_out = describe, carry_out
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, client: None, owner: type[_ClientT]) -> Self: ...
    @overload
    def __get__(self, client: _ClientT, owner: type[_ClientT]) -> Callable[_P, _GivenT]: ...
    def __get__(
        self, client: _ClientT | None, owner: type[_ClientT]
    ) -> Self | Callable[_P, _GivenT]:
        if client is None:
            return self

        @wraps(self._describe)
        def method(*args: _P.args, **kwargs: _P.kwargs) -> _GivenT:
            return self._carry_out(client, self._describe(*args, **kwargs))

        return method
