"""`editstream prompt`: what a model has to be told to answer in a format."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, get_args

import click

from editstream.prompts import FormatName, ProviderName

from .options import CODES
from .output import say, write

if TYPE_CHECKING:
    from editstream.prompts.tool_schemas import Json


@click.command("prompt", epilog=CODES)
@click.argument("format_", metavar="FORMAT", type=click.Choice(get_args(FormatName)))
@click.option(
    "--tools", "provider", metavar="SDK", type=click.Choice(get_args(ProviderName)), help="Print tool schemas, as JSON."
)
def prompt_command(*, format_: FormatName, provider: ProviderName | None) -> None:
    """Print the instructions that make a model answer in FORMAT.

    \b
    FORMAT is one of:
      cline        Cline's XML tools, written as text
      tools        tool calls: edit_file and write_file
      text_editor  tool calls: Anthropic's text editor
      patch        OpenAI's apply_patch, as text or as a tool call
      markdown     SEARCH/REPLACE blocks in fences below a file name
      diff         SEARCH/REPLACE blocks for one file

    With --tools, print what goes into the request's "tools" instead. SDK is
    anthropic, google-genai, langchain, litellm, ollama, openai,
    openai-responses or pydantic-ai.

    \b
    Examples:
      editstream prompt markdown >> system.txt
      editstream prompt tools --tools anthropic
    """
    from editstream import prompt

    if provider is None:
        write(prompt(format_))
    else:
        say(json.dumps(_tools(format_, provider), indent=2))


def _tools(format_: FormatName, provider: ProviderName) -> list[Json]:
    from editstream import tools

    try:
        return tools(format_, provider)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
