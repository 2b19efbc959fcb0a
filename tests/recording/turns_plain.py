"""Turns whose SEARCH text is what the file says: several blocks, out of order, cut, called off, wrong, or twice."""

from __future__ import annotations

from turn import ARROWS, Edit, Reject, Turn

CLIENT = '''\
"""A small client for the parcel tracking API."""

import time
import requests

BASE_URL = "https://api.parcels.example/v2"


class ParcelError(Exception):
    """The API said no."""


def fetch(path, token, timeout=10):
    headers = {"Authorization": f"Bearer {token}"}
    response = requests.get(f"{BASE_URL}{path}", headers=headers, timeout=timeout)
    if response.status_code != 200:
        raise ParcelError(response.text)
    return response.json()


def track(number, token):
    data = fetch(f"/parcels/{number}", token)
    return data["status"]


def track_many(numbers, token):
    result = {}
    for number in numbers:
        result[number] = track(number, token)
        time.sleep(0.1)
    return result
'''

SEVERAL_BLOCKS = Turn(
    name="several_blocks",
    note="three blocks in one file, prose before, between and after",
    path="parcels/client.py",
    original=CLIENT,
    parts=(
        "I'll update the retry logic so that a 429 or a 5xx answer is tried again. The import for the jitter:\n\n",
        Edit("import time\nimport requests\n", "import random\nimport time\n\nimport requests\n"),
        "\nNow `fetch` itself. I keep the signature compatible and add `attempts` at the end:\n\n",
        Edit(
            "def fetch(path, token, timeout=10):\n"
            '    headers = {"Authorization": f"Bearer {token}"}\n'
            '    response = requests.get(f"{BASE_URL}{path}", headers=headers, timeout=timeout)\n'
            "    if response.status_code != 200:\n"
            "        raise ParcelError(response.text)\n"
            "    return response.json()\n",
            "def fetch(path, token, timeout=10, attempts=4):\n"
            '    headers = {"Authorization": f"Bearer {token}"}\n'
            "    for attempt in range(attempts):\n"
            '        response = requests.get(f"{BASE_URL}{path}", headers=headers, timeout=timeout)\n'
            "        if response.status_code == 200:\n"
            "            return response.json()\n"
            "        if response.status_code != 429 and response.status_code < 500:\n"
            "            break\n"
            "        time.sleep(2**attempt + random.random())\n"
            "    raise ParcelError(response.text)\n",
        ),
        "\nAnd the batch, which now reports an error per parcel:\n\n",
        Edit(
            "        result[number] = track(number, token)\n        time.sleep(0.1)\n",
            "        try:\n"
            "            result[number] = track(number, token)\n"
            "        except ParcelError as error:\n"
            '            result[number] = f"error: {error}"\n'
            "        time.sleep(0.1)\n",
        ),
        "\nThat's all three places. `track` needs no change, since it passes everything on to `fetch`.\n",
    ),
    v1=("exact", "exact", "exact"),
    rate=42,
)

CACHE_RS = """\
use std::collections::HashMap;
use std::time::{Duration, Instant};

pub struct Entry {
    value: Vec<u8>,
    stored: Instant,
}

pub struct Cache {
    entries: HashMap<String, Entry>,
    ttl: Duration,
}

impl Cache {
    pub fn new(ttl: Duration) -> Self {
        Cache {
            entries: HashMap::new(),
            ttl,
        }
    }

    pub fn get(&self, key: &str) -> Option<&[u8]> {
        self.entries.get(key).map(|entry| entry.value.as_slice())
    }

    pub fn put(&mut self, key: String, value: Vec<u8>) {
        self.entries.insert(key, Entry { value, stored: Instant::now() });
    }
}
"""

TOOL_ARGUMENT = Turn(
    name="tool_argument",
    note="a tool call's diff argument: nothing but blocks, in the older markers, blank lines between them",
    path="src/cache.rs",
    original=CACHE_RS,
    markers=ARROWS,
    parts=(
        Edit(
            "    value: Vec<u8>,\n    stored: Instant,\n}\n",
            "    value: Vec<u8>,\n"
            "    stored: Instant,\n"
            "}\n"
            "\n"
            "impl Entry {\n"
            "    fn is_fresh(&self, ttl: Duration) -> bool {\n"
            "        self.stored.elapsed() < ttl\n"
            "    }\n"
            "}\n",
        ),
        "\n",
        Edit(
            "        self.entries.get(key).map(|entry| entry.value.as_slice())\n",
            "        let entry = self.entries.get(key)?;\n"
            "        entry.is_fresh(self.ttl).then_some(entry.value.as_slice())\n",
        ),
        "\n",
        Edit(
            "        self.entries.insert(key, Entry { value, stored: Instant::now() });\n    }\n",
            "        self.entries.insert(key, Entry { value, stored: Instant::now() });\n"
            "    }\n"
            "\n"
            "    pub fn evict(&mut self) {\n"
            "        let ttl = self.ttl;\n"
            "        self.entries.retain(|_, entry| entry.is_fresh(ttl));\n"
            "    }\n",
        ),
    ),
    v1=("exact", "exact", "exact"),
    v2=("exact", "exact", "exact"),
    rate=55,
)

