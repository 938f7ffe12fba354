"""An agent that thinks without an end, and stops when somebody asks it to: python3 agent.py [URL]"""

import json
import os
import sys
import threading
import time
import urllib.request
import uuid

URL = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:9000"
TOKEN = os.environ.get("EXPLAINABILITY_AGENT_TOKEN")
AGENT, TASK = "CounterAgent", f"count-{os.getpid()}"
HEADERS = {"content-type": "application/json", **({"authorization": f"Bearer {TOKEN}"} if TOKEN else {})}
asked = {}  # the interrupt, when it has come
waiting, stopping = threading.Event(), threading.Event()


def tell(path, **said):
    body = json.dumps(said).encode()
    urllib.request.urlopen(urllib.request.Request(f"{URL}/api/{path}", body, HEADERS), timeout=10).read()


def wait_for_interrupts():
    """Waits on the control stream, and again when it is lost. What was told before comes under the same id."""
    path = f"{URL}/api/control?agent={AGENT}&taskId={TASK}&instance={uuid.uuid4()}"
    while not stopping.is_set():
        try:
            # The service says something every 15 seconds: a stream that is silent for longer is lost.
            with urllib.request.urlopen(urllib.request.Request(path, headers=HEADERS), timeout=45) as stream:
                for line in stream:
                    if line.startswith(b"data: "):
                        hear(json.loads(line[6:]))
        except OSError as error:
            print(f"the control stream is lost: {error}", file=sys.stderr)
        time.sleep(1)


def hear(frame):
    if frame["type"] == "waiting":
        waiting.set()
    if frame["type"] == "interrupt":
        if not asked:
            print(f"asked to stop by {frame['by']}: {frame['reason']}", flush=True)
        asked.update(frame)
        tell("control", id=frame["id"], status="stopping", message="after this number")
        stopping.set()


threading.Thread(target=wait_for_interrupts, daemon=True).start()
waiting.wait()
print(f"{TASK} runs", flush=True)
number = 0
about = {"agent": AGENT, "taskId": TASK, "requestId": TASK}
while not stopping.wait(0.1):
    number += 1
    tell("cot", timestamp=time.time() * 1000, tokens=[f"Number {number} is not the last one. "], **about)
tell("cot", timestamp=time.time() * 1000, tokens=["I stop here."], final=True, **about)
# What comes of an interrupt names the node that shows it.
cause = {"nodeId": asked["interruptNodeId"], "taskId": TASK, "number": number}
tell("events", timestamp=time.time() * 1000, eventType="AgentStopped", component=AGENT, payload=cause)
print("stopped", flush=True)
