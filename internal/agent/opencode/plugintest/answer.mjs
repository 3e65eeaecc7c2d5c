#!/usr/bin/env node
// Stands for the hook's program: keeps what it is told in the file of its argument, answers a few events.
import { appendFileSync, readFileSync } from "node:fs"

const event = JSON.parse(readFileSync(0, "utf8"))
appendFileSync(process.argv[2], JSON.stringify(event) + "\n")
const answers = {
  "UserPromptSubmit": { context: "Mind the till." },
  "PostToolUse bash": { context: "It failed.", person: "The agent was told." },
  "PreToolUse write": { deny: "That file is a person's." },
  "PreToolUse halt": { deny: "Stop here.", halt: "Stop here." },
  "Stop": { prompt: "Go on." },
}
const of = event.tool_input?.command === "halt" ? "halt" : event.tool_name
process.stdout.write(JSON.stringify(answers[[event.hook_event_name, of].filter(Boolean).join(" ")] ?? {}))
