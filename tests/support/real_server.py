"""A program: a ClickHouse server, from chdb-core's library.

``clickhouse local`` can listen (``SYSTEM START LISTEN``), so a process that calls its entry point
(``found_entrance.py``) becomes a server with users, profiles, sessions, mutations and error codes.
``python -m tests.support.real_server DIRECTORY [HTTP_PORT NATIVE_PORT]`` prints ``{"http": PORT,
"native": PORT, "version": "26.9…"}`` into a pipe once it listens; a port of 0 means any free one.
DIRECTORY gets its data, configuration and logs; an existing ``users.xml`` is used. The library is
not changed.

SIGTERM ends it in order. ``SYSTEM SHUTDOWN`` must not be used, because it signals the process
group.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from pathlib import Path
from xml.sax.saxutils import escape

from tests.support.found_entrance import entrance, library_path

DATABASE = "spanloom"
MEMORY_BYTES = 2 << 30
CONFIG = """\
<clickhouse>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{http}</http_port>
  <tcp_port>{native}</tcp_port>
  <log-level>information</log-level>
  <logger><log>{place}/log</log><errorlog>{place}/error.log</errorlog></logger>
  <users_config>{place}/users.xml</users_config>
  <max_server_memory_usage>{memory}</max_server_memory_usage>
  <mark_cache_size>67108864</mark_cache_size>
  <background_schedule_pool_size>16</background_schedule_pool_size>
  <storage_configuration>
    <disks><backups><type>local</type><path>{place}/backups/</path></backups></disks>
  </storage_configuration>
  <backups>
    <allowed_disk>backups</allowed_disk><allowed_path>{place}/backups/</allowed_path>
  </backups>
</clickhouse>
"""
ACCOUNT = """\
    <{name}>
      <password>{password}</password><profile>{profile}</profile><quota>default</quota>
      <networks><ip>127.0.0.1</ip></networks>{more}
    </{name}>
"""
"""The template of all accounts, because the server cannot store those of ``CREATE USER``."""
USERS = """\
<clickhouse>
  <profiles>
    <default/><reading><readonly>1</readonly></reading><asking><readonly>2</readonly></asking>
  </profiles>
  <quotas><default/></quotas>
  <users>
{accounts}
  </users>
</clickhouse>
"""
MANAGING = "<access_management>1</access_management>"
READING_ALONE = "<grants><query>GRANT SELECT ON *.*</query></grants>"
PORTS = """\
SELECT getServerPort('http_port') AS http, getServerPort('tcp_port') AS native, version() AS version
INTO OUTFILE '/dev/stdout' APPEND FORMAT JSONEachRow"""
STATEMENTS = (
    f"CREATE DATABASE IF NOT EXISTS {DATABASE} ENGINE = Atomic",
    "SYSTEM START LISTEN QUERIES DEFAULT",
    PORTS,
    "SELECT * FROM file('/dev/fd/{end}', RowBinary, 'byte UInt8') LIMIT 1 FORMAT Null",
)
"""The last statement waits for a byte that a signal sends: ``clickhouse local`` ends after it."""


def write_config(place: Path, http: int, native: int) -> Path:
    """Write the configuration into a directory; return the path of its first file."""
    (place / "backups").mkdir(parents=True, exist_ok=True)
    if not (place / "users.xml").exists():
        (place / "users.xml").write_text(users())
    config = place / "config.xml"
    where = escape(str(place))
    config.write_text(CONFIG.format(http=http, native=native, place=where, memory=MEMORY_BYTES))
    return config


def users(more: str = "", *, read_only: bool = False) -> str:
    """Return the accounts: ``default``, ``admin`` and ``store`` without limits, ``reader``, more.

    With ``read_only``, ``store`` may not change anything; ``default`` runs the server.
    """
    more_of_store = READING_ALONE if read_only else MANAGING
    own = [
        ACCOUNT.format(name="default", password="", profile="default", more=MANAGING),
        ACCOUNT.format(name="store", password="", profile="default", more=more_of_store),
        ACCOUNT.format(name="admin", password="", profile="default", more=MANAGING),
        ACCOUNT.format(name="reader", password="", profile="reading", more=""),
    ]
    return USERS.format(accounts="".join([*own, more]))


def account(name: str, *grants: str, password: str = "", profile: str = "default") -> str:
    """Return an account with only these rights, such as ``SELECT ON spanloom.*``."""
    rights = "".join(f"<query>GRANT {grant}</query>" for grant in grants)
    more = f"<grants>{rights}</grants>"
    return ACCOUNT.format(name=name, password=password, profile=profile, more=more)


def serve(place: Path, config: Path) -> None:
    """Run as a server until SIGTERM."""
    ctypes.CDLL(str(library_path()), mode=os.RTLD_NOW | os.RTLD_DEEPBIND)
    call = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))
    main = call(_base() + entrance())
    statements = "; ".join(STATEMENTS).format(end=_byte_of_a_signal())
    files = (f"--config-file={config}", f"--path={place / 'data'}")
    words = [word.encode() for word in ("clickhouse-local", *files, f"--query={statements}")]
    main(len(words), (ctypes.c_char_p * (len(words) + 1))(*words))


def _base() -> int:
    """Return the address at which the library is loaded."""
    with open("/proc/self/maps") as maps:  # noqa: PTH123
        own = [line for line in maps if line.rstrip().endswith(library_path().name)]
    return min(int(line.partition("-")[0], 16) for line in own)


def _byte_of_a_signal() -> int:
    """Return a descriptor from which a byte can be read after SIGTERM.

    The interpreter's own handler writes it at once, even while the main thread is in the library;
    Python's handlers run only after that has returned.
    """
    end, written = os.pipe()
    os.set_blocking(written, False)
    signal.set_wakeup_fd(written)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    return end


def main() -> None:
    """Serve until a signal."""
    place = Path(sys.argv[1]).absolute()
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)  # otherwise it would read data from there
    http, native = map(int, sys.argv[2:] or ("0", "0"))
    serve(place, write_config(place, http, native))
    sys.exit("the server ended by itself")


if __name__ == "__main__":
    main()
