"""What prefill does to decode on an LLM inference server, from its Prometheus history."""

__version__ = "0.1.0"
