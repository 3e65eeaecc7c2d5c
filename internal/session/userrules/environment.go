package userrules

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// facts is a segment as a condition sees it. Texts and lists are cut to the limits.
type facts struct {
	Kind      string   `expr:"kind"` // plan, tool, diff, error, todo, user
	Path      string   `expr:"path"`
	Language  string   `expr:"language"`
	Text      string   `expr:"text"` // of a DIFF: its added lines
	Added     []string `expr:"added"`
	Removed   []string `expr:"removed"`
	Operation string   `expr:"operation"` // of a DIFF: create, update, delete, rename
	Imports   []string `expr:"imports"`
	Symbols   []string `expr:"symbols"` // names declared in added lines, or seen in a result
	Tool      string   `expr:"tool"`    // the agent's name for it
	Role      string   `expr:"role"`    // read, search, list, edit, write, shell, poll, fetch, todo, agent, ask, other
	Command   string   `expr:"command"`
	Effects   []string `expr:"effects"` // of a command: test, build, lint, format, git, install, run
	Result    string   `expr:"result"`  // its beginning and end
	ExitCode  int      `expr:"exit_code"`
	Failed    bool     `expr:"failed"`
	Error     string   `expr:"error"` // signature of an ERROR
	Thinking  bool     `expr:"thinking"`
	Proposed  bool     `expr:"proposed"` // a DIFF that was shown, not written
	Rejected  bool     `expr:"rejected"`
}

// counts counts what the session did before this turn.
type counts struct {
	Turns         int `expr:"turns"`
	Diffs         int `expr:"diffs"`
	Errors        int `expr:"errors"`
	ResearchTurns int `expr:"research_turns"`
	LastUserTurn  int `expr:"last_user_turn"`
}

// environment holds everything that a condition can name.
type environment struct {
	facts
	Segments []facts        `expr:"segments"` // of the turn
	Turn     int            `expr:"turn"`
	Task     string         `expr:"task"`
	Session  counts         `expr:"session"`
	Counters map[string]int `expr:"counters"`
	// Match and Line are the result of `at` and can only be used in texts. Signal is the
	// subject of the signal that corrected and committed judge.
	Match  string `expr:"match"`
	Line   int    `expr:"line"`
	Signal string `expr:"signal"`

	WasRead    func(string) bool `expr:"was_read"`    // a file, before this turn
	WasWritten func(string) bool `expr:"was_written"` // a file, before this turn
	WasBuilt   func(string) bool `expr:"was_built"`   // a symbol, by this session
	IsKnown    func(string) bool `expr:"is_known"`    // a symbol of the codebase
	WasDecided func(string) bool `expr:"was_decided"` // something about a topic
	RedFlag    func(string) bool `expr:"red_flag"`    // RF01 … RF16, in this turn or earlier

	FilesRead      func() []string `expr:"files_read"`
	FilesWritten   func() []string `expr:"files_written"`
	FunctionsBuilt func() []string `expr:"functions_built"`
	Decisions      func() []string `expr:"decisions"` // their sentences
}

// small lists the names that a loop's body may use besides its element: evaluating one of
// the others for every element would multiply the cost by its size.
var small = map[string]bool{
	"kind": true, "path": true, "language": true, "operation": true, "tool": true, "role": true, "exit_code": true,
	"failed": true, "error": true, "thinking": true, "proposed": true, "rejected": true, "turn": true, "session": true,
	"counters": true, "match": true, "line": true, "signal": true,
	"was_read": true, "was_written": true, "was_built": true, "is_known": true, "was_decided": true, "red_flag": true,
}

// uses holds the names that a rule's conditions use; other variables are not computed.
type uses map[string]bool

// any reports whether one of the names is used, directly or as a field of something that
// contains all of them.
func (u uses) any(names ...string) bool {
	for _, name := range append(names, "segments", "$env") {
		if u[name] {
			return true
		}
	}
	return false
}

