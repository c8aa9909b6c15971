"""The questions of a report, in reading order."""
