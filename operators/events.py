"""What flows between the stages: lines, block events, and the small public values that snapshots are made of.

Every class here is a frozen, slotted dataclass; the unions at the end name what each stage may receive, so that a
``match`` over one of them is complete. Lines are numbered from 1, blocks from 0, offsets count code points, and a
span is half-open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

type_reason = Literal["complete", "truncated", "cancelled"]
