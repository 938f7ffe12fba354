import json
import time

import litellm

import story

story.provider()
litellm.callbacks = ["otel"]
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
    answer = litellm.completion(
        model="openai/" + story.MODEL,
        api_base=story.OPENAI_URL,
        api_key="none",
        messages=messages,
        tools=TOOLS,
        max_retries=0,
    )
    return answer.choices[0].message


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
# Its spans are written by a thread of its own.
time.sleep(2)
