package sessionreport

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/head"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// endOfFile is why a session ended that was read from a file: the file did.
const endOfFile = "end_of_transcript"

// identity names the session and says how far it got.
func identity(m Model) string {
	parts := []string{"Session " + m.Session.ID}
	if m.Session.Run != "" {
		parts = append(parts, "run "+m.Session.Run)
	}
	if a := m.Session.Agent; a != nil {
		if who := strings.TrimSpace(a.Kind + " " + a.Model); who != "" {
			parts = append(parts, who)
		}
	}
	state := "live"
	if n := m.Session.DoneTurn; n > 0 {
		state += fmt.Sprintf(" (done, as it signalled in turn %d)", n)
	}
	if m.Session.Closed {
		state = "closed"
		if m.Session.Reason != "" && m.Session.Reason != endOfFile {
			state += " (" + strings.ReplaceAll(m.Session.Reason, "_", " ") + ")"
		}
	}
	return strings.Join(append(parts, state), ", ")
}

// taskLength is how many characters of the task are shown.
const taskLength = 200

// brief returns the beginning of a long text.
func brief(s string) string { return text.Short(page.Plain(s), taskLength+1) }

// passage returns the beginning of an untrusted text, "" for none.
func passage(text string) string {
	if text == "" {
		return ""
	}
	return quote.Passage(text)
}

// described returns a finding in brief: its message, or what is known without one.
func described(s Finding) string {
	text := s.Message
	if text == "" {
		text = s.Detector + " " + quote.Path(s.Subject)
	}
	if s.Times > 1 {
		text += fmt.Sprintf(" (%d times)", s.Times)
	}
	return text
}

// healthParagraph returns the verdict and its basis.
func healthParagraph(h Health) string {
	text := "Codebase health is " + h.Verdict
	if h.Verdict == VerdictDegraded {
		text += " by " + page.Plural(h.DebtAdded+h.OfSubagents, "point")
	}
	return text + ". " + strings.Join(h.Explanation, " ")
}

func deliveryText(i Fired) string {
	var parts []string
	if i.FromQueue {
		parts = append(parts, "from the queue")
	}
	if text := deliveriesText(i.Deliveries, i.HeedAfter); text != "" {
		parts = append(parts, text)
	}
	switch { // nobody reacts to words that nobody received (JD-43)
	case len(i.Deliveries) == 0:
		parts = append(parts, "would have said; no delivery was reported")
	case i.Heed == "" && !i.Dismissed:
		parts = append(parts, "reaction not judged yet")
	}
	return strings.Join(parts, ", ")
}

