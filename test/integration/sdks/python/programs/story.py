"""What every program shares: where telemetry goes, the tool, and the words of the story."""

import os

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

QUESTION = "What is the weather in Paris and in Atlantis?"
FORECASTER = "You are the forecaster. Use the tools."
WRITER = "You are the writer. Write the answer in one sentence."
MODEL = "gpt-4o-mini"
URL = os.environ["MODELS_URL"]
OPENAI_URL = URL + "/v1"


class NoCity(Exception):
    pass


def weather(city: str) -> str:
    if city != "Paris":
        raise NoCity(f"no such city: {city}")
    return "sunny, 18 C"


def provider() -> TracerProvider:
    """The global provider; every span leaves when it ends."""
    made = TracerProvider(resource=Resource.create({"service.name": "weather"}))
    made.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(made)
    return made
