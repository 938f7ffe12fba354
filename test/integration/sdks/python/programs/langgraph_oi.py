from langchain_core.messages import HumanMessage, SystemMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode
from openinference.instrumentation.langchain import LangChainInstrumentor

import story

LangChainInstrumentor().instrument(tracer_provider=story.provider())


@tool
def get_weather(city: str) -> str:
    """The weather of a city."""
    return story.weather(city)


model = ChatOpenAI(model=story.MODEL, base_url=story.OPENAI_URL, api_key="none", max_retries=0)
forecasting = model.bind_tools([get_weather])


def forecaster(state):
    return {"messages": [forecasting.invoke([SystemMessage(story.FORECASTER), *state["messages"]])]}


def writer(state):
    return {"messages": [model.invoke([SystemMessage(story.WRITER), *state["messages"]])]}


graph = StateGraph(MessagesState)
graph.add_node("forecaster", forecaster)
graph.add_node("tools", ToolNode([get_weather], handle_tool_errors=True))
graph.add_node("writer", writer)
graph.add_edge(START, "forecaster")
graph.add_conditional_edges("forecaster", lambda s: "tools" if s["messages"][-1].tool_calls else "writer")
graph.add_edge("tools", "forecaster")
graph.add_edge("writer", END)
graph.compile().invoke(
    {"messages": [HumanMessage(story.QUESTION)]},
    {"configurable": {"thread_id": "thread-7"}, "metadata": {"user_id": "user-7"}},
)
