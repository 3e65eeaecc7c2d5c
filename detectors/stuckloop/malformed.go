package stuckloop

import (
	"slices"
	"strings"
	"unicode"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// mishap is the way in which a call is malformed.
type mishap string

const (
	mishapIdle    mishap = "runs nothing"             // `: ls`, a comment, nothing at all
	mishapBroken  mishap = "does not parse"           // an open quote, a stray brace
	mishapProgram mishap = "does not begin a command" // `]}`, `--version`
	mishapPath    mishap = "names no file"            // `: null,`
	mishapContent mishap = "writes delimiters"        // `},`
)

// malformed counts calls that did nothing because of their form. What differs between them does not
// matter: they are one signature, and no edit of a file fixes them. It reports true for one.
func (c call) malformed() bool {
	a := c.a
	how, group := c.mishap(a), c.group(a)
	if how == "" {
		if !c.complains() {
			c.memory.relent(group)
		}
		return false
	}
	limits := c.Malformed
	length, first := c.sight(kindMalformed, group, c.MalformedCalls)
	c.memory.slip(group, "malformed "+c.toolName(a)+" calls")
	if how == mishapIdle {
		if idle, _ := c.sight(kindIdle, group, c.MalformedCalls); c.Idle > 0 && idle >= c.Idle {
			limits.Nudge = min(limits.Nudge, length)
		}
	}
	l := loop{
		kind: kindMalformed, id: uint64(group), subject: "malformed " + c.toolName(a) + " calls", length: length, first: first,
		limits: limits, marks: []uint32{group}, mishap: how, job: c.called(),
	}
	if e := failed(a); e != nil {
		l.error = e.Signature
	}
	c.grow(l, a.segment)
	return true
}

// relent ends the series of a group with a call that is well formed. The last malformed one still
// counts for the next series: who slips again at once has not understood it.
func (m *memory) relent(group uint32) {
	for i := range m.Sightings {
		s := &m.Sightings[i]
		if s.ID != group || s.Kind != kindMalformed && s.Kind != kindIdle {
			continue
		}
		if s.Well++; s.Kind == kindMalformed && m.streak(s.Kind, uint64(group)) >= 0 {
			s.Relapses++
		}
		if n := len(s.Turns); n > 1 {
			s.Turns, s.Calls = slices.Clone(s.Turns[n-1:]), slices.Clone(s.Calls[n-1:])
			s.First = s.Turns[0]
		}
		m.endStreak(s.Kind, uint64(group))
	}
}

// slip notes that the newest call of a group is malformed.
func (m *memory) slip(group uint32, name string) {
	for i := range m.Sightings {
		if s := &m.Sightings[i]; s.ID == group && s.Kind == kindMalformed {
			s.Name, s.Well = name, 0
		}
	}
}

// relapsing: series of such calls were reported and ended before, and few well-formed calls came
// since: one more of them does not correct it.
func (d *instance) relapsing(m *memory, name string) bool {
	return slices.ContainsFunc(m.Sightings, func(s sightings) bool {
		return s.Kind == kindMalformed && s.Name == name && s.Relapses > 1 && s.Well < d.RelapseCalls
	})
}

// complains: the shell itself says that it cannot make sense of the command.
func (c call) complains() bool {
	a := c.a
	return a.failure != nil && a.is(sessionevents.ToolShell) && c.SyntaxErrors.MatchString(a.output())
}

// group are the calls that share a form: shell commands, or calls of one tool.
func (d *instance) group(a *act) uint32 {
	if a.is(sessionevents.ToolShell) {
		return hash("shell")
	}
	return hash("tool", d.toolName(a))
}

func (*instance) toolName(a *act) string {
	if a.segment.Tool == nil {
		return "edit"
	}
	return a.segment.Tool.Name
}

// mishap is how a call is malformed, "" when it is not.
func (d *instance) mishap(a *act) mishap {
	switch {
	case a.segment.Tool == nil:
		return ""
	case a.is(sessionevents.ToolShell):
		return d.shellMishap(a)
	case a.failure == nil && a.is(sessionevents.ToolWrite):
		if text, ok := field(a, d.ContentFields); ok && strings.TrimSpace(text) != "" && !d.HonestContent.MatchString(text) && (!d.wordy.MatchString(text) || d.StrayContent.MatchString(text)) {
			return mishapContent
		}
	case a.failure != nil && a.is(sessionevents.ToolRead, sessionevents.ToolEdit, sessionevents.ToolWrite, sessionevents.ToolList):
		if path, ok := field(a, d.PathFields); ok && d.DamagedPath.MatchString(path) {
			return mishapPath
		}
	}
	return ""
}

// field is the first of the fields that the call's input has, as text.
func field(a *act, names []string) (string, bool) {
	for _, name := range names {
		if text, err := jsonparser.GetString(a.segment.Tool.Input, name); err == nil {
			return text, true
		}
	}
	return "", false
}

func (d *instance) shellMishap(a *act) mishap {
	command := a.segment.Tool.Command
	if len(command) > wholeCommand {
		return ""
	}
	if a.waits() && d.Running.MatchString(a.output()) {
		return ""
	}
	if a.failure == nil {
		if d.mayIdle(command) && (command != "" || d.empties(a)) && !meant(command) && shell.Idle(command, d.NullCommands) {
			return mishapIdle
		}
		return ""
	}
	output := a.output()
	switch {
	case d.SyntaxErrors.MatchString(output) && shell.Broken(command):
		return mishapBroken
	case d.noProgram(output):
		return mishapProgram
	}
	return ""
}

// meant: a command that is known to do nothing, alone, is not a mistake of form.
func meant(command string) bool { return strings.TrimSpace(command) == "true" }

// mayIdle: the command begins as one that runs nothing does; only such a one is parsed.
func (d *instance) mayIdle(command string) bool {
	command = strings.TrimSpace(command)
	return command == "" || strings.ContainsRune(`#"'`, rune(command[0])) ||
		slices.ContainsFunc(d.NullCommands, func(null string) bool { return strings.HasPrefix(command, null) })
}

// empties: the call has a command, and it is empty.
func (d *instance) empties(a *act) bool {
	command, err := jsonparser.GetString(a.segment.Tool.Input, "command")
	return err == nil && command == ""
}

// noProgram: the shell says of nothing but words that cannot be a program that they are none.
func (d *instance) noProgram(output string) bool {
	found := false
	for line := range strings.Lines(output) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		word := d.UnknownPrograms.FindStringSubmatch(strings.TrimSpace(line))
		if word == nil || d.Program.MatchString(strings.TrimSpace(strings.Join(word[1:], ""))) {
			return false
		}
		found = true
	}
	return found
}

