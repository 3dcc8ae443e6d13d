"""The descriptor for methods of the clients that build a request and carry it out."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Generic, ParamSpec, Self, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Callable

_P = ParamSpec("_P")
_DescribedT = TypeVar("_DescribedT")
_ClientT = TypeVar("_ClientT")
_ResultT = TypeVar("_ResultT")


class Method(Generic[_P, _DescribedT, _ClientT, _ResultT]):
    """A client method with the signature and docstring of a function that only builds a request.

    ``carry_out`` is called with the client and the result of that function. ::

        trajectory = Method(runs.trajectory, ask)  # client.trajectory("4bf9…") → Trajectory
    """

    def __init__(
        self,
        describe: Callable[_P, _DescribedT],
        carry_out: Callable[[_ClientT, _DescribedT], _ResultT],
    ) -> None:
        """Store the function that describes the request, and the function that carries it out."""
        self._describe, self._carry_out = describe, carry_out
        self.__doc__ = describe.__doc__

    @overload
    def __get__(self, client: None, owner: type[_ClientT]) -> Self: ...
    @overload
    def __get__(self, client: _ClientT, owner: type[_ClientT]) -> Callable[_P, _ResultT]: ...
    def __get__(
        self, client: _ClientT | None, owner: type[_ClientT]
    ) -> Self | Callable[_P, _ResultT]:
        if client is None:
            return self

        @wraps(self._describe)
        def method(*args: _P.args, **kwargs: _P.kwargs) -> _ResultT:
            return self._carry_out(client, self._describe(*args, **kwargs))

        return method
