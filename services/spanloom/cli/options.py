"""Flags made from ``Settings``: its declarations become help texts and checks."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin

import click
from click.shell_completion import CompletionItem
from pydantic import ByteSize

from spanloom.cli.completing import offer_values
from spanloom.config.loading import load_settings
from spanloom.config.section import SectionSettings, flag_of
from spanloom.config.settings import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pydantic.fields import FieldInfo

_HINTS = {
    "host": "ADDRESS",
    "_url": "URL",
    "_port": "PORT",
    "_s": "SECONDS",
    "_days": "DAYS",
}
_FLAGS_AND_VARIABLES = "Each setting is also a variable, --log-level SPANLOOM_LOG_LEVEL. Flags win."


class SettingsOption(click.Option):
    """The flag of one setting; ``None`` if unused, so that the environment variable applies."""

    def __init__(self, name: str, field: FieldInfo, section: str, default: str) -> None:
        """Copy name, help and value hint from the field; ``default`` is only shown."""
        self.section = section
        self._choices = get_args(field.annotation) if _is_choice(field) else ()
        is_switch = field.annotation is bool
        super().__init__(
            [flag_of(name), name],
            default=None,
            is_flag=is_switch,
            help=f"{field.description}  [default: {default}]" if default else field.description,
            metavar=None if is_switch else value_hint(name, field),
        )

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the choices; the value is validated together with the other settings."""
        offered = [CompletionItem(one) for one in self._choices if one.startswith(incomplete)]
        return offered or super().shell_complete(ctx, incomplete)


class TeachingCommand(click.Command):
    """A command whose help ends with examples."""

    def __init__(self, *args: Any, examples: Sequence[str] = (), **kwargs: Any) -> None:
        """Store the examples; click handles everything else."""
        self.examples = examples
        super().__init__(*args, **kwargs)
        for param in self.params:
            offer_values(param)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the epilog, then the examples, one per line."""
        super().format_epilog(ctx, formatter)
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{example}\n")


class TeachingGroup(TeachingCommand, click.Group):
    """A group of commands whose help ends with examples."""


class SettingsCommand(TeachingCommand):
    """A command that gets ``settings`` instead of the flags of some sections."""

    def __init__(
        self,
        *args: Any,
        sections: Sequence[type[SectionSettings]] = SECTIONS,
        defaults: Mapping[str, object] = MappingProxyType({}),
        **kwargs: Any,
    ) -> None:
        """Add a flag for every field of the sections; ``defaults`` replace some defaults."""
        super().__init__(*args, epilog=_FLAGS_AND_VARIABLES, **kwargs)
        self._defaults = defaults
        self.params.extend(
            SettingsOption(
                name,
                field,
                str(section.model_config["title"]),
                "" if field.annotation is bool else str(defaults.get(name, default_text(field))),
            )
            for section in sections
            for name, field in section.model_fields.items()
        )

    def invoke(self, ctx: click.Context) -> Any:
        """Replace the flags by validated settings; raises ``OptionError`` for an invalid value."""
        names = [param.name for param in self.params if isinstance(param, SettingsOption)]
        values = {name: ctx.params.pop(name) for name in names if name}
        flags = {name: value for name, value in values.items() if value is not None}
        settings = load_settings(flags)
        unset = self._defaults.keys() - settings.model_fields_set
        ctx.params["settings"] = settings.model_copy(
            update={name: self._defaults[name] for name in unset}
        )
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command's own options, then the settings section by section."""
        titles: dict[str, list[tuple[str, str]]] = {"Options": []}
        for param in self.get_params(ctx):
            if record := param.get_help_record(ctx):
                title = param.section if isinstance(param, SettingsOption) else "Options"
                titles.setdefault(title, []).append(record)
        for title, rows in titles.items():
            with formatter.section(title):
                formatter.write_dl(rows)


def value_hint(name: str, field: FieldInfo) -> str:
    """Return the placeholder of a value in the help: a unit, a type, or the choices."""
    if _is_choice(field):
        return "|".join(get_args(field.annotation))
    if field.annotation is ByteSize:
        return "SIZE"
    if field.annotation in (Path, Path | None):
        return "PATH"
    if field.annotation is bool:
        return "switch"
    return next((hint for end, hint in _HINTS.items() if name.endswith(end)), "TEXT")


def default_text(field: FieldInfo) -> str:
    """Return the default as a user would type it; empty if there is none."""
    value = field.default
    if value is None:
        return ""
    if isinstance(value, ByteSize):
        return value.human_readable().replace(".0", "")
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) else str(value)


def _is_choice(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is Literal
