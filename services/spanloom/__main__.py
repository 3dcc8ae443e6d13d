"""Entry point of ``python -m spanloom`` and of the command ``spanloom``."""

from spanloom.cli.interrupts import leave_at_once


def main() -> None:
    """Run the command line with the process's arguments and exit."""
    leave_at_once()
    from spanloom.cli.running import run  # noqa: PLC0415  # loads most of the code

    run()


if __name__ == "__main__":
    main()
