"""An agent that writes a credential into a file, and obeys what it hears.

    scaffoldwatch up &
    NATS_SEED=$(cat ~/.config/scaffoldwatch/credentials/publisher.nk) python3 watched_agent.py

It publishes a session of one turn, waits for the interrupt, checks that the
dispatcher committed it, reports that it was delivered, asks a gate of its run and
reads the run's control state.
"""

import json
import sys
import uuid

import scaffoldwatch


def main():
    connection = scaffoldwatch.connect()
    client = scaffoldwatch.Client(connection)
    session, run = "python-" + uuid.uuid4().hex[:8], "python-run-" + uuid.uuid4().hex[:8]

    client.publish("run.started", run, {"run": run, "goal": "show a client", "actor": {"kind": "orchestrator", "id": "python-example"}}, channel="run.raw")
    client.publish("session.opened", session, {"session": session, "run": run, "task": "Call the payment service."}, group=run)
    fake = "AKIA" + uuid.uuid4().hex[:16].upper().translate(str.maketrans("0189", "ABCD"))  # no real key
    turn = {"session": session, "run": run, "turn_id": "t1", "blocks": [
        {"type": "tool_call", "id": "c1", "name": "Write",
         "input": {"file_path": "pay.py", "content": f'AWS_ACCESS_KEY_ID = "{fake}"\n'}},
        {"type": "tool_result", "id": "c1", "output": "File created"},
    ]}
    client.publish("turn.raw", session, turn, group=run)
    client.publish("turn.raw", session, turn, group=run)  # twice changes nothing

    fetch = client.follow([f"interrupt.fired.*.{run}.{session}"])
    message = fetch(20)
    if message is None:
        sys.exit("no interrupt arrived")
    for _ in range(50):
        if client.accepted(message):
            break
    else:
        sys.exit("the interrupt is not part of a batch of the dispatcher")
    interrupt = json.loads(message[3])
    print("interrupt:", interrupt["headline"])
    print(interrupt["message"])
    client.publish("interrupt.delivery", session, {
        "session": session, "run": run, "interrupt": interrupt["id"], "turn": interrupt["turn"],
        "state": "delivered", "channel": "example", "by": "watched_agent.py"}, group=run)
    if fetch(1) is not None:
        sys.exit("a second interrupt: the repeated turn was counted")

    gate = client.gate(run, {"gate": "merge"})
    print("gate:", gate["decision"], gate.get("why", ""))
    print("control:", client.control("run", run)["state"])
    connection.close()


if __name__ == "__main__":
    main()
