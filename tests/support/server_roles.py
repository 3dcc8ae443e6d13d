"""The roles of Spanloom as separate processes over a ClickHouse server."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.conftest import RunningSpanloom, StartSpanloom


class Roles(NamedTuple):
    """The running processes."""

    keeper: RunningSpanloom
    collect: RunningSpanloom
    extracts: Sequence[RunningSpanloom]
    api: RunningSpanloom

    @property
    def complaints(self) -> list[str]:
        """The warnings and errors of all processes."""
        return [line for part in self._all() for line in part.complaints]

    def stop(self) -> None:
        """Stop all; each must exit without an error."""
        for part in self._all():
            assert part.stop() == 0, part.log

    def _all(self) -> Sequence[RunningSpanloom]:
        return [self.collect, *self.extracts, self.api, self.keeper]


def start_roles(
    start_spanloom: StartSpanloom,
    url: str,
    *extracting: str,
    env: Mapping[str, str] | None = None,
) -> Roles:
    """Start one process per role, two of `extract`, with these flags; wait until all are ready."""

    def start(role: str, *flags: str) -> RunningSpanloom:
        part = start_spanloom(role, f"--store-url={url}", *flags, env=env)
        part.wait_until_ready()
        return part

    return Roles(
        keeper=start("keeper"),
        collect=start("collect"),
        extracts=[start("extract", *extracting) for _ in range(2)],
        api=start("api"),
    )
