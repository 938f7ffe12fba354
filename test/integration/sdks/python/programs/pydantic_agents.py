import sys

from pydantic_ai import Agent, ModelRetry
from pydantic_ai.models.instrumented import InstrumentationSettings
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

import story

version = {"version": int(sys.argv[1])} if len(sys.argv) > 1 else {}
Agent.instrument_all(InstrumentationSettings(tracer_provider=story.provider(), **version))
model = OpenAIChatModel(
    story.MODEL, provider=OpenAIProvider(base_url=story.OPENAI_URL, api_key="none")
)
writer = Agent(model, name="writer", system_prompt=story.WRITER)
forecaster = Agent(model, name="forecaster", system_prompt=story.FORECASTER)


@forecaster.tool_plain
def get_weather(city: str) -> str:
    """The weather of a city."""
    try:
        return story.weather(city)
    except story.NoCity as error:
        raise ModelRetry(str(error)) from error


@forecaster.tool_plain
async def ask_writer(request: str) -> str:
    """Lets the writer write."""
    return (await writer.run(request)).output


forecaster.run_sync(story.QUESTION)
