"""A real Prometheus on a loopback port, filled from series by promtool; ends with the test session."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from census.capture.series import Series
from census.simulate.openmetrics import write_openmetrics

CONFIG = "global: {scrape_interval: 15s}\n"


@dataclass
class PrometheusFactory:
    """Serves series: ``factory(series)`` returns the address of a Prometheus that holds them."""

    root: Path
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __call__(
        self,
        series: Sequence[Series] = (),
        *,
        openmetrics: Sequence[Path] = (),
        flags: Sequence[str] = (),
        config: str = CONFIG,
    ) -> str:
        """Backfill series, or OpenMetrics files, and serve them until the session ends."""
        folder = Path(tempfile.mkdtemp(dir=self.root))
        files = (*openmetrics, *write_openmetrics(series, folder / "openmetrics"))
        for path in files:
            make_blocks = ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q"]
            done = subprocess.run(
                [*make_blocks, str(path), str(folder / "data")],
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
        (folder / "prometheus.yml").write_text(config)
        address = f"127.0.0.1:{free_port()}"
        process = subprocess.Popen(
            [
                "prometheus",
                f"--config.file={folder / 'prometheus.yml'}",
                f"--storage.tsdb.path={folder / 'data'}",
                "--storage.tsdb.retention.time=100y",
                f"--web.listen-address={address}",
                "--log.level=error",
                *flags,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.running.append(process)
        wait_ready(f"http://{address}", process)
        return f"http://{address}"

    def close(self) -> None:
        """End every server that was started."""
        for process in self.running:
            process.terminate()
        for process in self.running:
            process.wait(timeout=20)
        shutil.rmtree(self.root, ignore_errors=True)


def require_prometheus() -> None:
    """Skip where the machine has no Prometheus, fail where it must have one."""
    missing = [name for name in ("prometheus", "promtool") if shutil.which(name) is None]
    if not missing:
        return
    if os.environ.get("CENSUS_REQUIRE_LIVE") == "1":
        pytest.fail(f"{' and '.join(missing)} missing, and CENSUS_REQUIRE_LIVE=1")
    pytest.skip(f"{' and '.join(missing)} not installed (apt-get install prometheus)")


def wait_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a Prometheus answers, at most ten seconds."""
    for _ in range(200):
        assert process.poll() is None, "Prometheus did not start"
        try:
            with urllib.request.urlopen(f"{url}/-/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.05)
    raise AssertionError("Prometheus is not ready after 10 s")


def free_port() -> int:
    """Return a loopback port that nobody listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
