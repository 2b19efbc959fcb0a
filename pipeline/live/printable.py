"""What may reach a terminal: model output, file text and paths, with every character shown that could act on it.

A terminal obeys control characters, and a reader cannot see the ones that reorder or hide text. Both kinds are
replaced by something visible: C0 controls and DEL by their Unicode pictures (ESC becomes ␛), C1 controls by
``\\x9b``, and line separators, lone surrogates and format characters (bidirectional controls, zero-width space,
byte order mark, tags) by ``\\u202e``. The two joiners that scripts and emoji need, and the visible format characters
of Arabic, Syriac and Kaithi, stay as they are.
"""

from __future__ import annotations

import re

_FORMAT_CHARACTERS = (
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001-\U000e007f"
)
_UNSAFE = re.compile(f"[\x00-\x1f\x7f-\x9f{_FORMAT_CHARACTERS}\ud800-\udfff]")


def printable(text: str, keep: str = "") -> str:
    """Return ``text`` with every character that a terminal would obey, or hide, replaced by a visible one.

    The characters in ``keep`` (for a message ``"\\n\\t"``, say) are passed on.
    """
    return _UNSAFE.sub(lambda match: match[0] if match[0] in keep else _shown(ord(match[0])), text)


def _shown(code: int) -> str:
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
