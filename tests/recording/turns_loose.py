"""Turns whose SEARCH text is not quite the file: indentation, line ends, quotes, entities, markers as content."""

from __future__ import annotations

from turn import ARROWS, Edit, Turn

ACCOUNT = '''\
from decimal import Decimal

from .rates import Rates


class Account:
    """What one customer owes us."""

    def __init__(self, owner, rates=None):
        self.owner = owner
        self.rates = rates or Rates()
        self.total = Decimal(0)

    def charge(self, amount):
        if amount <= 0:
            raise ValueError("amount")
        self.total += amount

    def refund(self, amount):
        if amount > self.total:
            raise ValueError("refund exceeds total")
        self.total -= amount

    def __repr__(self):
        return f"<Account {self.owner} {self.total}>"
'''

LOST_INDENT = Turn(
    name="lost_indent",
    note="one block lost the indent of its first line, one the indent of the whole method",
    path="billing/account.py",
    original=ACCOUNT,
    parts=(
        "Charging should accept a currency. The conversion is already in `Rates`, so this is short:\n\n",
        Edit(
            "    def charge(self, amount):\n"
            "        if amount <= 0:\n"
            '            raise ValueError("amount")\n'
            "        self.total += amount\n",
            '    def charge(self, amount, currency="EUR"):\n'
            "        if amount <= 0:\n"
            '            raise ValueError(f"amount must be positive, not {amount}")\n'
            "        self.total += self.rates.convert(amount, currency)\n",
            search="def charge(self, amount):\n"
            "        if amount <= 0:\n"
            '            raise ValueError("amount")\n'
            "        self.total += amount\n",
            replace='def charge(self, amount, currency="EUR"):\n'
            "        if amount <= 0:\n"
            '            raise ValueError(f"amount must be positive, not {amount}")\n'
            "        self.total += self.rates.convert(amount, currency)\n",
            tier="first_line_indent",
        ),
        "\nThe same for refunds, and here I'd rather return what is left than nothing:\n\n",
        Edit(
            "    def refund(self, amount):\n"
            "        if amount > self.total:\n"
            '            raise ValueError("refund exceeds total")\n'
            "        self.total -= amount\n",
            '    def refund(self, amount, currency="EUR"):\n'
            "        amount = self.rates.convert(amount, currency)\n"
            "        if amount > self.total:\n"
            '            raise ValueError("refund exceeds total")\n'
            "        self.total -= amount\n"
            "        return self.total\n",
            search="def refund(self, amount):\n"
            "    if amount > self.total:\n"
            '        raise ValueError("refund exceeds total")\n'
            "    self.total -= amount\n",
            replace='def refund(self, amount, currency="EUR"):\n'
            "    amount = self.rates.convert(amount, currency)\n"
            "    if amount > self.total:\n"
            '        raise ValueError("refund exceeds total")\n'
            "    self.total -= amount\n"
            "    return self.total\n",
            tier="indent",
        ),
        "\nFinally the representation, so that a log line shows the currency:\n\n",
        Edit(
            '        return f"<Account {self.owner} {self.total}>"\n',
            '        return f"<Account {self.owner} {self.total} EUR>"\n',
        ),
    ),
    rate=38,
)

SERVER_GO = """\
package main

import (
\t"log"
\t"net/http"
)

func handler(w http.ResponseWriter, r *http.Request) {
\tif r.Method != http.MethodGet {
\t\thttp.Error(w, "method not allowed", http.StatusMethodNotAllowed)
\t\treturn
\t}
\tw.Write([]byte("ok"))
}

func main() {
\thttp.HandleFunc("/health", handler)
\tlog.Fatal(http.ListenAndServe(":8080", nil))
}
"""

SPACES_FOR_TABS = Turn(
    name="spaces_for_tabs",
    note="a Go file indented with tabs, and a model that writes four spaces",
    path="cmd/server/main.go",
    original=SERVER_GO,
    parts=(
        "I'll give the health check a JSON body and a content type:\n\n",
        Edit(
            "\tif r.Method != http.MethodGet {\n"
            '\t\thttp.Error(w, "method not allowed", http.StatusMethodNotAllowed)\n'
            "\t\treturn\n"
            "\t}\n"
            '\tw.Write([]byte("ok"))\n',
            "\tif r.Method != http.MethodGet && r.Method != http.MethodHead {\n"
            '\t\tw.Header().Set("Allow", "GET, HEAD")\n'
            '\t\thttp.Error(w, "method not allowed", http.StatusMethodNotAllowed)\n'
            "\t\treturn\n"
            "\t}\n"
            '\tw.Header().Set("Content-Type", "application/json")\n'
            '\tif _, err := w.Write([]byte(`{"status":"ok"}`)); err != nil {\n'
            '\t\tlog.Printf("health check: %v", err)\n'
            "\t}\n",
            search="    if r.Method != http.MethodGet {\n"
            '        http.Error(w, "method not allowed", http.StatusMethodNotAllowed)\n'
            "        return\n"
            "    }\n"
            '    w.Write([]byte("ok"))\n',
            replace="    if r.Method != http.MethodGet && r.Method != http.MethodHead {\n"
            '        w.Header().Set("Allow", "GET, HEAD")\n'
            '        http.Error(w, "method not allowed", http.StatusMethodNotAllowed)\n'
            "        return\n"
            "    }\n"
            '    w.Header().Set("Content-Type", "application/json")\n'
            '    if _, err := w.Write([]byte(`{"status":"ok"}`)); err != nil {\n'
            '        log.Printf("health check: %v", err)\n'
            "    }\n",
            tier="indent",
        ),
    ),
    rate=58,
)

