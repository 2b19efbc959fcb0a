"""How Hypothesis runs: no deadlines, and the same cases every time where CI says so."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Machines that share their cores make a time limit per example, or on making one, a flaky test.
settings.register_profile("dev", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("dev"), derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "dev")
