"""The turn of the recording that ships in the package: a job runner that learns to retry."""

from __future__ import annotations

from turn import Edit, Turn

RUNNER = '''\
"""Run background jobs from a queue, one after the other, and keep a record of how each of them went."""

from __future__ import annotations

import json
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path

log = logging.getLogger(__name__)

Handler = Callable[[dict[str, object]], object]


@dataclass
class Job:
    """One piece of work: the name of its handler, and what the handler is called with."""

    name: str
    payload: dict[str, object] = field(default_factory=dict)


@dataclass
class Outcome:
    """How a job went: its result if it has one, or else the error."""

    job: str
    seconds: float
    result: object = None
    error: str | None = None

    @property
    def ok(self) -> bool:
        return self.error is None


class Runner:
    """Takes jobs from a queue and hands them to their handlers."""

    def __init__(self, history: Path | None = None) -> None:
        self.handlers: dict[str, Handler] = {}
        self.queue: deque[Job] = deque()
        self.outcomes: list[Outcome] = []
        self.history = history

    def handler(self, name: str) -> Callable[[Handler], Handler]:
        """Register the decorated function as the handler of jobs with this name."""

        def register(function: Handler) -> Handler:
            self.handlers[name] = function
            return function

        return register

    def submit(self, name: str, **payload: object) -> None:
        """Put a job at the end of the queue."""
        if name not in self.handlers:
            raise KeyError(f"no handler for {name!r}")
        self.queue.append(Job(name, payload))

    def run(self) -> list[Outcome]:
        """Work until the queue is empty, and give the outcomes in the order of the jobs."""
        while self.queue:
            job = self.queue.popleft()
            outcome = self.perform(job)
            self.outcomes.append(outcome)
            self.remember(outcome)
        return self.outcomes

    def perform(self, job: Job) -> Outcome:
        """Call the handler of one job. An exception is an outcome, too."""
        started = time.perf_counter()
        try:
            result = self.handlers[job.name](job.payload)
        except Exception as error:
            log.exception("%s failed", job.name)
            return Outcome(job.name, time.perf_counter() - started, error=str(error))
        return Outcome(job.name, time.perf_counter() - started, result)

    def remember(self, outcome: Outcome) -> None:
        """Append an outcome to the history file, if there is one."""
        if self.history is None:
            return
        with self.history.open("a") as file:
            file.write(json.dumps(asdict(outcome), default=str) + "\\n")

    def summary(self) -> str:
        """One line for the log: how many jobs went well, and how long all of them took."""
        good = sum(outcome.ok for outcome in self.outcomes)
        seconds = sum(outcome.seconds for outcome in self.outcomes)
        return f"{good} of {len(self.outcomes)} jobs in {seconds:.1f} s"


def main() -> None:
    runner = Runner(Path("history.jsonl"))

    @runner.handler("resize")
    def resize(payload: dict[str, object]) -> str:
        return f"resized {payload['image']} to {payload['width']} px"

    @runner.handler("mail")
    def mail(payload: dict[str, object]) -> str:
        return f"mailed {payload['to']}"

    runner.submit("resize", image="cat.png", width=640)
    runner.submit("mail", to="ada@example.org")
    runner.run()
    print(runner.summary())


if __name__ == "__main__":
    main()
'''

DEMO = Turn(
    name="demo",
    note="ships in the package: five blocks, one of them above the ones before it, one without its indentation",
    path="runner.py",
    original=RUNNER,
    parts=(
        "I'll let failed jobs be tried again. A job has to remember how often it was tried:\n\n",
        Edit(
            "    name: str\n    payload: dict[str, object] = field(default_factory=dict)\n",
            "    name: str\n"
            "    payload: dict[str, object] = field(default_factory=dict)\n"
            "    attempts: int = 3\n"
            "    tried: int = 0\n",
        ),
        "\n`run` then puts a failed job back, after a pause that doubles with every attempt:\n\n",
        Edit(
            "            outcome = self.perform(job)\n"
            "            self.outcomes.append(outcome)\n"
            "            self.remember(outcome)\n",
            "            job.tried += 1\n"
            "            outcome = self.perform(job)\n"
            "            if not outcome.ok and job.tried < job.attempts:\n"
            "                time.sleep(self.pause(job))\n"
            "                self.queue.appendleft(job)\n"
            "                continue\n"
            "            self.outcomes.append(outcome)\n"
            "            self.remember(outcome)\n",
        ),
        "\nThe pause gets some jitter, so this needs another import at the top:\n\n",
        Edit("import logging\nimport time\n", "import logging\nimport random\nimport time\n"),
        "\nThe method itself goes before `remember`:\n\n",
        Edit(
            "    def remember(self, outcome: Outcome) -> None:\n"
            '        """Append an outcome to the history file, if there is one."""\n'
            "        if self.history is None:\n"
            "            return\n",
            "    def pause(self, job: Job) -> float:\n"
            '        """Seconds to wait before the next attempt: twice as long each time, never quite the same."""\n'
            "        return 0.1 * 2**job.tried + random.uniform(0, 0.1)\n"
            "\n"
            "    def remember(self, outcome: Outcome) -> None:\n"
            '        """Append an outcome to the history file, if there is one."""\n'
            "        if self.history is None:\n"
            "            return\n",
            search="def remember(self, outcome: Outcome) -> None:\n"
            '    """Append an outcome to the history file, if there is one."""\n'
            "    if self.history is None:\n"
            "        return\n",
            replace="def pause(self, job: Job) -> float:\n"
            '    """Seconds to wait before the next attempt: twice as long each time, never quite the same."""\n'
            "    return 0.1 * 2**job.tried + random.uniform(0, 0.1)\n"
            "\n"
            "def remember(self, outcome: Outcome) -> None:\n"
            '    """Append an outcome to the history file, if there is one."""\n'
            "    if self.history is None:\n"
            "        return\n",
            tier="indent",
        ),
        "\nFinally, the summary should name what failed for good:\n\n",
        Edit(
            '        return f"{good} of {len(self.outcomes)} jobs in {seconds:.1f} s"\n',
            "        failed = [outcome.job for outcome in self.outcomes if not outcome.ok]\n"
            '        text = f"{good} of {len(self.outcomes)} jobs in {seconds:.1f} s"\n'
            "        return f\"{text}, failed: {', '.join(failed)}\" if failed else text\n",
        ),
        "\nThat's it: three attempts by default, and nothing changes for jobs that go well.\n",
    ),
    rate=48,
)
