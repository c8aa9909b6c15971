"""Census without a server at hand: the founding case, simulated, served on loopback, pulled like any other.

The world, its seed and its epoch are fixed, so the same version gives the same capture and the same report.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from census.model.window import Window
from census.pipeline.config import SourceSettings
from census.pipeline.pull import Pulled, PullRequest, prepare, pull
from census.simulate.engine import simulate
from census.simulate.founding import FOUNDING_SEED, founding
from census.simulate.server import serve
from census.sources.connection import Connection
from census.sources.fetch import Progress


def pull_demo(out: Path, *, hours: float, on_stage: Callable[[str], None], on_progress: Progress) -> Pulled:
    """Simulate the founding case, serve it on loopback, and pull it into ``out``, replacing what is there.

    Parameters
    ----------
    on_stage : told in words what is being done.
    """
    on_stage(f"simulating {hours:g} h of the founding case, step by step")
    run = simulate(founding(hours=hours), FOUNDING_SEED)
    window = Window(start_ms=run.start_ms, end_ms=run.end_ms)
    request = PullRequest(
        window=window,
        engine="auto",
        matchers=(),
        out=out,
        captures=out.parent,
        force=True,
        stats_url=None,
        stats_token_file=None,
        now_ms=window.end_ms,
    )
    on_stage("serving it as a Prometheus on loopback")
    with serve([run]) as url:
        access = SourceSettings(url=url).access()
        with Connection(access) as connection:
            prepared = prepare(request, access, connection)
            on_stage("pulling it")
            return pull(request, prepared, connection, on_progress=on_progress)
