"""The way into the process."""

from spanloom.cli.interrupts import leave_at_once


def main() -> None:
    """Run ``spanloom`` with the process's arguments and exit."""
    leave_at_once()
    from spanloom.cli.running import run  # noqa: PLC0415  # most of what there is to load

    run()


if __name__ == "__main__":
    main()
