"""A turn over a generated file of 5,000 lines: Python as it grows in an application, no two functions alike."""

from __future__ import annotations

import random

from turn import Edit, Turn

LINES = 5_000
BLOCKS = 12


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


NOUNS = _words(
    "invoice order customer shipment voucher refund address basket carrier catalog contract coupon currency discount"
    " employee ledger location manifest mandate notification payment permission price product profile quota receipt"
    " region report reservation reminder review route schedule session setting shift signature stock subscription"
    " supplier tariff tax ticket tracking transfer vehicle warehouse webhook"
)
VERBS = _words(
    "archive cancel check collect compare confirm count create describe export filter find group import list load lock"
    " merge normalise notify parse publish rank refresh register release rename render reopen resolve restore save"
    " schedule search send settle sort split store summarise sync update validate"
)
FIELDS = _words("amount code created currency customer kind label name note number owner reference state total weight")
STATES = _words("accepted active archived blocked cancelled closed draft expired open paid pending rejected shipped")

BODIES = (
    """\
def {verb}_{noun}(session, {noun}_id, *, limit={number}):
    \"\"\"{Verb} the {noun} with this id, together with up to `limit` of its entries.\"\"\"
    {noun} = session.get({Noun}, {noun}_id)
    if {noun} is None or {noun}.{field} is None:
        raise LookupError(f"no {noun} {{{noun}_id}}")
    entries = sorted({noun}.entries, key=lambda entry: entry.{other}, reverse={flag})
    return {noun}, entries[:limit]
""",
    """\
def {verb}_{noun}_by_{field}(rows, {field}=None):
    \"\"\"{Verb} rows of the {noun} table, {field} by {field}; a row without one goes under "{state}".\"\"\"
    groups = defaultdict(list)
    for row in rows:
        key = row.get("{field}") or "{state}"
        if {field} is not None and key != {field}:
            continue
        groups[key].append(row["{other}"])
    return dict(groups)
""",
    """\
async def {verb}_{noun}_later(client, {noun}, delay={number}):
    \"\"\"{Verb} one {noun} after a delay in seconds, unless it is {state} by then.\"\"\"
    await asyncio.sleep(delay)
    current = await client.fetch("/{noun}s/{{}}".format({noun}["number"]))
    if current["state"] == "{state}":
        logger.info("{noun} %s is {state}, nothing to {verb}", {noun}["number"])
        return None
    payload = {{"{field}": current["{field}"], "{other}": {noun}.get("{other}", {number})}}
    return await client.post("/{noun}s/{verb}", json=payload)
""",
    """\
class {Noun}{Verb}Job(Job):
    \"\"\"{Verb} every {noun} that became {state} in the last {number} days.\"\"\"

    queue = "{noun}-{verb}"
    retries = {digit}

    def run(self, now):
        since = now - timedelta(days={number})
        for {noun} in self.repository.changed("{noun}", since=since, state="{state}"):
            with self.transaction():
                {noun}.{field} = self.recompute({noun}, "{field}")
                self.audit("{verb}", {noun}.{other})
""",
    """\
def is_{noun}_{verb}_allowed(user, {noun}):
    \"\"\"Whether this user may {verb} the {noun}: its owner may, and anybody with the role, while it is {state}.\"\"\"
    if {noun}.state != "{state}":
        return False
    if user.id == {noun}.owner:
        return {flag}
    return "{noun}.{verb}" in user.roles or user.level >= {digit}
""",
)


def functions(rng: random.Random) -> list[str]:
    """Every pairing of a verb with a noun once, in a fixed random order, each with one of the bodies."""
    pairs = [(verb, noun) for verb in VERBS for noun in NOUNS]
    pairs.sort(key=lambda _: rng.random())
    return [_function(rng, verb, noun) for verb, noun in pairs]


def _function(rng: random.Random, verb: str, noun: str) -> str:
    def pick(words: tuple[str, ...]) -> str:
        return words[int(rng.random() * len(words))]

    field = pick(FIELDS)
    return pick(BODIES).format(
        verb=verb,
        noun=noun,
        Verb=verb.capitalize(),
        Noun=noun.capitalize(),
        field=field,
        other=pick(tuple(name for name in FIELDS if name != field)),
        state=pick(STATES),
        flag=pick(("True", "False")),
        number=5 + int(rng.random() * 95),
        digit=2 + int(rng.random() * 7),
    )


HEAD = '''\
"""Operations on everything the shop knows about."""

import asyncio
import logging
from collections import defaultdict
from datetime import timedelta

from shop.jobs import Job
from shop.models import *

logger = logging.getLogger("shop.operations")


'''


def _file() -> tuple[str, list[str]]:
    rng = random.Random("large_file")
    kept: list[str] = []
    content = HEAD
    for function in functions(rng):
        if content.count("\n") + function.count("\n") + 2 > LINES - 6:
            break
        kept.append(function)
        content += function + "\n\n"
    missing = LINES - content.count("\n")
    names = "".join(f'    "{noun}",\n' for noun in NOUNS[: missing - 2])
    return f"{content}KINDS = (\n{names})\n", kept


def _edit(function: str, number: int) -> Edit:
    """A change of the size that models like to make: a word more in the docstring, and a new line after it."""
    lines = function.splitlines(keepends=True)
    body = next(at for at, line in enumerate(lines) if '"""' in line) + 1
    head, doc, rest = lines[: body - 1], lines[body - 1], lines[body : body + 2]
    new = doc.replace('."""', f', as ticket {4000 + 17 * number} asks."""')
    if rest[0] == "\n":  # a class: its attributes come after a blank line
        added = ["\n", "    timeout = 30\n", *rest[1:]]
    else:
        added = [f'    logger.debug("step %d", {number})\n', *rest]
    return Edit("".join([*head, doc, *rest]), "".join([*head, new, *added]))


def _turn() -> Turn:
    content, kept = _file()
    step = len(kept) // BLOCKS
    edits = [_edit(kept[step // 2 + step * number], number) for number in range(BLOCKS)]
    parts: list[str | Edit] = []
    for edit in edits:
        parts += [edit, "\n"]
    return Turn(
        name="large_file",
        note="a file of 5,000 lines and a diff of twelve blocks spread over it",
        path="shop/operations.py",
        original=content,
        parts=tuple(parts),
        v1=("exact",) * BLOCKS,
        v2=("exact",) * BLOCKS,
        rate=60,
    )


LARGE_FILE = _turn()
