from strands import Agent, tool
from strands.models.openai import OpenAIModel

import story

story.provider()
model = OpenAIModel(
    client_args={"base_url": story.OPENAI_URL, "api_key": "none", "max_retries": 0}, model_id=story.MODEL
)


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return story.weather(city)


writer = Agent(model=model, name="writer", system_prompt=story.WRITER, callback_handler=None)


@tool
def ask_writer(request: str) -> str:
    """Lets the writer write."""
    return str(writer(request))


forecaster = Agent(
    model=model,
    name="forecaster",
    system_prompt=story.FORECASTER,
    tools=[get_weather, ask_writer],
    callback_handler=None,
)
forecaster(story.QUESTION)
