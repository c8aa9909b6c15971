"""A real Prometheus on a loopback port, filled from series; for live tests."""

from __future__ import annotations

import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from census.capture.series import Series
from census.simulate.openmetrics import write_openmetrics


def backfill(series: Sequence[Series], folder: Path) -> Path:
    """Make a TSDB of series with promtool and return its folder."""
    data = folder / "data"
    for path in write_openmetrics(series, folder / "openmetrics"):
        done = subprocess.run(
            ["promtool", "tsdb", "create-blocks-from", "openmetrics", "-q", str(path), str(data)],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    return data


@contextmanager
def serve(data: Path, *, port: int | None = None) -> Iterator[str]:
    """Serve a TSDB by Prometheus on loopback; yield its address."""
    config = data.parent / "prometheus.yml"
    config.write_text("global: {scrape_interval: 15s}\n")
    port = port or _free_port()
    address = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [
            "prometheus",
            f"--config.file={config}",
            f"--storage.tsdb.path={data}",
            "--storage.tsdb.retention.time=100y",
            f"--web.listen-address=127.0.0.1:{port}",
            "--log.level=error",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def _wait(address: str, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        assert process.poll() is None, "Prometheus did not start"
        try:
            with urllib.request.urlopen(f"{address}/-/ready", timeout=2) as answer:
                if answer.status == 200:
                    return
        except (urllib.error.URLError, ConnectionError):
            pass
        time.sleep(0.05)
    raise AssertionError("Prometheus is not ready after 10 s")


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])