INVOICE_CS = """\
using System;

namespace Shop.Billing
{
    public sealed class Invoice
    {
        public string Name { get; }
        public decimal Net { get; }

        public Invoice(string name, decimal net)
        {
            Name = name;
            Net = net;
        }

        public decimal Gross => Net * 1.19m;

        public override string ToString() => Name;
    }
}""".replace("\n", "\r\n")

CRLF = Turn(
    name="crlf",
    note="a file with CRLF and no newline at its end; the model writes LF, and the file keeps its own",
    path="src/Billing/Invoice.cs",
    original=INVOICE_CS,
    parts=(
        "The tax rate should not be hard-coded. I'll pass it in:\n\n",
        Edit(
            "        public decimal Net { get; }\r\n",
            "        public decimal Net { get; }\r\n        public decimal TaxRate { get; }\r\n",
        ),
        "\n",
        Edit(
            "        public Invoice(string name, decimal net)\r\n"
            "        {\r\n"
            "            Name = name;\r\n"
            "            Net = net;\r\n"
            "        }\r\n"
            "\r\n"
            "        public decimal Gross => Net * 1.19m;\r\n",
            "        public Invoice(string name, decimal net, decimal taxRate = 0.19m)\r\n"
            "        {\r\n"
            "            if (net < 0) throw new ArgumentOutOfRangeException(nameof(net));\r\n"
            "            Name = name;\r\n"
            "            Net = net;\r\n"
            "            TaxRate = taxRate;\r\n"
            "        }\r\n"
            "\r\n"
            "        public decimal Gross => Net * (1 + TaxRate);\r\n",
        ),
        "\nAnd a more helpful `ToString`, at the very end of the file:\n\n",
        Edit(
            "        public override string ToString() => Name;\r\n    }\r\n}",
            '        public override string ToString() => $"{Name}: {Gross:0.00}";\r\n    }\r\n}',
        ),
    ),
    rate=45,
)

README_MD = """\
Tidepool
========

A command line for tide tables.

Install
=======

Download the archive and unpack it:

    tar xf tidepool.tar.gz

Usage
=====

    tidepool HARBOUR [DATE]

Times are UTC.
"""

SETEXT_HEADINGS = Turn(
    name="setext_headings",
    note="Markdown headings underlined with as many = as the divider has, in SEARCH and in REPLACE",
    path="README.md",
    original=README_MD,
    parts=(
        "The archive is gone since 2.0; the section should name the package instead.\n\n",
        Edit(
            "Install\n=======\n\nDownload the archive and unpack it:\n\n    tar xf tidepool.tar.gz\n",
            "Install\n=======\n\nTidepool is on PyPI:\n\n    pipx install tidepool\n",
        ),
        "\nThe time zone can be chosen now, too:\n\n",
        Edit(
            "Usage\n=====\n\n    tidepool HARBOUR [DATE]\n\nTimes are UTC.\n",
            "Usage\n"
            "=====\n"
            "\n"
            "    tidepool HARBOUR [DATE] [--zone ZONE]\n"
            "\n"
            "Times are UTC, or in the zone that `--zone` names.\n",
        ),
    ),
    rate=33,
)

LIMITS_JS = """\
export const limits = {
  window: 60_000,
<<<<<<< HEAD
  requests: 100,
  burst: 20,
=======
  requests: 250,
>>>>>>> feature/higher-limits
  message: "slow down",
};

export function allow(count, started, now) {
  return now - started > limits.window || count < limits.requests;
}
"""

CONFLICT_MARKERS = Turn(
    name="conflict_markers",
    note="resolves a merge conflict whose markers look like a block's own",
    path="src/limits.js",
    original=LIMITS_JS,
    parts=(
        "Both sides have a point: the higher limit from the branch, and `burst` from main. I'll keep both.\n\n",
        Edit(
            "<<<<<<< HEAD\n  requests: 100,\n  burst: 20,\n=======\n  requests: 250,\n>>>>>>> feature/higher-limits\n",
            "  requests: 250,\n  burst: 20,\n",
        ),
        "\nWith `burst` back, `allow` can use it:\n\n",
        Edit(
            "  return now - started > limits.window || count < limits.requests;\n",
            "  const fresh = now - started > limits.window;\n"
            "  return fresh || count < limits.requests + limits.burst;\n",
        ),
    ),
    rate=29,
)

