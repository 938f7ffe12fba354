import json

from openai import OpenAI
from openinference.instrumentation.openai import OpenAIInstrumentor

import story

OpenAIInstrumentor().instrument(tracer_provider=story.provider())
client = OpenAI(base_url=story.OPENAI_URL, api_key="none", max_retries=0)
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
        },
    }
]


def ask(messages):
    return client.chat.completions.create(model=story.MODEL, messages=messages, tools=TOOLS).choices[0].message


messages = [{"role": "system", "content": story.FORECASTER}, {"role": "user", "content": story.QUESTION}]
first = ask(messages)
messages.append(first.model_dump(exclude_none=True))
for call in first.tool_calls:
    try:
        said = story.weather(json.loads(call.function.arguments)["city"])
    except story.NoCity as error:
        said = f"error: {error}"
    messages.append({"role": "tool", "tool_call_id": call.id, "content": said})
ask(messages)
