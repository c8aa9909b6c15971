"""From a server to a capture, and from a capture to a report: the order of the work, and nothing else."""
