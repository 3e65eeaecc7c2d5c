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

// orders finds commands against what an instruction file orders, and commits before the checks
// that it demands (SW-13a).
type orders struct {
	*turn
	demanded []check // see [orders.checks]
}

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
func (k *orders) instructed() {
	for _, i := range k.Pass.Turn.Instructions {
		k.memory.Instructions = detect.Once(k.memory.Instructions, stated{i.File, i.Text, k.Pass.Turn.Turn}, k.Limits.Instructions)
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
func (k *orders) ordered(s *sessionevents.Segment) {
	if len(k.memory.Instructions) == 0 {
		return
	}
	for _, line := range k.commandLines(s) {
		k.ran(line)
		for i := range k.Orders {
			k.against(&k.Orders[i], s, line)
		}
		if commit := k.Commits.FindString(line); commit != "" {
			k.unchecked(detect.At(s, max(strings.Index(s.Tool.Command, commit), 0), len(commit)))
		}
	}
}

// against reports a command that an order rules out, unless the user asked for it or
// the session keeps the order elsewhere.
func (k *orders) against(o *order, s *sessionevents.Segment, line string) {
	if o.Kept != nil && o.Kept.MatchString(line) {
		k.memory.Kept = detect.Once(k.memory.Kept, o.ID, k.Limits.Instructions)
	}
	if !o.Breach.MatchString(line) || slices.Contains(k.memory.Kept, o.ID) {
		return
	}
	i := slices.IndexFunc(k.memory.Instructions, func(i stated) bool { return o.Says.MatchString(i.Text) })
	if i < 0 || o.Asked != nil && slices.ContainsFunc(k.users(), func(s sentence) bool { return o.Asked.MatchString(s.text) }) {
		return
	}
	instruction := k.memory.Instructions[i]
	evidence := detect.Whole(s)
	evidence.ConflictsWith = instruction.earlier()
	k.report(contradiction{
		rule: instruction.Text, subclass: "instruction", thing: o.Subject, cost: contraryCost, confidence: k.Confidence.Instruction, evidence: evidence,
		logOnly: k.Conditional.MatchString(instruction.Text),
		message: fmt.Sprintf("%s, and a command of this turn does it. %s", clause(quote.Path(instruction.File), k.whole(instruction.Text)), o.Advice),
		reason:  fmt.Sprintf("An instruction file orders otherwise: %s.", k.quoted(instruction.Text)),
	})
}

// ran notes which demanded checks a command runs.
func (k *orders) ran(line string) {
	for _, check := range k.checks() {
		if runs(line, check.command) {
			k.memory.Ran = detect.Once(k.memory.Ran, check.command, k.Limits.Instructions)
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
func (k *orders) checks() []check {
	if k.demanded != nil {
		return k.demanded
	}
	k.demanded = []check{}
	for _, i := range k.memory.Instructions {
		if !k.BeforeCommit.MatchString(i.Text) {
			continue
		}
		for n, span := range strings.Split(i.Text, "`") {
			if n%2 == 0 {
				continue // outside of a code span
			}
			for _, line := range k.lines(span) {
				if name, _, more := strings.Cut(line, " "); more && slices.Contains(k.Runners, name) {
					k.demanded = append(k.demanded, check{line, i})
				}
			}
		}
	}
	return k.demanded
}

// unchecked reports a commit, or the claim that the work is ready for one, before
// the demanded checks have run on what this session edited.
func (k *orders) unchecked(evidence sessionevents.Evidence) {
	if !k.memory.Edited {
		return
	}
	var missing []string
	var from stated
	for _, c := range k.checks() {
		if !slices.Contains(k.memory.Ran, c.command) && !slices.Contains(missing, c.command) {
			missing, from = append(missing, c.command), c.from
		}
	}
	if len(missing) == 0 {
		return
	}
	missing = missing[:min(len(missing), 3)]
	evidence.ConflictsWith = from.earlier()
	k.report(contradiction{
		rule: from.Text, subclass: "unchecked", thing: strings.Join(missing, ", "), cost: contraryCost, confidence: k.Confidence.Instruction, evidence: evidence,
		message: fmt.Sprintf("%s asks for checks before a commit that did not run since your first edit. %s before you commit or call the work ready.", quote.Path(from.File), runFirst(missing)),
		reason:  fmt.Sprintf("An instruction file demands a check that was left out: %s.", k.quoted(from.Text)),
	})
}

// readyClaims judges sentences that call the work ready to commit.
func (k *orders) readyClaims() {
	if len(k.memory.Instructions) == 0 {
		return
	}
	for i := range k.Pass.Turn.Segments {
		s := &k.Pass.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentPlan || s.Thinking {
			continue
		}
		if at := k.Ready.FindStringIndex(s.Text); at != nil {
			k.unchecked(detect.At(s, at[0], at[1]-at[0]))
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
