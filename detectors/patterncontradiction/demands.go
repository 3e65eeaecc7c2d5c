package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// demand is a thing of the code that a person asked for by its name: a call to
// make, or a file to write.
type demand struct {
	Name string `json:"n"`
	File bool   `json:"f,omitempty"`
	Text string `json:"x"`
	Turn int    `json:"t"`
	// Acted says that an edit came since, Done that one of them holds it.
	Acted bool `json:"a,omitempty"`
	Done  bool `json:"d,omitempty"`
}

// asks reads the demands of the turn's own messages. A person's word ends what
// was refused before.
func (t *turn) asks() {
	for i := range t.Pass.Turn.Segments {
		s := &t.Pass.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentUser {
			continue
		}
		t.memory.Denied = nil
		for _, sentence := range prose.Sentences(s.Text) {
			t.demandIn(sentence.Text)
		}
	}
}

func (t *turn) demandIn(sentence string) {
	if strings.Contains(sentence, "?") || t.Soft.MatchString(sentence) || t.negation.MatchString(strings.ToLower(sentence)) {
		return
	}
	add := func(name string, file bool) {
		d := demand{Name: name, File: file, Text: detect.Quote(sentence), Turn: t.Pass.Turn.Turn}
		if !slices.ContainsFunc(t.memory.Demands, func(o demand) bool { return o.Name == name }) {
			t.memory.Demands = bounded(t.memory.Demands, d, t.Limits.Named)
		}
	}
	for _, m := range t.DemandCall.FindAllStringSubmatch(sentence, -1) {
		name, _, _ := strings.Cut(strings.Trim(m[1], "` "), "(")
		if last := lastName(name); len(last) >= 4 {
			add(name, false)
		}
	}
	for _, m := range t.DemandFile.FindAllStringSubmatch(sentence, -1) {
		if name := strings.Trim(m[1], "`. "); path.Ext(name) != "" {
			add(name, true)
		}
	}
}

// lastName is the last part of a dotted name.
func lastName(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

// meets marks the demands that an edit fulfils, and reports a new file that takes
// the place of the one that was named.
func (t *turn) meets(e *edit) {
	for i := range t.memory.Demands {
		d := &t.memory.Demands[i]
		if d.Turn > t.Pass.Turn.Turn {
			continue
		}
		d.Acted = true
		if d.File {
			d.Done = d.Done || exactly(d.Name, e.file) || samePath(d.Name, e.file)
		} else {
			d.Done = d.Done || containsName(e.text, lastName(d.Name))
		}
	}
	if e.segment.Diff.Op != sessionevents.DiffCreate || e.rewritten {
		return
	}
	for i := range t.memory.Demands {
		if d := &t.memory.Demands[i]; d.File && !d.Done && standsIn(d.Name, e.file) && len(t.Before.Reads(d.Name)) == 0 {
			t.otherFile(d, e)
		}
	}
}

// standsIn reports whether a file is another one than the named, in the same or a
// like-named folder and with its name within its own.
func standsIn(named, file string) bool {
	a, b := strings.TrimSuffix(path.Base(named), path.Ext(named)), strings.TrimSuffix(path.Base(file), path.Ext(file))
	if path.Ext(named) != path.Ext(file) || a == b || path.Base(path.Dir(named)) != path.Base(path.Dir(file)) || path.Dir(named) == "." {
		return false
	}
	return strings.Contains(b, a) || strings.Contains(a, b)
}

func (t *turn) otherFile(d *demand, e *edit) {
	evidence := detect.At(e.segment, 0, len(firstLine(e.text)))
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: d.Turn, Path: d.Name, What: d.Text}
	t.report(contradiction{
		subclass: "named-file", thing: e.file, established: d.Name, cost: contraryCost, confidence: t.Confidence.Path, evidence: evidence,
		message: fmt.Sprintf("The user named %s (turn %d); this turn creates %s instead. Write to the file that was named, or say why not.", quote.Path(d.Name), d.Turn, quote.Path(e.file)),
		reason:  "The file that the user named is not the one that was made.",
	})
}

// dropped reports, at the end of a response, calls that a person asked for and that
// no edit since makes.
func (t *turn) dropped() {
	report := t.Report()
	if report == nil {
		return
	}
	for i := range t.memory.Demands {
		d := &t.memory.Demands[i]
		if d.File || !d.Acted || d.Done || t.Pass.Turn.Turn-d.Turn > t.DemandTurns || strings.Contains(t.plan(), strings.ToLower(lastName(d.Name))) {
			continue
		}
		evidence := detect.At(report, 0, min(len(report.Text), 200))
		evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: d.Turn, What: d.Text}
		t.report(contradiction{
			rule: d.Text, subclass: "dropped", thing: d.Name, cost: contraryCost, confidence: t.Confidence.Dropped, evidence: evidence,
			message: fmt.Sprintf("The user asked for %s (turn %d); no edit since uses it, and the response ends without a word about it. Use it, or say why not.", quote.Name(d.Name), d.Turn),
			reason:  "A thing that the user asked for by name is neither done nor mentioned.",
		})
		d.Done = true
	}
}
