// Package install adds the hooks of scaffoldwatch to the settings of coding agents and removes them again:
// the files of Claude Code, Codex, Gemini CLI and Cursor, and the hooks of the Claude Code plugin.
//
// Everything else stays unchanged: other hooks, other settings, line ends, indentation and comments. A file
// that cannot be parsed completely is rejected. [Plan.Install] and [Plan.Uninstall] only compute a
// [Change], so that it can be shown before [Change.Apply] writes it.
package install
