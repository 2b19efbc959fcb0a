"""Makes chats as Aider keeps them, as large as one likes, with the edits that they hold.

A chat is prose, the user's turns (`#### …`), the tool's lines (`> …`) and edits in all the ways that models write them:
fences of any kind, length and indent, names above, inside, in the info string or missing, several files in a fence, no
fence, a closer or a closing fence forgotten, Markdown files with fences in the blocks.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

WORDS = (
    "the", "a", "file", "now", "it", "we", "change", "this", "so", "that", "tests", "pass", "café", "漢字", "😀",
    "value,", "index.", "then", "(see", "below)", "`x`", "**not**", "a/b",
)  # fmt: skip
PATHS = (
    "a.py", "src/a.py", "src/deep/er/b_c.ts", "docs/README.md", ".gitignore", ".github/workflows/ci.yml", "Makefile",
    "Dockerfile", "app/[id]/page.tsx", "src\\win\\c.cs", "./d.go", "../up/e.rs", "C:\\x\\f.h", "a-b+c.d.txt",
    "été/ü.py", "src/routes/+page.svelte", "@types/g.d.ts", "README", "bin/run",
)  # fmt: skip
SPACED = ("docs/my file.md", "my notes.txt", "src dir/x y.py")
ABOVE = (
    "{}", "{}", "{}", "`{}`", "**{}**", "**`{}`**", "### {}", "#### `{}`", "{}:", "# {}", "// {}", "File: {}", "`{}`:",
    "**File:** `{}`", "File path: `{}`", "- {}", "1. `{}`", "<!-- {} -->", "`{}` (new file)", "**{}:**", '"{}"',
    "  {}  ", "*{}*",
)  # fmt: skip
MARKED = ("`{}`", "File: {}", '"{}"', "**`{}`**:", "filename: `{}`")
INSIDE = ("{}", "# {}", "// {}", "`{}`", "<!-- {} -->", "{}:")
INFO = ("python {}", "python:{}", '{{python}} title="{}"', "py file={}")
LANGUAGES = ("python", "ts", "c++", "objective-c", "markdown", "diff", "text", "bash", "é")
CODE = (
    "def f(x):", "    return x + 1", "", "\tif (a < b) { c(); }", "x = 1  ", "# a comment", "a.py", "src/a.py", "<div>",
    "---", "===", "====", "+++", "<<<", "<<<<<<<", "=======", ">>>>>>>", "<<<<<<< HEAD", ">>>>>>> main",
    "  <<<<<<< SEARCH", "    >>>>>>> REPLACE", "------- a/x.py", "`", "``", "~", "~~", "- item", "-- comment", "== 1",
    "    ", ":start_line:12", "-------", "<<<<<<< SEARCHING", "\\", "#### not a user", "> quoted", "é漢😀", "\x1b[0m",
    "a\rb", "windows\r",
)  # fmt: skip
FENCED = (
    ["```", "npm install", "```"], ["```python", "x = 1", "```"], ["````md", "```", "a", "```", "````"],
    ["~~~", "a", "~~~"], ["```"], ["~~~~~~"], ["````"], ["```sh"], ["a.py", "```python", "b.py", "```", "", "c.py"],
    ["  ```", "  x", "  ```"], ["```js", "b", "```", "", "```", "c", "```"],
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Edit:
    """An edit that a chat holds."""

    path: str
    text: str


class Chat:
    """Writes a chat, part by part."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lines = ["", "# aider chat started at 2025-01-01 10:00:00", ""]
        self._size = 0
        self._path = ""
        # What the part before forgot: a closer, or the fence's end.
        self._forgot: str | None = None
        self._within = ""  # how far that part's blocks were indented
        self.edits: list[Edit] = []

    def write(self, size: int) -> str:
        """A chat of `size` characters or a little more."""
        while self._size < size or self._forgot:
            count = len(self._lines)
            if self._forgot is None:
                self._talk()
            self._edit()
            self._size += sum(len(line) + 1 for line in self._lines[count:])
        return "\n".join(self._lines) + "\n"

    def _chance(self, part: float) -> bool:
        return self._random.random() < part

    def _prose(self) -> str:
        words = " ".join(self._random.choices(WORDS, k=self._random.randint(3, 30)))
        return f"{words} and so on"

    # Between edits ----------------------------------------------------------------------------------------------------

    def _talk(self) -> None:
        for _ in range(self._random.randint(1, 4)):
            self._lines += self._random.choice((self._user, self._tool, self._answer, self._code, self._odd))()

    def _user(self) -> list[str]:
        return ["", *(f"#### {self._prose()}" for _ in range(self._random.randint(1, 3))), ""]

    def _tool(self) -> list[str]:
        path = self._random.choice(PATHS)
        return ["> Tokens: 12k sent, 3.4k received.", f"> Applied edit to {path}  ", f"> Add {path} to the chat? y  "]

    def _answer(self) -> list[str]:
        return [self._prose() for _ in range(self._random.randint(1, 8))]

    def _code(self) -> list[str]:
        rule = self._random.choice("`~") * self._random.randint(3, 5)
        code = [line for line in self._random.choices(CODE, k=8) if "SEARCH" not in line]
        return [f"{rule}{self._random.choice((*LANGUAGES, ''))}", *code, rule, self._prose()]

    def _odd(self) -> list[str]:
        return self._random.choice(
            (
                ["A heading", "=======", "", "Another", "-------"],
                ["```one line of code```", "`<<<<<<< SEARCH` opens a block"],
                [">>>>>>> REPLACE"],
                ["x" * 20_000],
                [" " * 2_000, "=" * 2_000],
                ["\r", "a line\r", "\x00\x1b[31m"],
            )
        )

    # Edits ------------------------------------------------------------------------------------------------------------

    def _edit(self) -> None:
        forgotten, self._forgot = self._forgot, None
        self._lines += [self._prose(), *[""] * self._random.randint(0, 1)]
        if forgotten is None and self._chance(0.1):
            self._without_fence()
        else:
            self._with_fence(forgotten)

    def _without_fence(self) -> None:
        self._named(self._new_path())
        self._put(self._blocks("", spaced=False))

    def _new_path(self) -> str:
        self._path = self._random.choice(SPACED if self._chance(0.1) else PATHS)
        return self._path

    def _named(self, path: str) -> None:
        self._lines.append(self._random.choice(MARKED if path in SPACED else ABOVE).format(path))
        self._lines += [""] * self._random.choice((0, 0, 0, 1, 2))

    def _with_fence(self, forgotten: str | None) -> None:
        indent = self._random.choice(("", "", "", "  ", "    ", "\t"))
        rule = self._random.choice("```~") * self._random.choice((3, 3, 3, 4, 5, 8, 40))
        language = self._random.choice(LANGUAGES if forgotten == "fence" else (*LANGUAGES, "", ""))
        place = self._random.choice(("above", "above", "inside", "info", "missing"))
        if place == "missing" and not self._path:
            place = "above"
        if place != "missing":
            self._new_path()
        if forgotten == "closer" and place != "above" and not language:
            language = "python"  # a bare fence could be the end of the one before
        if place == "info":
            language = self._random.choice(INFO[2:3] if self._path in SPACED else INFO).format(self._path)
        if place == "above":
            self._named(self._path)
        self._lines.append(f"{indent}{rule}{language}")
        if place == "inside":
            self._lines.append(self._random.choice(MARKED[:2] if self._path in SPACED else INSIDE).format(self._path))
        self._fill(indent, rule, forgotten)

    def _fill(self, indent: str, rule: str, forgotten: str | None) -> None:
        """What is inside a fence, and its end."""
        if forgotten != "closer":  # an opener at another indent would be content
            self._within = indent if self._chance(0.5) else ""
        within = self._within
        if self._chance(0.1):
            self._forgot = "closer"
            self._put(self._unclosed(within))
            self._lines.append(indent + rule)
            return
        self._put(self._blocks(within))
        while self._chance(0.15):
            path = self._random.choice([path for path in PATHS if path != self._path])
            self._path = path
            self._lines += [*[""] * self._random.randint(0, 2), self._random.choice(INSIDE).format(path)]
            self._put(self._blocks(within))
        if self._chance(0.05):
            self._forgot = "fence"
        else:
            self._lines += [indent + rule + rule[0] * self._random.choice((0, 0, 2)), ""]

    def _put(self, parts: list[list[str]]) -> None:
        """Blocks, and what stands between them (each second part)."""
        text = "".join(line + "\n" for part in parts[::2] for line in part)
        self.edits.append(Edit(self._path, text))
        self._lines += [line for part in parts for line in part]

    def _blocks(self, indent: str, *, spaced: bool = True) -> list[list[str]]:
        parts = [self._block(indent)]
        for _ in range(self._random.choice((0, 0, 1, 3))):
            between = [self._prose()] if spaced and self._chance(0.3) else []
            parts += [[*[""] * self._random.randint(0, 3), *between], self._block(indent)]
        return parts

    def _block(self, indent: str) -> list[str]:
        length = self._random.choice((7, 7, 7, 5, 9))
        opener, closer = self._random.choice(("<>", "<>", "-+"))
        lines = [self._content(), self._content()] if self._chance(0.9) else [[], self._content()]
        search, replace = ([indent + line for line in side] for side in lines)
        end = self._random.choice(("", "", "", "\r", " "))
        return [
            f"{indent}{opener * length} SEARCH{end}", *search, f"{indent}{'=' * length}{end}", *replace,
            f"{indent}{closer * length} REPLACE{end}",
        ]  # fmt: skip

    def _unclosed(self, indent: str) -> list[list[str]]:
        *first, last = self._blocks(indent)
        return [*first, [line for line in last[:-1] if "```" not in line and "~~~" not in line]]

    def _content(self) -> list[str]:
        lines = list[str]()
        for _ in range(self._random.choice((1, 2, 4, 8, 16))):
            if self._chance(0.15):
                lines += self._random.choice(FENCED)
            else:
                lines.append(self._random.choice(CODE) if self._chance(0.5) else self._prose())
        if self._chance(0.02):
            lines.append("long " * 4_000)
        return lines


def chat(size: int, seed: int = 0) -> tuple[str, list[Edit]]:
    """A chat of `size` characters or a little more, and the edits that it holds."""
    made = Chat(seed)
    return made.write(size), made.edits
