// Package install puts the hooks of scaffoldwatch into the settings of coding
// agents and removes them again: the files of Claude Code, Codex, Gemini CLI
// and Cursor, and the hooks of the Claude Code plugin.
//
// Everything that is not ours stays as it is: other hooks, other settings, line
// ends, indentation and comments. A file that cannot be read in full is refused.
// [Plan.Install] and [Plan.Uninstall] only work out a [Change], so that it can
// be shown before [Change.Apply] writes it.
package install
