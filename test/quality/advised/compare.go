package advised

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

type comparison struct {
	marked         *moments.Marked
	judged         moments.Judgements
	alone, advised *played
}

func everything(string) bool { return true }

// half is all of what readers marked, or the half that is only counted (JD-61), judged both ways.
type half struct {
	alone, advised *moments.Verdict
	sessions       int
	competent      int // of these, not of a weak model
	ordinary       int // of these, not among the long ones
}

func (c *comparison) halves() [2]half {
	counted, alone := c.marked.Counted(c.alone.recorder)
	_, advised := c.marked.Counted(c.advised.recorder)
	out := [2]half{
		{alone: c.marked.Judge(c.alone.recorder, everything), advised: c.marked.Judge(c.advised.recorder, everything)},
		{alone: counted.Judge(alone, everything), advised: counted.Judge(advised, everything)},
	}
	for session := range c.alone.sessions {
		for i := range out {
			if i == 1 && !shareddata.Counted(session) {
				continue
			}
			out[i].sessions++
			if !c.alone.weak[session] {
				out[i].competent++
				if !c.alone.long[session] {
					out[i].ordinary++
				}
			}
		}
	}
	return out
}

func (c *comparison) text() string {
	halves := c.halves()
	var b strings.Builder
	b.WriteString(c.asked())
	b.WriteString("\n| | rules alone | with answers | counted half (JD-61): rules alone | with answers |\n")
	b.WriteString("|---|---|---|---|---|\n")
	row := func(name string, of func(h half, v *moments.Verdict) string) {
		fmt.Fprintf(&b, "| %s |", name)
		for _, h := range halves {
			fmt.Fprintf(&b, " %s | %s |", of(h, h.alone), of(h, h.advised))
		}
		b.WriteString("\n")
	}
	row("interrupts", func(h half, v *moments.Verdict) string { return rate(len(v.Fired), h.sessions) })
	row("of competent sessions", func(h half, v *moments.Verdict) string {
		return rate(len(c.competent(v)), h.competent)
	})
	row("of these, but for the long ones in which people often objected", func(h half, v *moments.Verdict) string {
		ordinary := slices.DeleteFunc(c.competent(v), func(f moments.Fired) bool { return c.alone.long[f.Session] })
		return rate(len(ordinary), h.ordinary)
	})
	row("of the competent ones, in a marked moment or read and right", func(_ half, v *moments.Verdict) string {
		return percent((&moments.Verdict{Fired: c.competent(v)}).Precision(c.judged))
	})
	share := func(name string, of func(v *moments.Verdict) moments.Share) {
		row(name, func(_ half, v *moments.Verdict) string { return percent(of(v)) })
	}
	share("of all, in a marked moment or read and right", func(v *moments.Verdict) moments.Share {
		return v.Precision(c.judged)
	})
	share("of all, not known as wrong", func(v *moments.Verdict) moments.Share { return notWrong(v, c.judged) })
	share("strong moments worth saying, said", func(v *moments.Verdict) moments.Share {
		return v.Recall(moments.StrongSay)
	})
	share("strong moments worth saying, said or queued", found)
	share("all moments, met", func(v *moments.Verdict) moments.Share { return v.Recall(moments.All) })
	b.WriteString(c.verdicts(halves[0].alone))
	return b.String()
}

// competent returns the interrupts of sessions that are not of a weak model.
func (c *comparison) competent(v *moments.Verdict) []moments.Fired {
	return slices.DeleteFunc(slices.Clone(v.Fired), func(f moments.Fired) bool { return c.alone.weak[f.Session] })
}

// found returns the share of the strong moments worth saying that were said, or queued to the end.
func found(v *moments.Verdict) moments.Share {
	var s moments.Share
	for _, h := range v.Heard {
		if moments.StrongSay(h.Moment) {
			s.Of++
			if h.Level >= moments.Queued {
				s.Count++
			}
		}
	}
	return s
}

func rate(n, sessions int) string {
	return fmt.Sprintf("%d (%.2f a session)", n, float64(n)/float64(max(sessions, 1)))
}

// asked returns how many questions there were, how many were answered and what they cost.
func (c *comparison) asked() string {
	n := map[sessionevents.QuestionKind]int{}
	var all cost
	for i, one := range costs(c.advised.asked) {
		all.add(one)
		n[c.advised.asked[i].Kind]++
	}
	answered, void, spent := 0, 0, 0
	for _, o := range c.advised.opinions {
		answered++
		spent += o.Tokens.In + o.Tokens.Out
		if o.Void != "" {
			void++
		}
	}
	return fmt.Sprintf("%d questions about signals and %d about what is new, about %d tokens; "+
		"%d answered, %d of them void, %d tokens. %d of the tokens asked begin a question as the one before of its kind "+
		"and session began (%d at least): where a provider charges %.0f%% for them, all are as %d.\n",
		n[sessionevents.QuestionSignal], n[sessionevents.QuestionDigest], all.tokens, answered, void, spent,
		all.known, provider.LeastTokens, provider.Price*100, all.charged())
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
		names := []string{f.Detectors[0], "all"}
		if shareddata.Counted(f.Session) {
			names = append(names, "counted half")
		}
		for _, name := range names {
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
	b.WriteString("\nInterrupts of the rules that were asked about (right: in a marked moment, or read and right; wrong: known " +
		"or read as wrong; unread: neither), as if every answer came in time:\n\n" +
		"| detector | let through: right / unread / wrong | held back: right / unread / wrong " +
		"| right before | right after | right after per 1,000 tokens |\n|---|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(by)) {
		n := by[name]
		kept, held := sum(n.kept), sum(n.held)
		before := moments.Share{Count: n.kept["right"] + n.held["right"], Of: kept + held}
		after := moments.Share{Count: n.kept["right"], Of: kept}
		fmt.Fprintf(&b, "| %s | %d / %d / %d | %d / %d / %d | %s | %s | %.3f |\n", name, n.kept["right"], n.kept["unread"], n.kept["wrong"],
			n.held["right"], n.held["unread"], n.held["wrong"], percent(before), percent(after),
			float64(n.kept["right"])*1000/float64(max(n.tokens, 1)))
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

func sum[K comparable](of map[K]int) int {
	n := 0
	for _, v := range of {
		n += v
	}
	return n
}
