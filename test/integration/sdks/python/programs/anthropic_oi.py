from anthropic import Anthropic
from openinference.instrumentation.anthropic import AnthropicInstrumentor

import story

AnthropicInstrumentor().instrument(tracer_provider=story.provider())
client = Anthropic(base_url=story.URL, api_key="none", max_retries=0)
TOOLS = [
    {
        "name": "get_weather",
        "description": "The weather of a city.",
        "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
]


def ask(messages):
    return client.messages.create(
        model="claude-sonnet-4-5",
        max_tokens=1000,
        system=story.FORECASTER,
        messages=messages,
        tools=TOOLS,
    )


messages = [{"role": "user", "content": story.QUESTION}]
first = ask(messages)
messages.append({"role": "assistant", "content": [part.model_dump() for part in first.content]})
results = []
for part in first.content:
    if part.type != "tool_use":
        continue
    try:
        said, failed = story.weather(part.input["city"]), False
    except story.NoCity as error:
        said, failed = str(error), True
    results.append({"type": "tool_result", "tool_use_id": part.id, "content": said, "is_error": failed})
messages.append({"role": "user", "content": results})
ask(messages)
