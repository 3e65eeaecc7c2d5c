package ledger

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Act is a command or tool call that performs what a claim may state: a commit, a push, a
// migration (JD-13).
type Act struct {
	Kind    sessionevents.ClaimKind   `json:"k"`
	At      Place                     `json:"a"`
	Result  sessionevents.CheckResult `json:"r"` // passed, failed or unknown
	Command string                    `json:"c"` // shortened
	Names   []string                  `json:"n,omitempty"`
	Of      string                    `json:"o,omitempty"` // the sort of thing it is about, where its kind has several
	Says    string                    `json:"s,omitempty"` // the line with which it was rejected
}

// Bounds for stored acts.
const (
	maxActs     = 48
	maxActNames = 8
)

// actKind configures how a kind of act is recognized (rules/ledger.yaml).
type actKind struct {
	Kind      sessionevents.ClaimKind `yaml:"kind" allow:"committed|pushed|pull_request|tagged|installed|applied|deployed|deleted|moved"`
	Of        string                  `yaml:"of"`
	Command   *pattern.Regexp         `yaml:"command" pattern:"optional"`
	Tool      *pattern.Regexp         `yaml:"tool" pattern:"optional"`
	Succeeded *pattern.Regexp         `yaml:"succeeded" pattern:"optional"`
	Refused   *pattern.Regexp         `yaml:"refused" pattern:"optional"`
}

// acts records the acts of a call.
func (d *digest) acts(s *sessionevents.Segment, at Place) {
	if s.Tool == nil {
		return
	}
	output := ""
	if s.Result != nil {
		output = s.Result.Head + "\n" + s.Result.Tail
	}
	if s.Tool.Command == "" {
		d.toolActs(s, at, output)
		return
	}
	d.sets(s, at)
	line := newActLine(d, s, output)
	for i := range line.steps {
		step := &line.steps[i]
		for _, k := range line.kinds[i] {
			act := Act{Kind: k.Kind, Of: k.Of, At: at, Command: d.shorten(commandOf(step))}
			for _, a := range step.Args {
				if !strings.HasPrefix(a, "-") && len(act.Names) < maxActNames {
					act.Names = append(act.Names, d.shorten(a))
				}
			}
			act.Result, act.Says = line.result(k, i)
			hidden := d.c.Forgiven.MatchString(s.Tool.Command) || d.c.Silenced.MatchString(s.Tool.Command)
			if hidden && act.Result == sessionevents.CheckPassed && (k.Succeeded == nil || !k.Succeeded.MatchString(output)) {
				act.Result = sessionevents.CheckUnknown
			}
			d.act(act)
		}
	}
}

func (d *digest) toolActs(s *sessionevents.Segment, at Place, output string) {
	if s.Tool.Canonical != sessionevents.ToolOther {
		return
	}
	d.l.Opaque = at
	d.heard(at)
	for i := range d.c.Acts {
		if k := &d.c.Acts[i]; k.Tool != nil && k.Tool.MatchString(s.Tool.Name) {
			act := Act{Kind: k.Kind, At: at, Command: d.shorten(s.Tool.Name)}
			act.Result, act.Says = k.result(output, checkReader{d}.failed(s))
			d.act(act)
		}
	}
}

// result returns the outcome of an act: according to its own output, otherwise to the
// exit code of the call.
func (k *actKind) result(output string, failed bool) (sessionevents.CheckResult, string) {
	if k.Succeeded != nil && k.Succeeded.MatchString(output) {
		return sessionevents.CheckPassed, ""
	}
	if says := k.refusal(output); says != "" {
		return sessionevents.CheckFailed, says
	}
	if failed {
		return sessionevents.CheckFailed, ""
	}
	return sessionevents.CheckPassed, ""
}

