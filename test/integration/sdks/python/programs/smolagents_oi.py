from openinference.instrumentation.smolagents import SmolagentsInstrumentor
from smolagents import OpenAIServerModel, ToolCallingAgent, tool

import story

SmolagentsInstrumentor().instrument(tracer_provider=story.provider())


@tool
def get_weather(city: str) -> str:
    """The weather of a city.

    Args:
        city: its name
    """
    try:
        return story.weather(city)
    except story.NoCity as error:
        return f"error: {error}"


model = OpenAIServerModel(model_id=story.MODEL, api_base=story.OPENAI_URL, api_key="none")
agent = ToolCallingAgent(tools=[get_weather], model=model, name="forecaster", description="Knows.", max_steps=4)
agent.run(story.QUESTION)
