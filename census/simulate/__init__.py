"""A step-level engine with planted truth, what it exposes, and a server to pull it from."""
