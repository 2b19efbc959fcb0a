"""Makes the helpers of this folder importable under pytest's importlib mode, and starts the loopback server."""

import asyncio
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
# Before any SDK is imported: none of them is to look for anything outside this machine.
os.environ.update(LITELLM_LOCAL_MODEL_COST_MAP="True", LANGSMITH_TRACING="false", LANGCHAIN_TRACING_V2="false")

from loopback import Loopback


@pytest.fixture(scope="session")
def server() -> Iterator[Loopback]:
    with Loopback() as running:
        yield running


@pytest.fixture(scope="module")
def leftovers() -> Iterator[None]:
    """Collect the sockets and loops that SDKs leave open, for modules in which warnings about them are ignored."""
    yield
    asyncio.set_event_loop(None)  # one of them leaves its own there
    gc.collect()
