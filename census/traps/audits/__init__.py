"""The audits that stand in every report, whether they find anything or not."""

from __future__ import annotations

from census.model.census import Audits
from census.traps.audits.duplicate_rows import audit_duplicates
from census.traps.audits.gauge_rows import audit_dilution, audit_gauges
from census.traps.audits.histogram_rows import audit_histograms
from census.traps.audits.liveness_rows import audit_liveness
from census.traps.audits.name_rows import audit_names
from census.traps.audits.scrape_rows import audit_scrapes
from census.traps.evidence import Evidence

__all__ = ["audit"]


def audit(evidence: Evidence) -> Audits:
    """Return all audits of one engine."""
    return Audits(
        names=audit_names(evidence),
        scrapes=audit_scrapes(evidence),
        liveness=audit_liveness(evidence),
        gauges=audit_gauges(evidence),
        dilution=audit_dilution(evidence),
        histograms=audit_histograms(evidence),
        duplicates=audit_duplicates(evidence),
    )
