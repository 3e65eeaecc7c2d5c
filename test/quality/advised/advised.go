package advised

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
)

// WriteQuestions writes every question about the transcripts of a data folder into another folder, a
// file each, and returns how many there are. No label is read.
func WriteQuestions(core *machines.Core, data, folder string) (int, error) {
	config, err := opinion.Load(rules.Default())
	if err != nil {
		return 0, err
	}
	p, err := play(core, config, data, answers{})
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, fmt.Errorf("make the folder of questions: %w", err)
	}
	written := map[string]bool{}
	for _, q := range p.asked {
		if written[q.ID()] {
			continue
		}
		written[q.ID()] = true
		text := q.Prompt.System + "\n" + q.User()
		name := fmt.Sprintf("%s-%s.md", q.Kind, q.ID())
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return 0, fmt.Errorf("write a question: %w", err)
		}
	}
	return len(written), nil
}

// Table compares what is said with and without the answers of a folder. Without any it says how to give some.
func Table(core *machines.Core, data, folder string) (string, error) {
	head := "\n### Second opinions\n\n"
	if folder == "" {
		return head + "Not measured: no answers (set " + Variable + " to a folder of QUESTION.json files).\n", nil
	}
	marked, err := moments.Load(data)
	if errors.Is(err, fs.ErrNotExist) {
		return head + "Not measured: no marked moments.\n", nil
	}
	if err != nil {
		return "", err
	}
	judged, err := moments.Judged()
	if err != nil {
		return "", err
	}
	config, err := opinion.Load(rules.Default())
	if err != nil {
		return "", err
	}
	alone, err := play(core, config, data, answers{})
	if err != nil {
		return "", err
	}
	advised, err := play(core, config, data, answers{folder})
	if err != nil {
		return "", err
	}
	c := comparison{marked: marked, judged: judged, alone: alone, advised: advised}
	return head + c.text(), nil
}

type comparison struct {
	marked         *moments.Marked
	judged         moments.Judgements
	alone, advised *played
}

func everything(string) bool { return true }

func (c *comparison) text() string {
	without, with := c.marked.Judge(c.alone.recorder, everything), c.marked.Judge(c.advised.recorder, everything)
	var b strings.Builder
	b.WriteString(c.asked())
	b.WriteString("\n| | rules alone | with answers |\n|---|---|---|\n")
	row := func(name string, of func(*moments.Verdict) string) {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", name, of(without), of(with))
	}
	sessions := len(c.alone.sessions)
	row("interrupts", func(v *moments.Verdict) string {
		return fmt.Sprintf("%d (%.2f a session)", len(v.Fired), float64(len(v.Fired))/float64(max(sessions, 1)))
	})
	row("of these, in a marked moment or read and right", func(v *moments.Verdict) string { return percent(v.Precision(c.judged)) })
	row("of these, not known as wrong", func(v *moments.Verdict) string { return percent(notWrong(v, c.judged)) })
	row("strong moments worth saying, said", func(v *moments.Verdict) string { return percent(v.Recall(moments.StrongSay)) })
	row("all moments, met", func(v *moments.Verdict) string { return percent(v.Recall(moments.All)) })
	b.WriteString(c.verdicts(without))
	return b.String()
}

// asked says how many questions there were, how many were answered and what they cost.
func (c *comparison) asked() string {
	n := map[sessionevents.QuestionKind]int{}
	in := 0
	for _, q := range c.advised.asked {
		n[q.Kind]++
		in += tokens(len(q.Prompt.System) + len(q.User()))
	}
	answered, void, cost := 0, 0, 0
	for _, o := range c.advised.opinions {
		answered++
		cost += o.Tokens.In + o.Tokens.Out
		if o.Void != "" {
			void++
		}
	}
	return fmt.Sprintf("%d questions about signals and %d about what is new, about %d tokens; %d answered, %d of them void, %d tokens.\n",
		n[sessionevents.QuestionSignal], n[sessionevents.QuestionDigest], in, answered, void, cost)
}

func percent(s moments.Share) string {
	return fmt.Sprintf("%.0f%% (%d of %d)", s.Percent(), s.Count, s.Of)
}

func notWrong(v *moments.Verdict, judged moments.Judgements) moments.Share {
	s := moments.Share{Of: len(v.Fired)}
	for _, f := range v.Fired {
		if !f.KnownWrong && judged[f.Key] != moments.Wrong || f.Matches {
			s.Count++
		}
	}
	return s
}

// counts of the interrupts of one detector: let through and held back, by what readers say of them.
type counts struct {
	kept, held map[string]int
	tokens     int
}

// verdicts shows, of the interrupts that the rules alone make and that were asked about, what the answers
// let through and hold back, whether or not the answer would come in time.
func (c *comparison) verdicts(without *moments.Verdict) string {
	by := map[string]*counts{}
	late := 0
	for _, f := range without.Fired {
		id := c.alone.leads[place(f.Session, f.Turn)]
		o := c.advised.opinions[id]
		if o == nil || o.Void != "" {
			continue
		}
		if c.alone.late[id] {
			late++
		}
		for _, name := range []string{f.Detectors[0], "all"} {
			n := by[name]
			if n == nil {
				n = &counts{kept: map[string]int{}, held: map[string]int{}}
				by[name] = n
			}
			n.tokens += o.Tokens.In + o.Tokens.Out
			if o.Confirms() {
				n.kept[c.read(f)]++
			} else {
				n.held[c.read(f)]++
			}
		}
	}
	var b strings.Builder
	b.WriteString("\nInterrupts of the rules that were asked about (right: in a marked moment, or read and right; wrong: known or read as wrong; unread: neither), as if every answer came in time:\n\n")
	b.WriteString("| detector | let through: right / unread / wrong | held back: right / unread / wrong | right before | right after | right after per 1,000 tokens |\n|---|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(by)) {
		n := by[name]
		kept, held := sum(n.kept), sum(n.held)
		before, after := moments.Share{Count: n.kept["right"] + n.held["right"], Of: kept + held}, moments.Share{Count: n.kept["right"], Of: kept}
		fmt.Fprintf(&b, "| %s | %d / %d / %d | %d / %d / %d | %s | %s | %.3f |\n", name, n.kept["right"], n.kept["unread"], n.kept["wrong"],
			n.held["right"], n.held["unread"], n.held["wrong"], percent(before), percent(after), float64(n.kept["right"])*1000/float64(max(n.tokens, 1)))
	}
	fmt.Fprintf(&b, "\n%d of them end a response and are said before an answer can come.\n", late)
	return b.String()
}

func (c *comparison) read(f moments.Fired) string {
	switch {
	case f.Matches || c.judged[f.Key] == moments.Right:
		return "right"
	case f.KnownWrong || c.judged[f.Key] == moments.Wrong:
		return "wrong"
	}
	return "unread"
}

func sum(of map[string]int) int {
	n := 0
	for _, v := range of {
		n += v
	}
	return n
}
