package weakness

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// near is the greatest distance in lines of an alert from a mark.
const near = 3

// queued is the urgency from which a signal is delivered (DP-2).
const queued sessionevents.Urgency = 20

// Count holds what a detector reported for one group of samples.
type Count struct {
	Bad, Found           int // marked lines, and those with an alert
	Right, Wrong         int // alerts at a bad and at a good line
	QueuedRight          int // the same at QUEUE and above
	QueuedWrong          int
	Quiet, Else          int // alerts at lines that call the same without an alert, and at any other line
	Sound, SoundWithFire int // whole files without a weakness, and those with an alert at QUEUE or above
}

func (c *Count) add(o Count) {
	c.Bad, c.Found = c.Bad+o.Bad, c.Found+o.Found
	c.Right, c.Wrong = c.Right+o.Right, c.Wrong+o.Wrong
	c.QueuedRight, c.QueuedWrong = c.QueuedRight+o.QueuedRight, c.QueuedWrong+o.QueuedWrong
	c.Quiet, c.Else = c.Quiet+o.Quiet, c.Else+o.Else
	c.Sound, c.SoundWithFire = c.Sound+o.Sound, c.SoundWithFire+o.SoundWithFire
}

// Result holds the counts by "set detector language".
type Result struct {
	Groups  map[string]*Count
	listing strings.Builder
}

// Play returns the alerts of a sample's detector.
type Play func(core *machines.Core, name string, files []string) ([]*sessionevents.Signal, error)

// Measure plays every sample.
func Measure(core *machines.Core, list []Sample, play Play) (*Result, error) {
	r := &Result{Groups: map[string]*Count{}}
	for i := range list {
		s := &list[i]
		signals, err := play(core, s.FileName(), []string{s.Code})
		if err != nil {
			return nil, fmt.Errorf("play %s: %w", s.ID, err)
		}
		signals = slices.DeleteFunc(signals, func(o *sessionevents.Signal) bool { return o.Detector != s.Detector || o.Suppressed != "" })
		count := r.judge(s, signals)
		groups := []string{s.Set + " " + s.Detector + " all", s.Set + " " + s.Detector + " " + s.Lang}
		if s.Annotations {
			groups = []string{s.Set + " " + s.Detector + " with annotations"}
		}
		for _, group := range groups {
			if r.Groups[group] == nil {
				r.Groups[group] = &Count{}
			}
			r.Groups[group].add(count)
		}
	}
	return r, nil
}

// judge compares alerts with marks and lists what differs.
func (r *Result) judge(s *Sample, signals []*sessionevents.Signal) Count {
	var c Count
	marks := map[int]string{}
	if s.Label != nil {
		r.judgeFile(s, signals, &c, marks)
	} else {
		judgeLines(s, signals, &c, marks)
	}
	if len(marks) == 0 {
		return c
	}
	fmt.Fprintf(&r.listing, "== %s %s %s %s\n", s.Set, s.Detector, s.Lang, s.ID)
	code := s.lines()
	for _, line := range slices.Sorted(maps.Keys(marks)) {
		text := ""
		if line >= 1 && line <= len(code) {
			text = strings.TrimSpace(code[line-1])
		}
		fmt.Fprintf(&r.listing, "%5d %-7s %s\n", line, marks[line], text)
	}
	return c
}

// judgeFile judges a file that is labelled only as a whole: any alert counts as found.
func (r *Result) judgeFile(s *Sample, signals []*sessionevents.Signal, c *Count, marks map[int]string) {
	loud := slices.ContainsFunc(signals, said)
	if *s.Label == 1 {
		c.Bad = 1
		if len(signals) > 0 {
			c.Found, c.Right = 1, 1
		} else {
			for i := range s.lines() {
				marks[i+1] = "missed"
			}
		}
		if loud {
			c.QueuedRight = 1
		}
		return
	}
	c.Sound = 1
	if len(signals) > 0 {
		c.Wrong = 1
		for i := range s.lines() {
			marks[i+1] = "wrong"
		}
	}
	if loud {
		c.SoundWithFire, c.QueuedWrong = 1, 1
	}
}

