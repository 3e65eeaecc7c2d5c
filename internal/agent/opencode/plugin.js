// Installed by `scaffoldwatch install --agent opencode` and removed by `uninstall`, whole: do not edit.
// It tells scaffoldwatch what OpenCode does and brings its answers back.
import { spawn } from "node:child_process"

const command = COMMAND
const limit = 5000 // ms, the time an answer may take
const none = command.includes("--fail-closed") ? { deny: "scaffoldwatch does not answer." } : {}

// run starts the hook's program with one event and gives its answer.
const run = (event) =>
  new Promise((done) => {
    let out = ""
    const child = spawn(command[0], command.slice(1), { stdio: ["pipe", "pipe", "ignore"] })
    const end = (answer) => (clearTimeout(timer), done(answer))
    const timer = setTimeout(() => (child.kill(), end(none)), limit)
    child.on("error", () => end(none))
    child.stdout.on("data", (data) => (out += data))
    child.on("close", () => {
      try {
        end(JSON.parse(out) ?? {})
      } catch {
        end(out.trim() ? none : {})
      }
    })
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(event))
  })

export const Scaffoldwatch = async ({ client, directory }) => {
  let last = Promise.resolve() // events leave in order
  const parents = new Map() // subagent's session → its parent
  const agents = new Map() // session → agent's name
  const roles = new Map() // message → role
  const texts = new Map() // session → the agent's last words
  const said = new Set() // parts whose text was told
  const busy = new Set() // sessions that did something since they were last done
  const calls = new Map() // call under way → its tool and input

  const forget = () => {
    for (const c of [parents, agents, roles, texts, said, busy, calls]) if (c.size > 2000) c.delete(c.keys().next().value)
  }
  const root = (session) => {
    for (let i = 0; i < 8 && parents.get(session); i++) session = parents.get(session)
    return session
  }
  const tell = (name, session, more) => {
    const event = { hook_event_name: name, session_id: root(session), cwd: directory, ...more }
    if (parents.get(session)) Object.assign(event, { agent_id: session, agent_type: agents.get(session) ?? "" })
    busy.add(session)
    last = last.then(() => run(event)).then((answer) => (show(answer.person), answer))
    return last
  }
  const show = (message) => {
    if (!message) return
    const body = { title: "scaffoldwatch", message, variant: "warning", duration: 15000 }
    client.tui?.showToast({ body })?.catch(() => {})
  }
  const stop = (session) => client.session.abort({ path: { id: root(session) } }).catch(() => {})

  const part = async (p) => {
    if (p.type === "text" && p.time?.end && !p.synthetic && roles.get(p.messageID) === "assistant" && !said.has(p.id)) {
      said.add(p.id)
      texts.set(p.sessionID, p.text)
      await tell("AssistantText", p.sessionID, { text: p.text })
    }
    if (p.type === "tool" && p.state?.status === "error" && calls.has(p.callID)) {
      const call = calls.get(p.callID)
      calls.delete(p.callID)
      await tell("PostToolUseFailure", p.sessionID, { ...call, error: String(p.state.error ?? "failed") })
    }
  }

  const ended = async (session) => {
    if (!busy.has(session)) return // idle twice, as after an abort
    const answer = await tell(parents.get(session) ? "SubagentStop" : "Stop", session, {
      last_assistant_message: texts.get(session) ?? "",
    })
    texts.delete(session)
    busy.delete(session)
    if (answer.prompt && !answer.halt) {
      await client.session
        .promptAsync({ path: { id: session }, body: { parts: [{ type: "text", text: answer.prompt }] } })
        .catch(() => {})
    }
  }

  const on = {
    "session.created": async ({ info }) => {
      if (info.parentID) parents.set(info.id, info.parentID)
      await tell(info.parentID ? "SubagentStart" : "SessionStart", info.id, { source: "startup" })
    },
    "session.idle": ({ sessionID }) => ended(sessionID),
    "session.compacted": ({ sessionID }) => tell("PostCompact", sessionID),
    "session.deleted": ({ info }) => tell("SessionEnd", info.id, { reason: "deleted" }),
    "message.updated": async ({ info }) => {
      roles.set(info.id, info.summary === true ? "compaction" : info.role)
      if (info.role === "assistant" && info.error && info.error.name !== "MessageAbortedError" && !said.has(info.id)) {
        said.add(info.id)
        await tell("StopFailure", info.sessionID)
      }
    },
    "message.part.updated": ({ part: p }) => part(p),
  }

  return {
    event: async ({ event }) => {
      forget()
      await on[event.type]?.(event.properties)
    },
    "chat.message": async (input, output) => {
      if (input.agent) agents.set(input.sessionID, input.agent)
      const prompt = output.parts.filter((p) => p.type === "text" && !p.synthetic).map((p) => p.text).join("\n")
      const model = output.message?.model?.modelID ?? input.model?.modelID ?? ""
      const answer = await tell("UserPromptSubmit", input.sessionID, { prompt, model })
      if (answer.halt) throw new Error(answer.halt)
      const text = output.parts.findLast((p) => p.type === "text")
      if (answer.context && text) text.text += `\n\n${answer.context}`
    },
    "tool.execute.before": async (input, output) => {
      const call = { tool_use_id: input.callID, tool_name: input.tool, tool_input: output.args }
      const answer = await tell("PreToolUse", input.sessionID, call)
      if (answer.halt) await stop(input.sessionID)
      if (answer.deny) throw new Error(answer.deny)
      calls.set(input.callID, call)
    },
    "tool.execute.after": async (input, output) => {
      const call = calls.get(input.callID) ?? {
        tool_use_id: input.callID, tool_name: input.tool, tool_input: input.args ?? {},
      }
      calls.delete(input.callID)
      const answer = await tell("PostToolUse", input.sessionID, {
        ...call, tool_response: { output: output.output, title: output.title, metadata: output.metadata },
      })
      if (answer.context) output.output = `${output.output ?? ""}\n\n${answer.context}`
      if (answer.halt) await stop(input.sessionID)
    },
  }
}
