"""F30: the next release opens the directory of this one, also after kills during its migration."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tests.support import dying_upgrade, programs
from tests.support.ledger import Ledger
from tests.support.senders import Load
from tests.support.settling import check_api, check_store

if TYPE_CHECKING:
    from tests.conftest import StartSpanloom

QUICK = ("serve", "--root-quiet-s=0.2", "--no-root-quiet-s=0.5")
OLDER = dying_upgrade.files_before("broken_parts")
STATEMENTS = (3, 9, 18)
"""Of the 20 that the older release lacks; each start begins its file anew."""


def test_an_upgrade_killed_again_and_again_loses_nothing(
    start_spanloom: StartSpanloom, tmp_path: Path
) -> None:
    older = (dying_upgrade.__file__, str(OLDER), str(dying_upgrade.ENOUGH))
    data = tmp_path / "data"
    before = start_spanloom(*QUICK, "--batch-wait-s=0.1", data_dir=data, entry=older, bare=True)
    ledger = Ledger()
    with Load(before.addresses, ledger, "before"):
        time.sleep(0.5)
        assert before.stop(signal.SIGKILL) == -signal.SIGKILL
    for left in STATEMENTS:
        assert migrate(data, left) == -signal.SIGKILL, left
    after = start_spanloom(*QUICK, "--batch-wait-s=0.1", data_dir=data)
    with Load(after.addresses, ledger, "after"):
        time.sleep(0.3)
    account = ledger.account()
    in_api = check_api(after.api, account)
    assert after.stop() == 0
    check_store(Path(after.addresses["data_dir"]), account, in_api)


def migrate(data: Path, left: int) -> int:
    """Begin to bring the directory up to date; return how the process ended."""
    killed = (dying_upgrade.__file__, str(dying_upgrade.ENOUGH), str(left))
    return programs.run(*killed, "migrate", f"--data-dir={data}").returncode