// deliveriesText returns the reported steps of a delivery, in order; turns is for how many turns the reaction
// was awaited.
func deliveriesText(facts []Delivery, turns int) string {
	var parts []string
	for _, d := range facts {
		switch d.State { // our own verdicts, over the next turns (DP-21)
		case sessionevents.DeliveryHeeded:
			parts = append(parts, "the agent reacted")
			continue
		case sessionevents.DeliveryIgnored:
			parts = append(parts, "the agent did not react"+within(turns))
			continue
		}
		text := string(d.State)
		if d.Channel != "" {
			text += " via " + d.Channel
		}
		if d.By != "" {
			text += " by " + d.By
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ", ")
}

func within(turns int) string {
	if turns <= 0 {
		return ""
	}
	return " within " + page.Plural(turns, "turn")
}

func momentText(t Moment) string {
	text := fmt.Sprintf("[Turn %d] %s", t.Turn, t.What)
	if t.Text != "" {
		text += ": " + t.Text
	}
	return text
}

func redFlagText(r RedFlag) string {
	turns := make([]string, 0, len(r.Turns))
	for _, n := range r.Turns {
		turns = append(turns, number(n))
	}
	return fmt.Sprintf("%s, %s (turns %s): %s", r.ID, page.Plural(r.Count, "time"), strings.Join(turns, ", "), quote.Passage(r.Sentence))
}

// heedText returns the heed rate, or "—" if nothing was judged.
func heedText(t Tally) string {
	if _, ok := t.HeedRate(); !ok {
		return "—"
	}
	return fmt.Sprintf("%d of %d", t.Heeded, t.Heeded+t.Ignored)
}

// unsaid says why signals were not sent, one line per detector.
func unsaid(m Model) []string {
	var lines []string
	for _, t := range m.Detectors {
		if t.NotSent != "" {
			lines = append(lines, name(t)+": "+t.NotSent)
		}
	}
	return lines
}

func costText(m Model) string {
	if m.Usage == nil {
		return "Not known: the agent reported no usage."
	}
	u := m.Usage
	text := fmt.Sprintf("%d input and %d output tokens, %d read from and %d written to the cache, over %s that reported usage.",
		u.InputTokens, u.OutputTokens, u.CacheRead, u.CacheWrite, page.Plural(u.Turns, "turn"))
	if u.CostUSD > 0 {
		text += fmt.Sprintf(" Cost: %.4f USD.", u.CostUSD)
	}
	return text
}

// coverageText says what was watched and what was not (DP-33).
func coverageText(m Model) []string {
	c := m.Coverage
	refused := ""
	if c.RefusedTurns > 0 {
		refused = fmt.Sprintf(" %d refused,", c.RefusedTurns)
	}
	text := []string{fmt.Sprintf("Turns: %d received, %d evaluated, %d failed,%s %d skipped, %d out of order.", c.Received, c.Evaluated, len(c.Failed), refused, c.Skipped, c.OutOfOrder)}
	if !c.whole() {
		text = append(text, notWatched(c))
	}
	for _, f := range c.Failed {
		text = append(text, fmt.Sprintf("Turn %d was not evaluated: %s", f.Turn, f.Why))
	}
	text = append(text, refusedText(c)...)
	if c.Forks+c.Compactions+c.Resumptions > 0 {
		text = append(text, fmt.Sprintf("Continuity: %s, %s of the context, %s.", page.Plural(c.Forks, "fork"),
			page.Plural(c.Compactions, "compaction"), page.Plural(c.Resumptions, "resumption")))
	}
	if c.NoBaseline > 0 {
		text = append(text, fmt.Sprintf("No task was known in %s: D1 and D2 were blind there.", page.Plural(c.NoBaseline, "turn")))
	}
	text = append(text, "Languages and formats not supported: "+unsupportedText(c)+".")
	text = append(text, unreadText(c)...)
	text = append(text, c.Rules...)
	if len(c.Evicted) > 0 {
		text = append(text, "Forgotten to stay within bounds: "+evictedText(c)+".")
	}
	text = append(text, "Delivery: "+capabilityText(m)+".")
	if heads := head.Text(m.Heads); heads != "" {
		text = append(text, heads)
	}
	return text
}

func unsupportedText(c Coverage) string {
	if len(c.Unsupported) == 0 {
		return "none seen"
	}
	var parts []string
	for _, u := range c.Unsupported {
		parts = append(parts, fmt.Sprintf("%s in %s", u.What, page.Plural(u.Turns, "turn")))
	}
	return strings.Join(parts, ", ")
}

// unreadText names, by file, what was too long to be examined as a whole.
func unreadText(c Coverage) (lines []string) {
	for _, u := range c.Unread {
		file := quote.Path(u.Path)
		if u.Path == "" {
			file = "proposed code"
		}
		lines = append(lines, fmt.Sprintf("Not looked at by %s: %s in %s, since the edit is too long.", u.Detector, page.Plural(u.Places, "place"), file))
	}
	return lines
}

func evictedText(c Coverage) string {
	var parts []string
	for _, collection := range slices.Sorted(maps.Keys(c.Evicted)) {
		parts = append(parts, fmt.Sprintf("%d of %s", c.Evicted[collection], collection))
	}
	return strings.Join(parts, ", ")
}

// capabilityText says what the deliveries show about the channel to the agent.
func capabilityText(m Model) string {
	seen := func(states ...sessionevents.DeliveryState) bool {
		return slices.ContainsFunc(states, func(s sessionevents.DeliveryState) bool { return slices.Contains(m.Coverage.Delivery, s) })
	}
	switch {
	case len(m.Interrupts) == 0 && m.Prevented != nil:
		return "the agent was answered before its tools ran; no interrupt was sent"
	case len(m.Interrupts) == 0:
		return "nothing was sent"
	case seen(sessionevents.DeliveryDelivered, sessionevents.DeliveryAcked):
		return "interrupts reach the agent"
	case seen(sessionevents.DeliveryUnsupported):
		return "the agent cannot receive interrupts, people get them"
	case seen(sessionevents.DeliveryEmitted):
		return "interrupts were emitted, none was confirmed"
	default:
		return "no harness reported one"
	}
}

// unsent returns a queued finding and why it was not delivered.
func unsent(s Finding) string {
	if s.Reason == "" {
		return described(s)
	}
	return described(s) + " — " + s.Reason
}

// quoted returns the turn, the place and the words that an interrupt is about, "" if there are none.
func (m Model) quoted(i Fired) string {
	evidence, about := m.restsOn(i)
	for _, e := range evidence {
		if brief(e.Quote) != "" {
			return fmt.Sprintf("Turn %d, %s: %s", about.Turn, evidencePlace(e), quote.Passage(e.Quote)) + way(e.Flow)
		}
	}
	return ""
}

// restsOn returns an interrupt's evidence, or else that of its first signal, and that signal.
func (m Model) restsOn(i Fired) ([]sessionevents.Evidence, Finding) {
	for _, list := range [][]Finding{m.Said, m.Coalesced} {
		for _, f := range list {
			if slices.Contains(i.Signals, f.Signal) {
				if len(i.Evidence) > 0 {
					return i.Evidence, f
				}
				return f.Evidence, f
			}
		}
	}
	return i.Evidence, Finding{Turn: i.Turn}
}

// way says on which lines a value reached its sink, "" if only on the sink's own line.
func way(flow []sessionevents.FlowStep) string {
	var lines []string
	for _, step := range flow {
		if step.Line > 0 && step.Line != flow[len(flow)-1].Line {
			lines = append(lines, fmt.Sprintf("%s in line %d", step.Role, step.Line))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return " (" + strings.Join(lines, ", ") + ")"
}
