import asyncio

from llama_index.core.agent.workflow import AgentWorkflow, FunctionAgent
from llama_index.llms.openai import OpenAI
from openinference.instrumentation.llama_index import LlamaIndexInstrumentor

import story

LlamaIndexInstrumentor().instrument(tracer_provider=story.provider())


def get_weather(city: str) -> str:
    """The weather of a city."""
    return story.weather(city)


async def main():
    llm = OpenAI(model=story.MODEL, api_base=story.OPENAI_URL, api_key="none", max_retries=0)
    forecaster = FunctionAgent(
        name="forecaster",
        description="Knows the weather.",
        system_prompt=story.FORECASTER,
        tools=[get_weather],
        llm=llm,
        streaming=False,
    )
    await AgentWorkflow(agents=[forecaster], root_agent="forecaster").run(user_msg=story.QUESTION)


asyncio.run(main())
