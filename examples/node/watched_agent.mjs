// An agent that goes round in circles, and obeys what it hears.
//
//   scaffoldwatch up &
//   npm install
//   NATS_SEED=$(cat ~/.config/scaffoldwatch/credentials/publisher.nk) npm start
//
// It publishes a session whose test fails the same way again and again, waits for the
// interrupt, reports that it was delivered, asks a gate of its run and reads the run's
// control state.

import { randomUUID } from "node:crypto";
import process from "node:process";
import { connect, headers, nkeyAuthenticator } from "@nats-io/transport-node";
import { jetstream, jetstreamManager, DeliverPolicy, AckPolicy } from "@nats-io/jetstream";
import { Kvm } from "@nats-io/kv";

const source = "/examples/node";
const env = process.env;

const options = { servers: env.NATS_URL ?? "nats://127.0.0.1:4222", user: env.NATS_USER, pass: env.NATS_PASSWORD };
if (env.NATS_INBOX) options.inboxPrefix = env.NATS_INBOX;
if (env.NATS_SEED) options.authenticator = nkeyAuthenticator(new TextEncoder().encode(env.NATS_SEED.trim()));

const connection = await connect(options);
const js = jetstream(connection);

// publish returns once INPUT has stored the event. The same id again changes nothing.
async function publish(type, subject, data, { group = subject, channel = type, id = randomUUID() } = {}) {
  const h = headers();
  h.set("ce-specversion", "1.0");
  h.set("ce-id", id);
  h.set("ce-source", source);
  h.set("ce-type", type);
  h.set("ce-subject", subject);
  h.set("ce-time", new Date().toISOString());
  h.set("ce-datacontenttype", "application/json");
  h.set("ce-partitionkey", group);
  return js.publish(`${channel}.${group}.${subject}`, JSON.stringify(data), { headers: h });
}

const session = `node-${randomUUID().slice(0, 8)}`;
const run = `node-run-${randomUUID().slice(0, 8)}`;
await publish("run.started", run, { run, goal: "show a client", actor: { kind: "orchestrator", id: "node-example" } }, { channel: "run.raw" });
await publish("session.opened", session, { session, run, task: "Make the tests pass." }, { group: run });
for (let n = 1; n <= 6; n++) {
  await publish("turn.raw", session, {
    session, run, turn_id: `t${n}`,
    blocks: [
      { type: "tool_call", id: `c${n}`, name: "Bash", input: { command: "pytest tests/test_pay.py" } },
      { type: "tool_result", id: `c${n}`, output: "E   ModuleNotFoundError: No module named 'pay'", is_error: true, exit_code: 2 },
    ],
  }, { group: run });
}

// An ephemeral consumer of the decisions about this session.
const manager = await jetstreamManager(connection, { checkAPI: false });
const consumer = await manager.consumers.add("DECISIONS", {
  name: `node-${randomUUID().slice(0, 8)}`,
  filter_subjects: [`interrupt.fired.*.${run}.${session}`],
  deliver_policy: DeliverPolicy.All, ack_policy: AckPolicy.None, mem_storage: true, num_replicas: 1,
  inactive_threshold: 60e9,
});
const message = await (await js.consumers.get("DECISIONS", consumer.name)).next({ expires: 20_000 });
if (!message) {
  console.error("no interrupt arrived");
  process.exit(1);
}
const interrupt = message.json();
console.log("interrupt:", interrupt.headline);
console.log(interrupt.message);
await publish("interrupt.delivery", session, {
  session, run, interrupt: interrupt.id, turn: interrupt.turn, state: "delivered", channel: "example", by: "watched_agent.mjs",
}, { group: run });

// A gate: no answer is a deny.
let gate = { decision: "deny" };
try {
  const reply = await connection.request(`gate.request.${run}`, JSON.stringify({ gate: "merge" }), { timeout: 3000 });
  if (!reply.headers?.has("Nats-Service-Error")) gate = reply.json();
} catch (error) {
  console.error("gate:", error.message);
}
console.log("gate:", gate.decision, gate.why ?? "");

// The control state: a missing key is unknown, not running.
const bucket = await new Kvm(js).open("CONTROL", { allow_direct: true });
const entry = await bucket.get(`run.${run}`);
console.log("control:", entry && entry.operation === "PUT" ? entry.json().state : "unknown");

await connection.close();
