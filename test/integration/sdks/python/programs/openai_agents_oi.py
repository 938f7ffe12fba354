from agents import Agent, Runner, function_tool, set_default_openai_client
from openai import AsyncOpenAI
from openinference.instrumentation.openai_agents import OpenAIAgentsInstrumentor

import story

OpenAIAgentsInstrumentor().instrument(tracer_provider=story.provider())
set_default_openai_client(AsyncOpenAI(base_url=story.OPENAI_URL, api_key="none", max_retries=0), False)


@function_tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return story.weather(city)


writer = Agent(name="writer", instructions=story.WRITER, model=story.MODEL)
forecaster = Agent(
    name="forecaster",
    instructions=story.FORECASTER,
    tools=[get_weather],
    handoffs=[writer],
    model=story.MODEL,
)
Runner.run_sync(forecaster, story.QUESTION)