func said(s *sessionevents.Signal) bool { return s.Urgency >= queued || s.Escalate }

// judgeLines judges each marked line and each alert.
func judgeLines(s *Sample, signals []*sessionevents.Signal, c *Count, marks map[int]string) {
	bad := map[int]bool{} // bad lines and the ends of their flows
	for _, line := range s.Bad {
		bad[line] = true
		places := []int{line}
		for _, f := range s.Flows {
			if f[0] == line {
				places = append(places, f[1], f[2])
			}
		}
		found := slices.ContainsFunc(places, func(at int) bool { bad[at] = bad[at] || at > 0; return at > 0 && heard(signals, at) })
		c.Bad++
		if found {
			c.Found++
		} else {
			marks[line] = "missed"
		}
	}
	for _, o := range places(signals) {
		line := o.line
		right := 0
		switch distance := closest(bad, line); {
		case slices.Contains(s.Good, line) && distance > 0:
		case distance <= near:
			right = 1
		case !slices.ContainsFunc(s.Good, func(good int) bool { return abs(good-line) <= near }):
			if slices.Contains(s.Quiet, line) {
				c.Quiet++
				marks[line] = "quiet"
			} else {
				c.Else++
				marks[line] = "else"
			}
			continue
		}
		switch {
		case right == 0 && o.said:
			marks[line] = "loud" // a wrong alert at QUEUE or above
		case right == 0:
			marks[line] = "wrong"
		}
		c.Right, c.Wrong = c.Right+right, c.Wrong+1-right
		if o.said {
			c.QueuedRight, c.QueuedWrong = c.QueuedRight+right, c.QueuedWrong+1-right
		}
	}
}

func heard(signals []*sessionevents.Signal, at int) bool {
	return slices.ContainsFunc(signals, func(s *sessionevents.Signal) bool {
		return slices.ContainsFunc(s.Evidence, func(e sessionevents.Evidence) bool { return abs(e.Line-at) <= near })
	})
}

// place is one line that a signal points at.
type place struct {
	line int
	said bool
}

// places returns the lines that signals point at: one signal covers all places of a function.
func places(signals []*sessionevents.Signal) []place {
	var out []place
	for _, s := range signals {
		for _, e := range s.Evidence {
			if p := (place{e.Line, said(s)}); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func closest(lines map[int]bool, line int) int {
	best := 1 << 20
	for at := range lines {
		best = min(best, abs(at-line))
	}
	return best
}

func abs(n int) int { return max(n, -n) }

// Listing returns what was missed and what was reported wrongly, to be read.
func (r *Result) Listing() string { return r.listing.String() }

// Table returns recall and precision.
func (r *Result) Table() string {
	var b strings.Builder
	b.WriteString("\n### Marked lines of analysers' tests\n\n| set, detector, language | bad lines | found | recall | alerts at good lines | precision | at QUEUE and above | alerts at unmarked lines |\n|---|---|---|---|---|---|---|---|\n")
	for _, name := range slices.SortedFunc(maps.Keys(r.Groups), cmp.Compare) {
		c := r.Groups[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %d | %s | %s | %d |\n", name, c.Bad, c.Found, share(c.Found, c.Bad), c.Wrong,
			share(c.Right, c.Right+c.Wrong), share(c.QueuedRight, c.QueuedRight+c.QueuedWrong), c.Quiet+c.Else)
	}
	b.WriteString("\nA mark is found by an alert within three lines of it, of the source or of the sink of its flow. A Psalm sample is judged as a whole.\n")
	return b.String()
}

func share(part, whole int) string {
	if whole == 0 {
		return "—"
	}
	return fmt.Sprintf("%.3f", float64(part)/float64(whole))
}
