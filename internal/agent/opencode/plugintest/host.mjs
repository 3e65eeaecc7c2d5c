// Plays OpenCode for the plugin: node host.mjs PLUGIN. Prints what the plugin did to it, as JSON.
import { pathToFileURL } from "node:url"

const did = { aborted: [], prompts: [], denied: "", output: "", prompt: "", shown: [] }
const client = {
  tui: { showToast: async ({ body }) => void did.shown.push(body.message) },
  session: {
    abort: async ({ path }) => void did.aborted.push(path.id),
    promptAsync: async ({ body }) => void did.prompts.push(body.parts[0].text),
  },
}
const { Scaffoldwatch } = await import(pathToFileURL(process.argv[2]).href)
const hooks = await Scaffoldwatch({ client, directory: "/repo" })
const event = (type, properties) => hooks.event({ event: { type, properties } })
const text = (id, message, words, end) => ({ part: { type: "text", id, messageID: message, sessionID: "ses_1", text: words, time: { end } } })

await event("session.created", { info: { id: "ses_1" } })
const asked = { parts: [{ type: "text", text: "Fix the till." }], message: { model: { modelID: "m" } } }
await hooks["chat.message"]({ sessionID: "ses_1", agent: "build" }, asked)
did.prompt = asked.parts[0].text
await event("message.updated", { info: { id: "msg_1", role: "assistant", sessionID: "ses_1" } })
await event("message.part.updated", text("prt_1", "msg_1", "I look at"))
await event("message.part.updated", text("prt_1", "msg_1", "I look at the till.", 1))
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_1", callID: "c1" }, { args: { command: "go test ./till" } })
const result = { output: "FAIL till", title: "t", metadata: { exit: 1 } }
await hooks["tool.execute.after"]({ tool: "bash", sessionID: "ses_1", callID: "c1", args: {} }, result)
did.output = result.output
await hooks["tool.execute.before"]({ tool: "write", sessionID: "ses_1", callID: "c2" }, { args: { filePath: "/repo/till.go" } }).catch((e) => (did.denied = e.message))
await hooks["tool.execute.before"]({ tool: "read", sessionID: "ses_1", callID: "c3" }, { args: { filePath: "/repo/none.go" } })
await event("message.part.updated", { part: { type: "tool", callID: "c3", sessionID: "ses_1", state: { status: "error", error: "File not found" } } })
await event("session.created", { info: { id: "ses_2", parentID: "ses_1" } })
await hooks["tool.execute.before"]({ tool: "bash", sessionID: "ses_2", callID: "c4" }, { args: { command: "halt" } }).catch(() => {})
await event("session.idle", { sessionID: "ses_2" })
await event("message.updated", { info: { id: "msg_2", role: "assistant", summary: true, sessionID: "ses_1" } })
await event("message.part.updated", text("prt_2", "msg_2", "Goal: the till. All tests pass.", 1))
await event("session.compacted", { sessionID: "ses_1" })
await event("session.idle", { sessionID: "ses_1" })
await event("session.deleted", { info: { id: "ses_1" } })
await event("some.other", {})
console.log(JSON.stringify(did))
