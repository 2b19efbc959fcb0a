"""The examples of the instructions, as data: files, what a model answers in a format, and the files after it.

The same changes are shown in every format: one with two places, one whose lines are there twice, and a new file.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .formats import EDITOR_NAME, FormatName


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool."""

    tool: str
    arguments: Mapping[str, Any]

    def __str__(self) -> str:
        return f"{self.tool}\n{json.dumps(self.arguments, indent=2, ensure_ascii=False)}\n"


@dataclass(frozen=True, slots=True)
class Example:
    """What is asked for, the files ``before``, the answer (text, or calls), and the files ``after``."""

    task: str
    before: Mapping[str, str]
    turn: str | tuple[Call, ...]
    after: Mapping[str, str]

    @property
    def shown(self) -> str:
        """The answer as the instructions show it."""
        return self.turn if isinstance(self.turn, str) else "\n".join(map(str, self.turn))


_SHOP = """\
import os
import sys


def total(prices):
    return sum(prices)


def show(prices):
    print("Total: " + str(total(prices)))
"""
_SHOP_AFTER = """\
import sys


def total(prices):
    return sum(prices)


def show(prices):
    print(f"Total: {total(prices)}")
"""
_LIMITS = """\
[server]
timeout = 30

[client]
timeout = 30
"""
_LIMITS_AFTER = """\
[server]
timeout = 30

[client]
timeout = 60
"""
_NOTES = """\
# Notes

Prices are in cents.
"""


def _shop(turn: str | tuple[Call, ...]) -> Example:
    task = "Two places of src/shop.py: an import goes, and a line changes."
    return Example(task, {"src/shop.py": _SHOP}, turn, {"src/shop.py": _SHOP_AFTER})


def _limits(turn: str | tuple[Call, ...]) -> Example:
    task = "The second timeout in limits.ini; `timeout = 30` alone is there twice, so the line above it is needed."
    return Example(task, {"limits.ini": _LIMITS}, turn, {"limits.ini": _LIMITS_AFTER})


def _notes(turn: str | tuple[Call, ...]) -> Example:
    return Example("A new file, docs/notes.md.", {}, turn, {"docs/notes.md": _NOTES})


_CLINE = (
    _shop("""\
<replace_in_file>
<path>src/shop.py</path>
<diff>
------- SEARCH
import os
=======
+++++++ REPLACE
------- SEARCH
    print("Total: " + str(total(prices)))
=======
    print(f"Total: {total(prices)}")
+++++++ REPLACE
</diff>
</replace_in_file>
"""),
    _limits("""\
<replace_in_file>
<path>limits.ini</path>
<diff>
------- SEARCH
[client]
timeout = 30
=======
[client]
timeout = 60
+++++++ REPLACE
</diff>
</replace_in_file>
"""),
    _notes(f"""\
<write_to_file>
<path>docs/notes.md</path>
<content>
{_NOTES}</content>
</write_to_file>
"""),
)

_MARKDOWN = (
    _shop("""\
src/shop.py
```python
<<<<<<< SEARCH
import os
=======
>>>>>>> REPLACE
<<<<<<< SEARCH
    print("Total: " + str(total(prices)))
=======
    print(f"Total: {total(prices)}")
>>>>>>> REPLACE
```
"""),
    _limits("""\
limits.ini
```ini
<<<<<<< SEARCH
[client]
timeout = 30
=======
[client]
timeout = 60
>>>>>>> REPLACE
```
"""),
    _notes(f"""\
docs/notes.md
```markdown
<<<<<<< SEARCH
=======
{_NOTES}>>>>>>> REPLACE
```
"""),
)

_DIFF = (
    _shop("""\
------- SEARCH
import os
=======
+++++++ REPLACE
------- SEARCH
    print("Total: " + str(total(prices)))
=======
    print(f"Total: {total(prices)}")
+++++++ REPLACE
"""),
    _limits("""\
------- SEARCH
[client]
timeout = 30
=======
[client]
timeout = 60
+++++++ REPLACE
"""),
    _notes(f"""\
------- SEARCH
=======
{_NOTES}+++++++ REPLACE
"""),
)

_PATCH = (
    _shop("""\
*** Begin Patch
*** Update File: src/shop.py
@@
-import os
 import sys
@@ def show(prices):
-    print("Total: " + str(total(prices)))
+    print(f"Total: {total(prices)}")
*** End Patch
"""),
    _limits("""\
*** Begin Patch
*** Update File: limits.ini
@@ [client]
-timeout = 30
+timeout = 60
*** End Patch
"""),
    Example(
        "A new file, one that is moved and changed, and one that goes.",
        {"limits.ini": _LIMITS, "old.txt": "Of no use.\n"},
        """\
*** Begin Patch
*** Add File: docs/notes.md
+# Notes
+
+Prices are in cents.
*** Update File: limits.ini
*** Move to: etc/limits.ini
@@ [client]
-timeout = 30
+timeout = 60
*** Delete File: old.txt
*** End Patch
""",
        {"docs/notes.md": _NOTES, "etc/limits.ini": _LIMITS_AFTER},
    ),
)

_TOOLS = (
    _shop((
        Call("edit_file", {
            "path": "src/shop.py",
            "edits": [
                {"old_string": "import os\n", "new_string": ""},
                {
                    "old_string": '    print("Total: " + str(total(prices)))',
                    "new_string": '    print(f"Total: {total(prices)}")',
                },
            ],
        }),
    )),
    _limits((
        Call("edit_file", {
            "path": "limits.ini",
            "edits": [{"old_string": "[client]\ntimeout = 30", "new_string": "[client]\ntimeout = 60"}],
        }),
    )),
    _notes((Call("write_file", {"path": "docs/notes.md", "content": _NOTES}),)),
)  # fmt: skip

_TEXT_EDITOR = (
    _limits((
        Call(EDITOR_NAME, {
            "command": "str_replace",
            "path": "limits.ini",
            "old_str": "[client]\ntimeout = 30",
            "new_str": "[client]\ntimeout = 60",
        }),
    )),
    Example(
        "A line after line 2 of limits.ini.",
        {"limits.ini": _LIMITS},
        (
            Call(EDITOR_NAME, {
                "command": "insert", "path": "limits.ini", "insert_line": 2, "insert_text": "retries = 3\n",
            }),
        ),
        {"limits.ini": _LIMITS.replace("timeout = 30\n", "timeout = 30\nretries = 3\n", 1)},
    ),
    _notes((Call(EDITOR_NAME, {"command": "create", "path": "docs/notes.md", "file_text": _NOTES}),)),
)  # fmt: skip

EXAMPLES: Mapping[FormatName, tuple[Example, ...]] = {
    "cline": _CLINE,
    "tools": _TOOLS,
    "text_editor": _TEXT_EDITOR,
    "patch": _PATCH,
    "markdown": _MARKDOWN,
    "diff": _DIFF,
}
"""The examples of each format."""
