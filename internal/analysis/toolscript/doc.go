// Package toolscript reads the tool calls in a script that an agent runs instead of
// calling tools one by one, such as the JavaScript of Codex's tool exec:
// tools.exec_command({cmd: "…"}), const patch = `…`; tools.apply_patch(patch). It runs
// nothing: literals, their concatenation and variables that hold them are evaluated, and
// computed values are left open (SW-3a).
package toolscript
