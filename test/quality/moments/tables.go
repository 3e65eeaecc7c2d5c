package moments

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Share is a count of a total.
type Share struct {
	Count int `yaml:"count"`
	Of    int `yaml:"of"`
}

// Percent returns the share in hundredths, 0 of nothing.
func (s Share) Percent() float64 { return 100 * float64(s.Count) / float64(max(s.Of, 1)) }

// Recall returns the share of the chosen moments that were met.
func (v *Verdict) Recall(chosen func(Moment) bool) Share {
	var s Share
	for _, h := range v.Heard {
		if chosen(h.Moment) {
			s.Of++
			if h.Met() {
				s.Count++
			}
		}
	}
	return s
}

// StrongSay chooses the moments that a reader found strong and worth saying.
func StrongSay(m Moment) bool { return m.Strength == "strong" && m.Should == "say" }

// All chooses every moment.
func All(Moment) bool { return true }

// Precision returns the share of fired interrupts that match a moment or were read and found right. An
// interrupt nobody has judged counts as wrong.
func (v *Verdict) Precision(judged Judgements) Share {
	s := Share{Of: len(v.Fired)}
	for _, f := range v.Fired {
		if f.Matches || judged[f.Key] == Right {
			s.Count++
		}
	}
	return s
}

// Table shows what became of the moments of each class, recall and precision.
func (v *Verdict) Table(judged Judgements) string {
	var b strings.Builder
	b.WriteString("| class | strength | should | moments | said | queued | logged | suppressed | unseen |\n|---|---|---|---|---|---|---|---|---|\n")
	rows := map[string][len(levelNames)]int{}
	for _, h := range v.Heard {
		key := fmt.Sprintf("%s | %s | %s", h.Classes[0], h.Strength, h.Should)
		counts := rows[key]
		counts[h.Level]++
		rows[key] = counts
	}
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		n := rows[key]
		fmt.Fprintf(&b, "| %s | %d | %d | %d | %d | %d | %d |\n", key, n[Said]+n[Queued]+n[Logged]+n[Suppressed]+n[Unseen], n[Said], n[Queued], n[Logged], n[Suppressed], n[Unseen])
	}
	strong, all, precision := v.Recall(StrongSay), v.Recall(All), v.Precision(judged)
	fmt.Fprintf(&b, "\nRecall: %.0f%% (%d of %d) of the strong moments worth saying, %.0f%% (%d of %d) of all (said, or seen where a line in the report is enough).\n",
		strong.Percent(), strong.Count, strong.Of, all.Percent(), all.Count, all.Of)
	fmt.Fprintf(&b, "Precision: %.0f%% (%d of %d) of the fired interrupts match a moment or were read and found right; %d of the alarms known as wrong are signalled again.\n",
		precision.Percent(), precision.Count, precision.Of, len(v.Repeated))
	return b.String()
}

// Missed returns the moments that were not met, to be read.
func (v *Verdict) Missed() string {
	var b strings.Builder
	for _, h := range v.Heard {
		if !h.Met() {
			fmt.Fprintf(&b, "- %s, %v, %s, %s: %s turns %d–%d: %s\n", h.Level, h.Classes, h.Strength, h.Should, h.File, h.From, h.Until, h.What)
		}
	}
	return b.String()
}

// Unjudged returns the fired interrupts that match no moment and that nobody has judged, with the key to
// enter.
func (v *Verdict) Unjudged(judged Judgements) string {
	var b strings.Builder
	for _, f := range v.Fired {
		if !f.Matches && judged[f.Key] == "" {
			fmt.Fprintf(&b, "- %s %v, session %s turn %d: %s\n", f.Key, f.Detectors, f.Session, f.Turn, f.Message)
		}
	}
	return b.String()
}
