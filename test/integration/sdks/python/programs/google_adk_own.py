import asyncio
import json
import urllib.request

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmResponse
from google.adk.runners import InMemoryRunner
from google.genai import types

import story

story.provider()


class Model(BaseLlm):
    """Gemini's place is taken by the model of the story."""

    async def generate_content_async(self, llm_request, stream=False):
        asked = {"model": self.model, "messages": messages_of(llm_request), "tools": tools_of(llm_request)}
        request = urllib.request.Request(
            story.OPENAI_URL + "/chat/completions",
            json.dumps(asked).encode(),
            {"content-type": "application/json"},
        )
        said = json.load(urllib.request.urlopen(request))
        yield response_of(said["choices"][0]["message"], said["usage"])


def messages_of(request):
    system = request.config.system_instruction or ""
    messages = [{"role": "system", "content": str(system)}]
    for content in request.contents:
        for part in content.parts:
            if part.function_call:
                call = {"function": {"name": part.function_call.name}}
                messages.append({"role": "assistant", "tool_calls": [call]})
            elif part.text:
                messages.append({"role": content.role, "content": part.text})
    return messages


def tools_of(request):
    return [{"function": {"name": name}} for name in request.tools_dict]


def response_of(message, usage):
    parts = [types.Part(text=message["reasoning_content"], thought=True)]
    for call in message.get("tool_calls", []):
        made = types.FunctionCall(
            id=call["id"],
            name=call["function"]["name"],
            args=json.loads(call["function"]["arguments"]),
        )
        parts.append(types.Part(function_call=made))
    if message["content"]:
        parts.append(types.Part(text=message["content"]))
    counted = types.GenerateContentResponseUsageMetadata(
        prompt_token_count=usage["prompt_tokens"],
        candidates_token_count=usage["completion_tokens"],
        total_token_count=usage["total_tokens"],
    )
    return LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=counted)


def get_weather(city: str) -> dict:
    """The weather of a city."""
    try:
        return {"weather": story.weather(city)}
    except story.NoCity as error:
        return {"status": "error", "error": str(error)}


model = Model(model="gemini-2.5-flash")
writer = LlmAgent(name="writer", model=model, instruction=story.WRITER, description="Writes.")
forecaster = LlmAgent(
    name="forecaster",
    model=model,
    instruction=story.FORECASTER,
    tools=[get_weather],
    sub_agents=[writer],
)


async def main():
    runner = InMemoryRunner(agent=forecaster, app_name="weather")
    await runner.session_service.create_session(app_name="weather", user_id="user-7", session_id="session-7")
    said = types.Content(role="user", parts=[types.Part(text=story.QUESTION)])
    async for _ in runner.run_async(user_id="user-7", session_id="session-7", new_message=said):
        pass


asyncio.run(main())