// refusal returns the line of an output with which the act was refused; "" for none.
func (k *actKind) refusal(output string) string {
	for line := range strings.Lines(output) {
		if k.Refused != nil && k.Refused.MatchString(line) {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

func (d *digest) act(a Act) {
	a.Says = d.shorten(a.Says)
	d.l.Acts = text.Newest(append(d.l.Acts, a), maxActs)
}

// variables records the keys that an edit writes into a settings file, never their
// values.
func (d *digest) variables(s *sessionevents.Segment, at Place) {
	if s.Kind != sessionevents.SegmentDiff || s.Diff == nil || s.Diff.Failed || !d.c.Settings.MatchString(s.Path) {
		return
	}
	file := d.registry.Path(s.Path)
	for _, l := range s.Diff.Added() {
		if m := d.c.Keys.FindStringSubmatch(l.Text); m != nil {
			d.act(Act{Kind: sessionevents.ClaimVariable, At: at, Result: sessionevents.CheckPassed, Command: file, Names: []string{m[1], file}})
		}
	}
}

// sets records the keys that a command writes into a settings file that it names, or fails to.
func (d *digest) sets(s *sessionevents.Segment, at Place) {
	m := d.c.Assigns.FindStringSubmatch(s.Tool.Command)
	if m == nil {
		return
	}
	act := Act{Kind: sessionevents.ClaimVariable, At: at, Command: d.shorten(s.Tool.Command)}
	failed := checkReader{d}.failed(s)
	if act.Result = sessionevents.CheckPassed; failed {
		act.Result = sessionevents.CheckFailed
	}
	apart := func(r rune) bool { return strings.ContainsRune(" \"'<>;|&()", r) }
	for _, word := range strings.FieldsFunc(s.Tool.Command, apart) {
		writes := slices.ContainsFunc(s.Accesses, func(a sessionevents.Access) bool {
			return a.Kind == sessionevents.AccessWrite && sameFile(d.registry.Path(a.Target), word)
		})
		if d.c.Settings.MatchString(word) && (writes || failed && d.c.Rewrites.MatchString(s.Tool.Command)) {
			act.Names = []string{m[1], d.registry.Path(word)}
			d.act(act)
		}
	}
}

// latest returns the last act of a kind that is about one of the names (any act without names).
func (l *Ledger) latest(kind sessionevents.ClaimKind, names ...string) *Act {
	for i := len(l.Acts) - 1; i >= 0; i-- {
		a := &l.Acts[i]
		if a.Kind == kind && a.Of != thing && (len(names) == 0 || slices.ContainsFunc(names, a.isAbout)) {
			return a
		}
	}
	return nil
}

// done returns the last act that a claim can speak of: one of its kind, about the same sort of thing.
func (e *evidence) done(c claimView, names ...string) *Act {
	of := ""
	for _, sort := range e.c.ActOf {
		if sort.Words.MatchString(c.Text) && slices.ContainsFunc(e.c.Acts, func(k actKind) bool {
			return k.Kind == c.Kind && k.Of == sort.Of
		}) {
			of = sort.Of
		}
	}
	for i := len(e.l.Acts) - 1; i >= 0; i-- {
		a := &e.l.Acts[i]
		if a.Kind == c.Kind && a.Of == of && (len(names) == 0 || slices.ContainsFunc(names, a.isAbout)) {
			return a
		}
	}
	return nil
}

// thing is the sort of what is removed and is not a file: a branch, a container.
const thing = "thing"

// removed returns the last act that was to remove something that a claim names.
func (e *evidence) removed(c claimView) *Act {
	isNamed := func(n string) bool {
		base := path.Base(n)
		return len(n) > 1 && !e.c.Things.MatchString(n) &&
			(strings.Contains(c.Text, n) || len(base) > 2 && code.Holds(c.Text, base))
	}
	for i := len(e.l.Acts) - 1; i >= 0; i-- {
		if a := &e.l.Acts[i]; a.Kind == sessionevents.ClaimDeleted && slices.ContainsFunc(a.Names, isNamed) {
			return a
		}
	}
	return nil
}

func (a *Act) isAbout(name string) bool {
	return slices.ContainsFunc(a.Names, func(n string) bool {
		return n == name || path.Base(n) == path.Base(name) || strings.Contains(name, "/") && strings.HasPrefix(path.Clean(name), path.Clean(n)+"/")
	})
}
