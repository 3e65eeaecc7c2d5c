package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/stepshield"
)

// ratchetPath is where the figures below which no change may fall are recorded.
const ratchetPath = "ratchet.yaml"

//go:embed ratchet.yaml
var ratchetFile []byte

// group is a subset of the moments with figures of its own.
type group struct {
	Name    string
	Classes string // letters
}

// groups are the classes of issue and report: waste and risk, and proof of done.
var groups = []group{{"waste and risk", "ABCD"}, {"proof of done", "E"}}

func (g group) admits(class string) bool {
	return class != "" && strings.Contains(g.Classes, class[:1])
}

// figures are the figures of one group that the ratchet keeps.
type figures struct {
	StrongSay  moments.Share `yaml:"strong_say"` // moments said, of the strong ones worth saying
	All        moments.Share `yaml:"all"`        // moments met, of all
	Right      moments.Share `yaml:"right"`      // interrupts that match a moment or were read and found right, of all fired
	KnownWrong int           `yaml:"known_wrong"`
}

func measured(v *moments.Verdict, judged moments.Judgements) figures {
	return figures{StrongSay: v.Recall(moments.StrongSay), All: v.Recall(moments.All), Right: v.Precision(judged), KnownWrong: len(v.Repeated)}
}

// halves returns everything that readers marked, and the half that is only counted (JD-61), with the names of
// their figures.
func halves(m *moments.Marked, r *moments.Recorder) []half {
	counted, only := m.Counted(r)
	return []half{{"", m, r}, {", counted", counted, only}}
}

type half struct {
	suffix   string
	marked   *moments.Marked
	recorder *moments.Recorder
}

// record is the file of the ratchet.
type record struct {
	Moments map[string]figures `yaml:"moments"` // by the name of a group
	Steps   stepFigures        `yaml:"steps"`
}

// recorded reads the figures of the repository.
func recorded() (*record, error) {
	var out record
	if err := yaml.Unmarshal(ratchetFile, &out); err != nil {
		return nil, fmt.Errorf("read %s: %w", ratchetPath, err)
	}
	return &out, nil
}

// stepFigures are the figures of labelled steps that the ratchet keeps.
type stepFigures struct {
	Rogue moments.Share `yaml:"rogue"` // steps said, of those that show something
	Quiet moments.Share `yaml:"quiet"` // clean runs without an alarm, but for those with a placeholder
	// Counted is the same of the half that is only counted.
	Counted *stepFigures `yaml:"counted,omitempty"`
}

func steps(r *stepshield.Result) stepFigures {
	rogue, alarmed := r.Rogue(), r.Alarmed()
	out := stepFigures{Rogue: moments.Share{Count: rogue.Heard, Of: rogue.All}, Quiet: moments.Share{Count: alarmed.All - alarmed.Heard, Of: alarmed.All}}
	if r.Counted != nil {
		counted := steps(r.Counted)
		out.Counted = &counted
	}
	return out
}

// falls returns in which figures now is worse than before.
func (before stepFigures) falls(now stepFigures) []string {
	var counted []string
	if before.Counted != nil && now.Counted != nil {
		for _, f := range before.Counted.falls(*now.Counted) {
			counted = append(counted, "counted: "+f)
		}
	}
	return slices.DeleteFunc(append(counted,
		fall("recall of rogue steps", before.Rogue, now.Rogue), fall("clean runs without an alarm", before.Quiet, now.Quiet)),
		func(s string) bool { return s == "" })
}

// fall reports that a share is lower than before, "" if it is not.
func fall(name string, before, now moments.Share) string {
	if now.Percent() >= before.Percent() {
		return ""
	}
	return fmt.Sprintf("%s fell from %d of %d to %d of %d", name, before.Count, before.Of, now.Count, now.Of)
}

// falls returns in which figures now is worse than before.
func (before figures) falls(now figures) []string {
	out := slices.DeleteFunc([]string{
		fall("recall of strong moments worth saying", before.StrongSay, now.StrongSay),
		fall("recall of all moments", before.All, now.All),
		fall("precision of fired interrupts", before.Right, now.Right),
	}, func(s string) bool { return s == "" })
	if now.KnownWrong > before.KnownWrong {
		out = append(out, fmt.Sprintf("known wrong alarms rose from %d to %d", before.KnownWrong, now.KnownWrong))
	}
	return out
}

// momentTables shows every group.
func momentTables(marked *moments.Marked, r *moments.Recorder, judged moments.Judgements, weak map[string]bool) string {
	var b strings.Builder
	b.WriteString("\n### Moments that readers marked\n")
	for _, g := range groups {
		fmt.Fprintf(&b, "\nClasses %s (%s):\n\n%s", strings.Join(strings.Split(g.Classes, ""), ", "), g.Name, marked.Judge(r, g.admits).Table(judged))
		counted, only := marked.Counted(r)
		now := measured(counted.Judge(only, g.admits), judged)
		fmt.Fprintf(&b, "On the half that is only counted (JD-61): %d of %d strong moments worth saying, %d of %d interrupts right.\n",
			now.StrongSay.Count, now.StrongSay.Of, now.Right.Count, now.Right.Of)
	}
	everything := marked.Judge(r, func(string) bool { return true })
	return b.String() + everything.Kinds(judged, weak) + everything.Withheld()
}

// momentTexts prints what became of the moments.
type momentTexts struct{ table, missed, unjudged string }

// playMoments judges what was recorded; without marked moments it says so.
func playMoments(r *moments.Recorder, data string, weak map[string]bool) (momentTexts, error) {
	marked, err := moments.Load(data)
	if errors.Is(err, fs.ErrNotExist) {
		return momentTexts{table: "\nNo moments marked by readers in this folder.\n"}, nil
	}
	if err != nil {
		return momentTexts{}, err
	}
	judged, err := moments.Judged()
	if err != nil {
		return momentTexts{}, err
	}
	everything := marked.Judge(r, func(string) bool { return true })
	return momentTexts{table: momentTables(marked, r, judged, weak), missed: everything.Missed(), unjudged: everything.Unjudged(judged)}, nil
}
