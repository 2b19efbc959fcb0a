"""The tools as pydantic models: a model's title is the tool's name, and its docstring is what the model is told of it.

Fields stand in the order in which they should come, for models write them in the order of the schema: an edit begins
to stream when its path is there, and a pair when its old text is.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import SkipJsonSchema

from .formats import EDITOR_NAME

Missing: TypeAlias = SkipJsonSchema[None]
"""For a field that need not come; its schema says nothing of null."""

_ROOT = "relative to the root of the project"


class Edit(BaseModel):
    """One place, or each place, of the file."""

    model_config = ConfigDict(extra="forbid")

    old_string: str = Field(description="Text of the file, exactly as it is now, and there once; best whole lines.")
    new_string: str = Field(description="The text that takes its place; empty to delete it.")
    replace_all: bool = Field(False, description="True to replace each place where old_string is; else false.")


class EditFile(BaseModel):
    """Change places in a file that exists. Put all edits of the file into one call, in the order of the file."""

    model_config = ConfigDict(extra="forbid", title="edit_file")

    path: str = Field(description=f"The file, {_ROOT}.")
    edits: list[Edit] = Field(min_length=1, description="What to find and what to put there.")


class WriteFile(BaseModel):
    """Write a whole file: a new one, or one of which most changes."""

    model_config = ConfigDict(extra="forbid", title="write_file")

    path: str = Field(description=f"The file, {_ROOT}.")
    content: str = Field(description="All of the file, with nothing left out.")


class TextEditor(BaseModel):
    """View, create and change files, by commands."""

    model_config = ConfigDict(extra="forbid", title=EDITOR_NAME)

    command: Literal["view", "create", "str_replace", "insert"] = Field(description="What to do.")
    path: str = Field(description=f"The file, {_ROOT}; or a folder to view.")
    view_range: Annotated[list[int], Field(min_length=2, max_length=2)] | Missing = Field(
        None, description="For view: the first and the last line, from 1; -1 for the end."
    )
    file_text: str | Missing = Field(None, description="For create: all of the new file.")
    old_str: str | Missing = Field(None, description="For str_replace: text of the file as it is now, and there once.")
    new_str: str | Missing = Field(None, description="For str_replace: what takes its place; empty to delete it.")
    insert_line: Annotated[int, Field(ge=0)] | Missing = Field(
        None, description="For insert: the number of the line to insert after; 0 for the top."
    )
    insert_text: str | Missing = Field(None, description="For insert: whole lines, each with its line end.")


class ApplyPatch(BaseModel):
    """Change, add, delete and move files by a patch."""

    model_config = ConfigDict(extra="forbid", title="apply_patch")

    input: str = Field(description="The patch, from *** Begin Patch to *** End Patch.")
