package segment

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/checkrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/diff"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/toolscript"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// readCommand finds the command line of a shell call and its effects (SW-12).
func (s *Segmenter) readCommand(c *call) {
	f := s.tools.fields
	if c.tool.Form == "script" {
		c.command = scriptCommands(c.in)
	} else if field, ok := c.in.field(f.Command...); ok {
		c.command = commandLine(field)
	} else {
		c.command = c.in.bare()
	}
	c.effects = s.shell.ParseIn(cleanPath(c.in.text(f.Workdir...)), c.command)
}

// checked returns the checks of a command line, read while the complete output is
// available (PD-1).
func (s *Segmenter) checked(c *call) []sessionevents.Check {
	if c.command == "" || c.result == nil || c.outcome.rejected || c.outcome.cancelled {
		return nil
	}
	return s.checks.Checks(c.command, checkrun.Result{
		Output: c.result.Output[c.outcome.body.start:c.outcome.body.end], Exit: c.outcome.exit, Failed: c.outcome.failed,
	})
}

// Shell reads a shell call: its command line and its effects; ok is false for any other
// tool.
func (s *Segmenter) Shell(block *sessionevents.Block) (command string, effects shell.Effects, ok bool) {
	c := &call{block: block, in: readInput(block.Input), tool: s.tools.lookup(block.Name)}
	if c.canonical = c.tool.canonical(c.in); c.canonical != sessionevents.ToolShell {
		return "", effects, false
	}
	(&builder{Segmenter: s}).readCommand(c)
	return c.command, c.effects, true
}

// Invocations returns every command that a command line runs.
func (s *Segmenter) Invocations(command string) []shell.Invocation {
	return s.shell.Invocations(command)
}

// commandLine returns a command given as a string or as an argument vector.
func commandLine(f *field) string {
	words := f.list()
	if len(words) == 1 {
		return words[0]
	}
	if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
		return words[2] // bash -lc '…'
	}
	for i, w := range words {
		if w == "" || strings.ContainsAny(w, " \t\n'\"$`\\|&;<>()*?[]#~{}") {
			words[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}

// scriptCommands returns the command lines in JavaScript that calls tools, one per line,
// or the script itself if there are none.
func scriptCommands(in *input) string {
	text := scriptText(in)
	var out []string
	for _, call := range toolscript.Calls(text) {
		if call.Name != "apply_patch" && call.Text != "" {
			out = append(out, call.Text)
		}
	}
	if len(out) == 0 {
		return text
	}
	return strings.Join(out, "\n")
}

func scriptText(in *input) string {
	if text := in.bare(); text != "" {
		return text
	}
	return in.text("code", "script", "input", "command")
}

// scriptPatches returns the patches that a script applies.
func scriptPatches(in *input) (out []sessionevents.FilePatch) {
	text := scriptText(in)
	if diff.LooksApplyPatch(text) {
		return diff.ApplyPatch(text)
	}
	for _, call := range toolscript.Calls(text) {
		if call.Name == "apply_patch" && diff.LooksApplyPatch(call.Text) {
			out = append(out, diff.ApplyPatch(call.Text)...)
		}
	}
	return out
}

// shellWrites adds a DIFF for each file that a command line edits (SW-3). Redirecting a
// program's output to a scratch folder is not an edit.
func (b *builder) shellWrites(c *call) {
	tool := &sessionevents.ToolCall{Name: c.block.Name, Canonical: c.canonical, CallID: c.block.ID, InputHash: c.in.hash()}
	for _, w := range c.effects.Writes {
		b.diffs(c, b.config.writePatches(w), tool)
	}
	if c.tool.Form == "script" {
		b.diffs(c, scriptPatches(c.in), tool)
	}
}

func (cfg *Config) writePatches(w shell.Write) []sessionevents.FilePatch {
	switch {
	case w.Patch != "" && diff.LooksApplyPatch(w.Patch):
		return diff.ApplyPatch(w.Patch)
	case w.Patch != "":
		return diff.Unified(w.Patch)
	case w.Delete:
		return []sessionevents.FilePatch{{Path: w.Path, Op: sessionevents.DiffDelete}}
	case w.Known && w.Append:
		return []sessionevents.FilePatch{{Path: w.Path, Op: sessionevents.DiffUpdate, Hunks: withoutPlace(diff.WholeFile(w.Content))}}
	case w.Known:
		return []sessionevents.FilePatch{{Path: w.Path, Op: sessionevents.DiffCreate, Hunks: diff.WholeFile(w.Content)}}
	case cfg.isScratch(w.Path):
		return nil
	case w.Inserted != w.Replaced:
		return []sessionevents.FilePatch{{Path: w.Path, Op: sessionevents.DiffUpdate, Hunks: diff.Replaced(w.Replaced, w.Inserted)}}
	default:
		return []sessionevents.FilePatch{{Path: w.Path, Op: sessionevents.DiffUpdate}}
	}
}

func (cfg *Config) isScratch(path string) bool {
	for _, folder := range cfg.Scratch {
		if strings.HasPrefix(path, folder) {
			return true
		}
	}
	return false
}

// Edited returns what an editor call does to files, as far as its input shows: one patch
// per file. Whole reports whether it writes them completely.
func (s *Segmenter) Edited(block *sessionevents.Block) (patches []sessionevents.FilePatch, whole bool) {
	c := &call{block: block, in: readInput(block.Input), tool: s.tools.lookup(block.Name)}
	c.canonical = c.tool.canonical(c.in)
	if c.canonical != sessionevents.ToolEdit && c.canonical != sessionevents.ToolWrite {
		return nil, false
	}
	if patches = s.tools.patches(c); len(patches) == 0 {
		if name := c.in.text(s.tools.fields.Path...); name != "" {
			patches = []sessionevents.FilePatch{{Path: name, Op: sessionevents.DiffUpdate}}
		}
	}
	return patches, c.canonical == sessionevents.ToolWrite
}
