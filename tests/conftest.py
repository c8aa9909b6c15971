"""Fixtures that several test areas share; puts this folder on the import path, for the factories in it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from live_prometheus import PrometheusFactory, require_prometheus


@pytest.fixture(scope="session")
def prometheus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PrometheusFactory]:
    """Give a factory of real Prometheus servers; mark tests that use it ``live``."""
    require_prometheus()
    factory = PrometheusFactory(root=tmp_path_factory.mktemp("prometheus"))
    yield factory
    factory.close()