// newEnvironment returns the environment of a turn, before a segment is selected.
func newEnvironment(p *detect.Pass, l Limits, u uses) *environment {
	before := p.Before
	e := &environment{Turn: p.Turn.Turn, Task: text.Head(p.Baseline().Task, l.TextBytes)}
	c := before.Counters
	e.Session = counts{c.Turns, c.Diffs, c.Errors, c.ResearchTurns, c.LastUserTurn}
	e.Segments = make([]facts, 0, len(p.Turn.Segments))
	for i := range p.Turn.Segments {
		e.Segments = append(e.Segments, factsOf(&p.Turn.Segments[i], l, u))
	}
	e.WasRead = func(path string) bool { return len(before.Reads(path)) > 0 }
	e.WasWritten = func(path string) bool { return len(before.DiffsOf(path)) > 0 }
	e.WasBuilt = func(name string) bool { return len(before.BuiltNamed(name)) > 0 }
	e.IsKnown = func(name string) bool { return len(before.Known(name)) > 0 }
	e.WasDecided = func(topic string) bool { return len(before.DecisionsAbout(topic)) > 0 }
	e.RedFlag = func(id string) bool {
		for _, hit := range p.Additions.RedFlags {
			if hit.ID == id {
				return true
			}
		}
		return id != "" && len(before.RedFlags(id)) > 0
	}
	e.FilesRead = func() (out []string) {
		for _, r := range before.FilesRead() {
			out = append(out, r.Path)
		}
		return out
	}
	e.FilesWritten = func() (out []string) {
		for _, w := range before.FilesWritten() {
			if !w.Elsewhere {
				out = append(out, w.Path)
			}
		}
		return out
	}
	e.FunctionsBuilt = func() (out []string) {
		for _, b := range before.FunctionsBuilt() {
			out = append(out, b.Symbol.Name)
		}
		return out
	}
	e.Decisions = func() (out []string) {
		for _, d := range before.Decisions() {
			out = append(out, d.Sentence)
		}
		return out
	}
	return e
}

func factsOf(s *sessionevents.Segment, l Limits, u uses) facts {
	f := facts{
		Kind: strings.ToLower(string(s.Kind)), Path: s.Path, Language: s.Language,
		Imports: s.Imports, Thinking: s.Thinking, Proposed: s.Proposed, Rejected: s.Rejected,
	}
	if u.any("text") {
		f.Text = text.Head(detect.Text(s), l.TextBytes)
	}
	if u.any("symbols") {
		for _, symbol := range s.Symbols {
			f.Symbols = append(f.Symbols, symbol.Name)
		}
	}
	if s.Diff != nil && u.any("added") {
		f.Added = lines(s.Diff.Added(), l)
	}
	if s.Diff != nil && u.any("removed") {
		f.Removed = lines(s.Diff.Removed(), l)
	}
	if s.Diff != nil {
		f.Operation, f.Failed = string(s.Diff.Op), s.Diff.Failed
	}
	if t := s.Tool; t != nil {
		f.Tool, f.Role, f.Command, f.Effects = t.Name, string(t.Canonical), text.Head(t.Command, l.TextBytes), t.Effects
	}
	if r := s.Result; r != nil {
		f.Result, f.Failed = r.Head, f.Failed || r.IsError
		if r.Tail != "" && u.any("result") {
			f.Result += "\n" + r.Tail
		}
		f.ExitCode = exitCode(r.ExitCode)
	}
	if s.Error != nil {
		f.Error, f.Failed, f.ExitCode = s.Error.Signature, true, exitCode(s.Error.ExitCode)
	}
	return f
}

func exitCode(code *int) int {
	if code == nil {
		return 0
	}
	return *code
}

// lines returns a DIFF's lines within the limits, one of which bounds them all together.
func lines(list []sessionevents.Line, l Limits) []string {
	list = list[:min(len(list), l.Lines)]
	out := make([]string, 0, len(list))
	total := 0
	for _, line := range list {
		s := text.Head(line.Text, l.LineBytes)
		if total += len(s); total > l.TextBytes {
			break
		}
		out = append(out, s)
	}
	return out
}
