package preflight

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/guard"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Bounds for the texts about one call.
const (
	maxActs      = 12
	commandBytes = 200
)

// Decided returns the event about an answer (GD-21), nil if there is nothing to record: a
// plain allow, or a halt, which is recorded separately (RW-33). Its texts are redacted
// (SW-7). The caller adds a snapshot that was taken first.
func (c *Checker) Decided(call *Call, a *Answer) *sessionevents.GuardDecided {
	if a.Class == ClassHalt || a.Decision == Allow && (a.Permission == nil || a.Permission.How == sessionevents.GuardAsked) {
		return nil
	}
	d := &sessionevents.GuardDecided{
		Session: call.Session, Run: call.Run, Turn: call.Turn, Workspace: c.clean(call.Workspace),
		Tool: quote.Name(call.Name), Command: c.clean(c.command(call)),
		Acts: []sessionevents.GuardAct{}, Verdict: a.Decision, Class: a.Class, Rule: a.Rule, Text: c.clean(a.Text), Permission: a.Permission, Word: a.Word,
	}
	for _, act := range a.Acts {
		act.Target = c.clean(act.Target)
		d.Acts = append(d.Acts, act)
	}
	return d
}

// Same returns a text that identifies what a call would do, and where: the command line,
// otherwise the whole input.
func (c *Checker) Same(call *Call) string {
	block := call.Block()
	what := string(call.Input)
	if command, _, ok := c.segmenter.Shell(&block); ok {
		what = command
	}
	sum := sha256.Sum256([]byte(call.Name + "\x00" + cmp.Or(call.Directory, call.Workspace) + "\x00" + what))
	return hex.EncodeToString(sum[:16])
}

// InPlaceOfAPerson returns the answer to a call that contains the word which only a
// person may give (GD-11).
func (c *Checker) InPlaceOfAPerson() Answer {
	return c.selfRelease("it lifts a denial")
}

func (c *Checker) clean(text string) string {
	clean, _ := c.redactor.Text(text, "")
	return clean
}

// command returns what a call would run, shortened, or the files that it would write.
func (c *Checker) command(call *Call) string {
	block := call.Block()
	s := ""
	if command, _, ok := c.segmenter.Shell(&block); ok {
		s = command
	} else {
		patches, _ := c.segmenter.Edited(&block)
		names := make([]string, len(patches))
		for i := range patches {
			names[i] = patches[i].Path
		}
		s = strings.Join(names, ", ")
	}
	return text.Cut(text.Line(s), commandBytes)
}

// actsOf returns an effect's acts on what may not be recoverable: on the files that would
// be lost, otherwise on the places and things that the line names.
func actsOf(f *guard.Finding) (list []sessionevents.GuardAct) {
	e := f.Effect
	one := sessionevents.GuardAct{Act: e.Does(), Certainty: certainty(e)}
	for i := range f.Lost {
		one.Target, one.Owner = f.Lost[i].Path, owner(&f.Lost[i])
		list = append(list, one)
	}
	if one.Owner = ""; len(list) == 0 {
		for _, target := range targets(f) {
			one.Target = target
			list = append(list, one)
		}
	}
	if len(list) == 0 {
		list = append(list, sessionevents.GuardAct{Act: e.Does(), Target: e.Loses, Certainty: certainty(e)})
	}
	return list[:min(len(list), maxActs)]
}

func targets(f *guard.Finding) []string {
	if f.Place != "" {
		return []string{f.Place}
	}
	var list []string
	for i := range f.Effect.Places {
		p := &f.Effect.Places[i]
		list = append(list, cmp.Or(p.Path, p.Text))
	}
	if len(list) == 0 {
		list = f.Effect.Targets
	}
	return list
}

func certainty(e *destruct.Effect) sessionevents.GuardCertainty {
	if e.Open || e.Lost || slices.ContainsFunc(e.Places, func(p destruct.Place) bool { return p.Unknown() || p.Pattern }) {
		return sessionevents.GuardPossible
	}
	return sessionevents.GuardCertain
}

// owner returns the owner of a file's changes.
func owner(f *guard.WorkFile) string {
	switch {
	case f.Own:
		return "this session"
	case f.Session != "":
		return "session:" + f.Session
	case f.Before:
		return "person"
	}
	return "unknown"
}
