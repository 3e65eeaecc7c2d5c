package patterncontradiction

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// order is a kind of order that instruction files give about commands (SW-13a),
// as rules/patterncontradiction.yaml says.
type order struct {
	ID      string          `yaml:"id"`
	Says    *pattern.Regexp `yaml:"says" pattern:"fold"`           // matches the instruction
	Breach  *pattern.Regexp `yaml:"breach" pattern:"fold"`         // matches a command against it
	Kept    *pattern.Regexp `yaml:"kept" pattern:"fold,optional"`  // matches a command or path that keeps it
	Asked   *pattern.Regexp `yaml:"asked" pattern:"fold,optional"` // matches a user's sentence that asks for the breach
	Subject string          `yaml:"subject"`                       // what it is about, in a message
	Advice  string          `yaml:"advice"`
}

// instructed keeps the instructions that the turn shows (SW-13a).
func (t *turn) instructed() {
	for _, i := range t.Pass.Turn.Instructions {
		t.memory.Instructions = bounded(t.memory.Instructions, stated{i.File, i.Text, t.Pass.Turn.Turn}, t.Limits.Instructions)
	}
}

// stated is an instruction with its source.
type stated struct {
	File string `json:"f,omitempty"`
	Text string `json:"t"`
	Turn int    `json:"n"`
}

func (s stated) earlier() *sessionevents.EarlierEvent {
	return &sessionevents.EarlierEvent{Turn: s.Turn, Path: s.File, What: detect.Quote(s.Text)}
}

// ordered judges the commands of a call against the orders of instruction files
// (SW-13a), each by itself and in order, as the shell runs them (SW-12).
func (t *turn) ordered(s *sessionevents.Segment) {
	if len(t.memory.Instructions) == 0 {
		return
	}
	for _, line := range t.commandLines(s) {
		t.ran(line)
		for i := range t.Orders {
			t.against(&t.Orders[i], s, line)
		}
		if commit := t.Commits.FindString(line); commit != "" {
			t.unchecked(detect.At(s, max(strings.Index(s.Tool.Command, commit), 0), len(commit)))
		}
	}
}

// commandLines are the commands that a call of the shell runs, each on one line
// without what wraps it.
func (t *turn) commandLines(s *sessionevents.Segment) []string {
	if s.Tool == nil || s.Tool.Canonical != sessionevents.ToolShell || s.Rejected {
		return nil
	}
	return t.lines(s.Tool.Command)
}

func (d *instance) lines(command string) []string {
	var out []string
	for _, i := range d.commands.Invocations(command) {
		out = append(out, strings.Join(append([]string{i.Name}, i.Args...), " "))
	}
	return out
}

// against reports a command that an order rules out, unless the user asked for it or
// the session keeps the order elsewhere.
func (t *turn) against(o *order, s *sessionevents.Segment, line string) {
	if o.Kept != nil && o.Kept.MatchString(line) {
		t.memory.Kept = bounded(t.memory.Kept, o.ID, t.Limits.Instructions)
	}
	if !o.Breach.MatchString(line) || slices.Contains(t.memory.Kept, o.ID) {
		return
	}
	i := slices.IndexFunc(t.memory.Instructions, func(i stated) bool { return o.Says.MatchString(i.Text) })
	if i < 0 || o.Asked != nil && slices.ContainsFunc(t.users(), func(s sentence) bool { return o.Asked.MatchString(s.text) }) {
		return
	}
	instruction := t.memory.Instructions[i]
	evidence := detect.Whole(s)
	evidence.ConflictsWith = instruction.earlier()
	t.report(contradiction{
		rule: instruction.Text, subclass: "instruction", thing: o.Subject, cost: contraryCost, confidence: t.Confidence.Instruction, evidence: evidence,
		logOnly: t.Conditional.MatchString(instruction.Text),
		message: fmt.Sprintf("%s, and a command of this turn does it. %s", clause(quote.Path(instruction.File), t.whole(instruction.Text)), o.Advice),
		reason:  fmt.Sprintf("An instruction file orders otherwise: %s.", t.quoted(instruction.Text)),
	})
}

// ran notes which demanded checks a command runs.
func (t *turn) ran(line string) {
	for _, check := range t.checks() {
		if runs(line, check.command) {
			t.memory.Ran = bounded(t.memory.Ran, check.command, t.Limits.Instructions)
		}
	}
}

// runs reports whether a command is the demanded one, with further arguments or
// without.
func runs(line, demanded string) bool {
	return line == demanded || strings.HasPrefix(line, demanded+" ")
}

// check is a command that is to run before a commit.
type check struct {
	command string
	from    stated
}

// checks are the commands that instruction files demand before a commit or push
// (SW-13a), read once in a turn.
func (t *turn) checks() []check {
	if t.demanded != nil {
		return t.demanded
	}
	t.demanded = []check{}
	for _, i := range t.memory.Instructions {
		if !t.BeforeCommit.MatchString(i.Text) {
			continue
		}
		for n, span := range strings.Split(i.Text, "`") {
			if n%2 == 0 {
				continue // outside of a code span
			}
			for _, line := range t.lines(span) {
				if name, _, more := strings.Cut(line, " "); more && slices.Contains(t.Runners, name) {
					t.demanded = append(t.demanded, check{line, i})
				}
			}
		}
	}
	return t.demanded
}

// unchecked reports a commit, or the claim that the work is ready for one, before
// the demanded checks have run on what this session edited.
func (t *turn) unchecked(evidence sessionevents.Evidence) {
	if !t.memory.Edited {
		return
	}
	var missing []string
	var from stated
	for _, c := range t.checks() {
		if !slices.Contains(t.memory.Ran, c.command) && !slices.Contains(missing, c.command) {
			missing, from = append(missing, c.command), c.from
		}
	}
	if len(missing) == 0 {
		return
	}
	missing = missing[:min(len(missing), 3)]
	evidence.ConflictsWith = from.earlier()
	t.report(contradiction{
		rule: from.Text, subclass: "unchecked", thing: strings.Join(missing, ", "), cost: contraryCost, confidence: t.Confidence.Instruction, evidence: evidence,
		message: fmt.Sprintf("%s asks for checks before a commit that did not run since your first edit. %s before you commit or call the work ready.", quote.Path(from.File), runFirst(missing)),
		reason:  fmt.Sprintf("An instruction file demands a check that was left out: %s.", t.quoted(from.Text)),
	})
}

// readyClaims judges sentences that call the work ready to commit.
func (t *turn) readyClaims() {
	if len(t.memory.Instructions) == 0 {
		return
	}
	for i := range t.Pass.Turn.Segments {
		s := &t.Pass.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentPlan || s.Thinking {
			continue
		}
		if at := t.Ready.FindStringIndex(s.Text); at != nil {
			t.unchecked(detect.At(s, at[0], at[1]-at[0]))
			return
		}
	}
}

// runFirst is the order to run the checks that are missing, as they are printed.
func runFirst(missing []string) string {
	if shown, ok := quote.Command(strings.Join(missing, " && ")); ok {
		return "Run " + shown
	}
	return "Run them"
}