# The second é of "Café" is an e with a combining accent, as some editors on macOS save it.
MESSAGES_PY = """\
MESSAGES = {
    "welcome": "Willkommen im Caf\u00e9 \u201eM\u00f6we\u201c \U0001f680",
    "closed": "Wir haben geschlossen \u2013 bis morgen!",
    "sorry": "Das hat leider nicht geklappt. Versuch\u2019s noch einmal.",
    "team": "Dein Team \U0001f469\u200d\U0001f4bb\U0001f468\u200d\U0001f373",
    "address": "Cafe\u0301 M\u00f6we, Hafenstra\u00dfe 3",
}


def message(key, **values):
    return MESSAGES[key].format(**values)
"""

UNICODE = Turn(
    name="unicode",
    note="the model types plain quotes, dashes and composed accents where the file has typographic and combining ones",
    path="cafe/messages.py",
    original=MESSAGES_PY,
    parts=(
        "I'll add the opening time to the “closed” message \u2014 and leave the line after it alone:\n\n",
        Edit(
            '    "closed": "Wir haben geschlossen \u2013 bis morgen!",\n'
            '    "sorry": "Das hat leider nicht geklappt. Versuch\u2019s noch einmal.",\n',
            '    "closed": "Wir haben geschlossen - bis morgen um {opens} Uhr!",\n'
            '    "sorry": "Das hat leider nicht geklappt. Versuch\u2019s noch einmal.",\n',
            search='    "closed": "Wir haben geschlossen - bis morgen!",\n'
            '    "sorry": "Das hat leider nicht geklappt. Versuch\'s noch einmal.",\n',
            replace='    "closed": "Wir haben geschlossen - bis morgen um {opens} Uhr!",\n'
            '    "sorry": "Das hat leider nicht geklappt. Versuch\'s noch einmal.",\n',
            tier="unicode",
        ),
        "\nThe team has grown \U0001f389:\n\n",
        Edit(
            '    "team": "Dein Team \U0001f469\u200d\U0001f4bb\U0001f468\u200d\U0001f373",\n',
            '    "team": "Dein Team \U0001f469\u200d\U0001f4bb\U0001f468\u200d\U0001f373\U0001f9d1\u200d\U0001f33e",\n',
        ),
        "\nAnd the new address:\n\n",
        Edit(
            '    "address": "Cafe\u0301 M\u00f6we, Hafenstra\u00dfe 3",\n',
            '    "address": "Caf\u00e9 M\u00f6we, Hafenstra\u00dfe 5",\n',
            search='    "address": "Caf\u00e9 M\u00f6we, Hafenstra\u00dfe 3",\n',
            replace='    "address": "Caf\u00e9 M\u00f6we, Hafenstra\u00dfe 5",\n',
            tier="unicode",
        ),
    ),
    rate=24,
)

TOOLBAR_TSX = """\
import { Button } from "./button";

type Props = { dirty: boolean; save: () => void };

export function Toolbar({ dirty, save }: Props) {
  return (
    <nav className="toolbar">
      {dirty && <Button onClick={() => save()}>Save</Button>}
    </nav>
  );
}
"""

ENTITIES = Turn(
    name="entities",
    note="a model that writes &lt; for <: one block has to be decoded, the other one must not be",
    path="src/toolbar.tsx",
    original=TOOLBAR_TSX,
    markers=ARROWS,
    parts=(
        "The button should be visible but disabled while there is nothing to save.\n\n",
        Edit(
            "      {dirty && <Button onClick={() => save()}>Save</Button>}\n",
            "      <Button disabled={!dirty} onClick={save}>Save &amp; go</Button>\n",
            search="      {dirty &amp;&amp; &lt;Button onClick={() =&gt; save()}&gt;Save&lt;/Button&gt;}\n",
            replace="      &lt;Button disabled={!dirty} onClick={save}&gt;Save &amp;amp; go&lt;/Button&gt;\n",
            tier="entities",
        ),
        "\nThe type gets a comment:\n\n",
        Edit(
            "type Props = { dirty: boolean; save: () => void };\n",
            "/** What the toolbar needs to know: is there anything to save, and how? */\n"
            "type Props = { dirty: boolean; save: () => void };\n",
        ),
    ),
    rate=52,
)

TURNS = (LOST_INDENT, SPACES_FOR_TABS, CRLF, SETEXT_HEADINGS, CONFLICT_MARKERS, UNICODE, ENTITIES)
