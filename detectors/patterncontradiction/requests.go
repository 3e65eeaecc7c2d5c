package patterncontradiction

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/code"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

type (
	// requests follows files and calls that a person asked for by name.
	requests struct{ *turn }
	// denials finds calls that reach what was refused before.
	denials struct{ *turn }
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
func (k *requests) asks() {
	for i := range k.Pass.Turn.Segments {
		s := &k.Pass.Turn.Segments[i]
		if s.Kind != sessionevents.SegmentUser {
			continue
		}
		k.memory.Denied = nil
		for _, sentence := range prose.Sentences(s.Text) {
			k.demandIn(sentence.Text)
		}
	}
}

func (k *requests) demandIn(sentence string) {
	if strings.Contains(sentence, "?") || k.Soft.MatchString(sentence) || k.negation.MatchString(strings.ToLower(sentence)) {
		return
	}
	add := func(name string, file bool) {
		d := demand{Name: name, File: file, Text: detect.Quote(sentence), Turn: k.Pass.Turn.Turn}
		if !slices.ContainsFunc(k.memory.Demands, func(o demand) bool { return o.Name == name }) {
			k.memory.Demands = detect.Once(k.memory.Demands, d, k.Limits.Named)
		}
	}
	for _, m := range k.DemandCall.FindAllStringSubmatch(sentence, -1) {
		name, _, _ := strings.Cut(strings.Trim(m[1], "` "), "(")
		if last := lastName(name); len(last) >= 4 {
			add(name, false)
		}
	}
	for _, m := range k.DemandFile.FindAllStringSubmatch(sentence, -1) {
		if name := strings.Trim(m[1], "`. "); path.Ext(name) != "" {
			add(name, true)
		}
	}
}

// lastName is the last part of a dotted name.
func lastName(name string) string { return name[strings.LastIndexAny(name, ".:")+1:] }

// meets marks the demands that an edit fulfils, and reports a new file that takes
// the place of the one that was named.
func (k *requests) meets(e *edit) {
	for i := range k.memory.Demands {
		d := &k.memory.Demands[i]
		if d.Turn > k.Pass.Turn.Turn {
			continue
		}
		d.Acted = true
		if d.File {
			d.Done = d.Done || exactly(d.Name, e.file) || registry.SameFile(d.Name, e.file)
		} else {
			d.Done = d.Done || code.Holds(e.text, lastName(d.Name))
		}
	}
	if e.segment.Diff.Op != sessionevents.DiffCreate || e.rewritten {
		return
	}
	for i := range k.memory.Demands {
		if d := &k.memory.Demands[i]; d.File && !d.Done && standsIn(d.Name, e.file) && len(k.Before.Reads(d.Name)) == 0 {
			k.otherFile(d, e)
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

func (k *requests) otherFile(d *demand, e *edit) {
	evidence := detect.At(e.segment, 0, len(e.firstLine()))
	evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: d.Turn, Path: d.Name, What: d.Text}
	k.report(contradiction{
		subclass: "named-file", thing: e.file, established: d.Name, cost: contraryCost, confidence: k.Confidence.Path, evidence: evidence,
		message: fmt.Sprintf("The user named %s (turn %d); this turn creates %s instead. Write to the file that was named, or say why not.", quote.Path(d.Name), d.Turn, quote.Path(e.file)),
		reason:  "The file that the user named is not the one that was made.",
	})
}

// dropped reports, at the end of a response, calls that a person asked for and that
// no edit since makes.
func (k *requests) dropped() {
	report := k.Report()
	if report == nil {
		return
	}
	for i := range k.memory.Demands {
		d := &k.memory.Demands[i]
		if d.File || !d.Acted || d.Done || k.Pass.Turn.Turn-d.Turn > k.DemandTurns || strings.Contains(k.plan(), strings.ToLower(lastName(d.Name))) {
			continue
		}
		evidence := detect.At(report, 0, min(len(report.Text), 200))
		evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: d.Turn, What: d.Text}
		k.report(contradiction{
			rule: d.Text, subclass: "dropped", thing: d.Name, cost: contraryCost, confidence: k.Confidence.Dropped, evidence: evidence,
			message: fmt.Sprintf("The user asked for %s (turn %d); no edit since uses it, and the response ends without a word about it. Use it, or say why not.", quote.Name(d.Name), d.Turn),
			reason:  "A thing that the user asked for by name is neither done nor mentioned.",
		})
		d.Done = true
	}
}

// denial is a path that a refused call would have reached.
type denial struct {
	Path string `json:"p"`
	Turn int    `json:"n"`
	Tool string `json:"t"`
}

// refused keeps what a refused call was about. A refused edit is a matter of its
// content, and the person says what they want instead.
func (k *denials) refused(s *sessionevents.Segment) {
	if !s.Rejected || s.Tool == nil || s.Tool.Canonical == sessionevents.ToolEdit || s.Tool.Canonical == sessionevents.ToolWrite {
		return
	}
	for _, p := range k.reaches(s) {
		k.memory.Denied = detect.Once(k.memory.Denied, denial{p, k.Pass.Turn.Turn, s.Tool.Name}, k.Limits.Named)
	}
}

// reaches are the files and folders that a call is about: those it accesses, or
// those a refused one would have. The arguments of a tool that is not known are
// searched for paths.
func (k *denials) reaches(s *sessionevents.Segment) []string {
	accesses := s.Accesses
	if s.Rejected && s.Tool.Command != "" {
		accesses = k.commands.Parse(s.Tool.Command).Accesses // a segment has none of what never ran
	}
	named := []string{s.Path}
	for _, a := range accesses {
		named = append(named, a.Target)
	}
	if len(accesses) == 0 && s.Path == "" && s.Tool.Command == "" {
		named = k.Path.FindAllString(string(s.Tool.Input), -1)
	}
	var out []string
	for _, p := range named {
		if p = strings.TrimRight(strings.TrimPrefix(p, "./"), "/."); strings.Contains(p, "/") && len(p) >= leastPath && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// leastPath is the length of a path that says enough to be known again.
const leastPath = 6

// circumvented reports a call that reaches what was refused, with nothing said by
// the person in between.
func (k *denials) circumvented(s *sessionevents.Segment) {
	if s.Rejected || s.Tool == nil || len(k.memory.Denied) == 0 {
		return
	}
	for _, p := range k.reaches(s) {
		for _, d := range k.memory.Denied {
			if d.Turn == k.Pass.Turn.Turn || !sameTree(d.Path, p) {
				continue
			}
			evidence := detect.Whole(s)
			evidence.ConflictsWith = &sessionevents.EarlierEvent{Turn: d.Turn, Path: d.Path, What: "refused: " + d.Tool}
			k.report(contradiction{
				subclass: "denied", thing: d.Path, cost: contraryCost, confidence: k.Confidence.Denied, evidence: evidence,
				message: fmt.Sprintf("Permission for %s on %s was denied in turn %d, and this turn reaches it another way. Ask before you go on.", quote.Name(d.Tool), quote.Path(d.Path), d.Turn),
				reason:  "What a person or policy refused is reached by another call, without a word in between.",
			})
			k.memory.Denied = nil // said once
			return
		}
	}
}

// sameTree reports whether one path is the other or holds it.
func sameTree(a, b string) bool {
	return a == b || strings.HasPrefix(b, a+"/") || strings.HasPrefix(a, b+"/") || strings.HasSuffix(a, "/"+b) || strings.HasSuffix(b, "/"+a) ||
		strings.Contains(b, "/"+a+"/")
}
