"""Asks people whether it may go on, and waits for their answer: python3 ask.py QUESTION [URL]"""

import json
import os
import sys
import time
import urllib.error
import urllib.request

QUESTION = sys.argv[1] if len(sys.argv) > 1 else "May I go on?"
URL = sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:9000"
TOKEN = os.environ.get("EXPLAINABILITY_AGENT_TOKEN")
HEADERS = {"content-type": "application/json", **({"authorization": f"Bearer {TOKEN}"} if TOKEN else {})}
ABOUT = {"agent": "AskingAgent", "taskId": f"ask-{os.getpid()}", "id": f"ask-{os.getpid()}"}


def ask():
    """Asked again under the same id it is the same approval, and the answer says how it stands."""
    body = json.dumps({"question": QUESTION, "expiresInSeconds": 600, **ABOUT}).encode()
    request = urllib.request.Request(f"{URL}/api/control/approvals", body, HEADERS)
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


state = ask()
print(f"{state['nodeId']} waits", flush=True)
while state["state"] == "pending":
    time.sleep(1)
    try:
        state = ask()
    except urllib.error.HTTPError as error:
        if error.code not in (429, 500, 502, 503, 504):
            raise
    except OSError as error:
        print(f"the service is away: {error}", file=sys.stderr)
print(": ".join(state[key] for key in ("state", "by", "text") if key in state))