ROUTER = """\
import { Router } from "express";
import { OrderStore } from "./store";

export interface OrderRequest {
  customer: string;
  items: string[];
}

export function orders(store: OrderStore): Router {
  const router = Router();

  router.get("/:id", async (req, res) => {
    const order = await store.find(req.params.id);
    res.json(order);
  });

  router.post("/", async (req, res) => {
    const body = req.body as OrderRequest;
    const order = await store.create(body.customer, body.items);
    res.status(201).json(order);
  });

  return router;
}
"""

OUT_OF_ORDER = Turn(
    name="out_of_order",
    note="the block at the bottom comes first, then two above it",
    path="src/routes/orders.ts",
    original=ROUTER,
    parts=(
        "The handler for `POST /` trusts its body. I'll validate there first:\n\n",
        Edit(
            "    const body = req.body as OrderRequest;\n",
            "    const parsed = OrderRequest.safeParse(req.body);\n"
            "    if (!parsed.success) {\n"
            "      res.status(400).json({ error: parsed.error.issues });\n"
            "      return;\n"
            "    }\n"
            "    const body = parsed.data;\n",
        ),
        "\nFor that `OrderRequest` has to become a schema, so the import and the type at the top change too:\n\n",
        Edit(
            'import { Router } from "express";\n',
            'import { Router } from "express";\nimport { z } from "zod";\n',
        ),
        "\n",
        Edit(
            "export interface OrderRequest {\n  customer: string;\n  items: string[];\n}\n",
            "export const OrderRequest = z.object({\n"
            "  customer: z.string().min(1),\n"
            "  items: z.array(z.string()).nonempty(),\n"
            "});\n",
        ),
        "\nThe `GET` handler stays as it is.\n",
    ),
    v1=("exact", "exact_from_start", "exact_from_start"),
    rate=36,
)

NEW_FILE = Turn(
    name="new_file",
    note="an empty SEARCH in a file that does not exist yet",
    path="scripts/healthcheck.sh",
    original="",
    parts=(
        Edit(
            "",
            "#!/usr/bin/env bash\n"
            "# Exit 0 when the service answers within the deadline, 1 when it does not.\n"
            "set -euo pipefail\n"
            "\n"
            'url="${1:?usage: healthcheck.sh URL [SECONDS]}"\n'
            "deadline=$((SECONDS + ${2:-30}))\n"
            "\n"
            'until curl --silent --fail --max-time 2 "$url" > /dev/null; do\n'
            "  if ((SECONDS >= deadline)); then\n"
            '    echo "no answer from $url" >&2\n'
            "    exit 1\n"
            "  fi\n"
            "  sleep 1\n"
            "done\n"
            'echo "ok"\n',
            tier=None,
        ),
    ),
    v1=(None,),
    v2=(None,),
    rate=50,
)

QUEUE = """\
defmodule Mailer.Queue do
  @moduledoc "Holds mails until they are sent."

  use GenServer

  @retry_after 5_000

  def start_link(opts), do: GenServer.start_link(__MODULE__, opts, name: __MODULE__)

  def push(mail), do: GenServer.cast(__MODULE__, {:push, mail})

  @impl true
  def init(_opts), do: {:ok, []}

  @impl true
  def handle_cast({:push, mail}, mails) do
    send(self(), :deliver)
    {:noreply, [mail | mails]}
  end

  @impl true
  def handle_info(:deliver, [mail | rest]) do
    case Mailer.Smtp.deliver(mail) do
      :ok -> {:noreply, rest}
      {:error, _reason} -> {:noreply, [mail | rest]}
    end
  end
end
"""