// runsWell: a call of the group is not malformed, whatever it gave.
func (c call) runsWell(k *streak) bool {
	return k.Kind == kindMalformed && uint64(c.group(c.a)) == k.ID && c.mishap(c.a) == "" && !c.complains()
}

// maxQuoted bounds the pieces of code of one segment that are looked at.
const maxQuoted = 8

// called is what a malformed call was to do: what follows its stray characters, else the only command
// that the turn's last words name; "" where it is not certain, or could not be run as it is (JD-40).
func (c call) called() string {
	a := c.a
	if a.segment.Tool != nil && a.segment.Tool.Command != "" {
		rest := strings.TrimLeftFunc(a.segment.Tool.Command, func(r rune) bool { return r == ' ' || !unicode.IsLetter(r) })
		first, _, _ := strings.Cut(rest, " ")
		if c.Programs[first] && !strings.ContainsAny(rest, "\n\"'`;&|") {
			return brief(rest)
		}
		if rest != "" {
			return ""
		}
	}
	for i := len(c.pass.Turn.Segments) - 1; i >= 0; i-- {
		s := &c.pass.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentPlan {
			continue
		}
		named := ""
		for _, code := range c.quotedCommand.FindAllStringSubmatch(s.Text, maxQuoted) {
			if first, _, _ := strings.Cut(code[1], " "); c.Programs[first] && first != code[1] {
				if named != "" {
					return ""
				}
				named = code[1]
			}
		}
		if named != "" {
			return brief(named)
		}
	}
	return ""
}
