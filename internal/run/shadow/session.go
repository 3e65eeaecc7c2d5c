package shadow

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// session holds what was seen of a session since its agent last completed.
type session struct {
	ID      string `json:"id"`
	AgentID string `json:"agent,omitempty"`
	Turns   int    `json:"turns,omitempty"`
	// Read and Edited list files, each once.
	Read    []string `json:"read,omitempty"`
	Edited  []string `json:"edited,omitempty"`
	Lines   int      `json:"lines,omitempty"` // added and removed
	Tests   int      `json:"tests,omitempty"` // test runs
	Commits int      `json:"commits,omitempty"`
	// Text is the agent's last message, which is used as its output.
	Text string `json:"text,omitempty"`
}

// session returns a session, adding it if it is unknown.
func (r *runState) session(id string, limit int) *session {
	i := slices.IndexFunc(r.Sessions, func(s session) bool { return s.ID == id })
	if i < 0 {
		r.Sessions = text.Newest(append(r.Sessions, session{ID: id}), limit)
		i = len(r.Sessions) - 1
	}
	return &r.Sessions[i]
}

// sessionOf returns the session of an agent, nil if none was seen: the named one,
// otherwise one whose turns carry the agent's id.
func (r *runState) sessionOf(a agent) *session {
	for i := len(r.Sessions) - 1; i >= 0; i-- {
		s := &r.Sessions[i]
		if s.Turns > 0 && (s.ID == a.Session && a.Session != "" || a.Session == "" && a.ID != "" && s.AgentID == a.ID) {
			return s
		}
	}
	return nil
}

// done resets a session after its agent completed; what follows belongs to the next piece
// of work.
func (s *session) done() {
	if s != nil {
		*s = session{ID: s.ID, AgentID: s.AgentID}
	}
}

// sessionWorked folds a segmented turn of a session of the run.
var sessionWorked = Rule{ID: "RW-3", Folds: true, On: run.Types(sessionevents.TypeTurnSegmented), Run: run.With(func(c *Context, t *sessionevents.TurnSegmented) {
	s := c.run.session(t.Session, c.config.Kept.Sessions)
	s.Turns++
	if t.Agent.ID != "" {
		s.AgentID = t.Agent.ID
		c.run.note(t.Agent.ID, archetypeOf(t.Agent.Archetype), t.Session, c.config.Kept.Agents)
	}
	said := ""
	for i := range t.Segments {
		segment := &t.Segments[i]
		if segment.Rejected || segment.Proposed {
			continue
		}
		if segment.Kind == sessionevents.SegmentPlan && !segment.Thinking {
			said += segment.Text + "\n\n"
		}
		c.segment(s, segment)
	}
	if strings.TrimSpace(said) != "" {
		s.Text = text.Valid(text.Head(strings.TrimSpace(said), c.config.Kept.TextBytes))
	}
})}

// segment folds the actions of a segment.
func (c *Context) segment(s *session, segment *sessionevents.Segment) {
	for _, access := range segment.Accesses {
		if access.Kind == sessionevents.AccessRead {
			s.Read = c.config.addFile(s.Read, access.Target)
		}
	}
	if segment.Kind == sessionevents.SegmentDiff && segment.Diff != nil && !segment.Diff.Failed {
		s.Edited = c.config.addFile(s.Edited, segment.Path)
		s.Lines += len(segment.Diff.Added()) + len(segment.Diff.Removed())
		c.run.Changed = c.config.addFile(c.run.Changed, segment.Path)
	}
	if segment.Tool == nil || segment.Tool.Canonical != sessionevents.ToolShell {
		return
	}
	if slices.Contains(segment.Tool.Effects, "test") {
		s.Tests++
	}
	if segment.Kind != sessionevents.SegmentError && (segment.Result == nil || !segment.Result.IsError) {
		s.Commits += c.config.commits(segment.Tool.Command)
	}
}

// commits counts the commits of a command line; amending the last commit does not
// count.
func (c *Config) commits(command string) int {
	if !strings.Contains(command, "commit") {
		return 0
	}
	n := 0
	for _, call := range c.compiled.commands.Parse(command).Git {
		if call.Subcommand == "commit" && !slices.Contains(call.Arguments, "--amend") {
			n++
		}
	}
	return n
}

// addFile adds a file to a list unless it is already there.
func (c *Config) addFile(list []string, name string) []string {
	name = reading.CleanPath(name)
	if name == "" || slices.Contains(list, name) {
		return list
	}
	return text.Newest(append(list, name), c.Kept.Files)
}