_QUEUE_PARTS: tuple[str | Edit, ...] = (
    "Failed mails are put back but never tried again. I'll make the pause configurable first:\n\n",
    Edit("  @retry_after 5_000\n", "  @retry_after Application.compile_env(:mailer, :retry_after, 5_000)\n"),
    "\nThe queue should also keep the order in which the mails came:\n\n",
    Edit("    {:noreply, [mail | mails]}\n", "    {:noreply, mails ++ [mail]}\n"),
    "\nAnd the delivery schedules itself again after an error:\n\n",
    Edit(
        "      {:error, _reason} -> {:noreply, [mail | rest]}\n",
        "      {:error, _reason} ->\n"
        "        Process.send_after(self(), :deliver, @retry_after)\n"
        "        {:noreply, [mail | rest]}\n",
        status="rejected",
        tier=None,
        rejected=Reject("truncated", ("Block 3", "line 19")),
    ),
)

TRUNCATED = Turn(
    name="truncated",
    note="the connection breaks inside the third block's REPLACE",
    path="lib/mailer/queue.ex",
    original=QUEUE,
    parts=_QUEUE_PARTS,
    cut="Process.send_aft",
    reason="truncated",
    error="APIConnectionError: peer closed connection without sending complete message body",
    rate=30,
)

CANCELLED = Turn(
    name="cancelled",
    note="the user stops the turn while the third block's SEARCH is still coming",
    path="lib/mailer/queue.ex",
    original=QUEUE,
    parts=_QUEUE_PARTS,
    cut="      {:error, _rea",
    reason="cancelled",
    rate=30,
)

ORDERS = """\
package shop.orders;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

public final class OrderRepository {
    private final Map<Long, Order> orders = new HashMap<>();

    public void save(Order order) {
        orders.put(order.id(), order);
    }

    public Optional<Order> findById(long id) {
        Order order = orders.get(id);
        return Optional.ofNullable(order);
    }

    public int count() {
        return orders.size();
    }
}
"""

REJECTED = Turn(
    name="rejected",
    note="the second block quotes a line that is not in the file; the message says which",
    path="src/main/java/shop/orders/OrderRepository.java",
    original=ORDERS,
    parts=(
        "Two small changes make the repository safe for several threads. The map:\n\n",
        Edit(
            "    private final Map<Long, Order> orders = new HashMap<>();\n",
            "    private final Map<Long, Order> orders = new ConcurrentHashMap<>();\n",
        ),
        "\nThe lookup can then do without its local variable:\n\n",
        Edit(
            "",
            "",
            search="    public Optional<Order> findById(long id) {\n"
            "        Order order = this.orders.get(id);\n"
            "        return Optional.ofNullable(order);\n"
            "    }\n",
            replace="    public Optional<Order> findById(long id) {\n"
            "        return Optional.ofNullable(orders.get(id));\n"
            "    }\n",
            status="rejected",
            tier=None,
            rejected=Reject(
                "not_found", ("Block 2", "line 11", "this.orders.get(id);", "orders.get(id);", "14", "15"), (14,)
            ),
        ),
        "\nAnd the imports:\n\n",
        Edit(
            "import java.util.HashMap;\nimport java.util.Map;\nimport java.util.Optional;\n",
            "import java.util.Map;\nimport java.util.Optional;\nimport java.util.concurrent.ConcurrentHashMap;\n",
        ),
    ),
    rate=48,
)

CART_TEST = """\
import { describe, expect, it } from "vitest";
import { Cart } from "../src/cart";

describe("Cart", () => {
  it("adds an item", () => {
    const cart = new Cart();
    cart.add("apple", 2);
    expect(cart.total()).toBe(4);
  });

  it("removes an item", () => {
    const cart = new Cart();
    cart.add("apple", 2);
    cart.remove("apple");
    expect(cart.total()).toBe(0);
  });

  it("applies a voucher", () => {
    const cart = new Cart();
    cart.add("apple", 2);
    cart.apply("HALF");
    expect(cart.total()).toBe(2);
  });
});
"""

AMBIGUOUS = Turn(
    name="ambiguous",
    note="the only block fits in three places, and nothing says which is meant",
    path="test/cart.test.ts",
    original=CART_TEST,
    parts=(
        "`Cart` takes a currency now, so the test has to pass one:\n\n",
        Edit(
            "",
            "",
            search='    const cart = new Cart();\n    cart.add("apple", 2);\n',
            replace='    const cart = new Cart("EUR");\n    cart.add("apple", 2);\n',
            status="rejected",
            tier=None,
            rejected=Reject("ambiguous", ("Block 1", "line 3", "6", "12", "19"), matches=(6, 12, 19)),
        ),
    ),
    rate=26,
)

TURNS = (SEVERAL_BLOCKS, TOOL_ARGUMENT, OUT_OF_ORDER, NEW_FILE, TRUNCATED, CANCELLED, REJECTED, AMBIGUOUS)
