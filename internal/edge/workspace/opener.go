package workspace

import (
	"fmt"
	"os"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/codeindex"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Opener informs sessions about their codebase: it fills session.opened from an index and from the
// workspace's own file, and creates one for a session that has none (A2, SW-10).
type Opener struct {
	fixed  *codebase // from --index; nil if there is none
	local  bool      // read .scaffoldwatch.yaml if the workspace is on this machine
	places map[string]*place
	opened map[string]string // session → its group
	notes  []string
}

// codebase is an index with the digest of its content.
type codebase struct {
	*codeindex.Index
	digest string
}

// place is what a workspace's own file states.
type place struct {
	file  *File
	index *codebase
	rules *rules.Set // nil if it changes none
	said  []string   // notes on its rules, for the report
}

// NewOpener reads the index in a file, "" for none. Local makes it read the files of workspaces on this
// machine.
func NewOpener(index string, local bool) (*Opener, error) {
	o := &Opener{local: local, places: map[string]*place{}, opened: map[string]string{}}
	if index == "" {
		return o, nil
	}
	file, err := os.Open(index)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	defer file.Close()
	content, digest, err := codeindex.Read(index, file)
	if err != nil {
		return nil, err
	}
	o.fixed = &codebase{content, digest}
	return o, nil
}

// Notes returns the problems of workspaces' files, each once.
func (o *Opener) Notes() []string { return o.notes }

// Fill returns the events to feed in place of e: e itself, completed if it opens a session, and preceded by
// a session.opened if it is the first turn of a session that was never opened.
func (o *Opener) Fill(e events.Event) []events.Event {
	switch data := e.Data.(type) {
	case *sessionevents.SessionOpened:
		filled := o.fill(e, data)
		o.opened[data.Session] = groupOf(e)
		return []events.Event{filled}
	case *sessionevents.Turn:
		if o.opened[data.Session] != "" || o.fixed == nil {
			break
		}
		agent := data.Agent
		opened := e
		opened.Type, opened.Subject, opened.Raw, opened.Extensions = sessionevents.TypeSessionOpened, data.Session, nil, nil
		opened.DataSchema = ""
		filled := o.fill(opened, &sessionevents.SessionOpened{Session: data.Session, Agent: &agent, Run: data.Run})
		o.opened[data.Session] = groupOf(e)
		return []events.Event{filled, e}
	}
	return []events.Event{e}
}

// RulesFor returns the rules that the workspace of a session.opened asks for, with its folder; nil if it
// asks for none.
func (o *Opener) RulesFor(e events.Event) (*rules.Set, string) {
	data, ok := e.Data.(*sessionevents.SessionOpened)
	if !ok {
		return nil, ""
	}
	if p := o.place(data.Workspace); p != nil {
		return p.rules, data.Workspace
	}
	return nil, ""
}

// RulesSaid returns sentences for the report about the rules that the workspace of a session.opened
// changes, or may not change.
func (o *Opener) RulesSaid(e events.Event) []string {
	data, ok := e.Data.(*sessionevents.SessionOpened)
	if !ok {
		return nil
	}
	if p := o.place(data.Workspace); p != nil {
		return p.said
	}
	return nil
}

// Skip records that the rules of a workspace cannot be used, and ignores them from then on.
func (o *Opener) Skip(folder string, why error) {
	o.notes = append(o.notes, fmt.Sprintf("%s: %v; its rules are skipped", folder, why))
	if p := o.places[folder]; p != nil {
		p.rules, p.said = nil, []string{fmt.Sprintf("The rules of %s are not valid and not in force.", FileName)}
	}
}

// fill adds what the publisher left out. The event gets a new id, different from that of the original, so
// that publishing it again takes effect (EV-2).
func (o *Opener) fill(e events.Event, data *sessionevents.SessionOpened) events.Event {
	full, digest := *data, ""
	if o.fixed != nil {
		digest += o.fixed.fill(&full)
	}
	if p := o.place(data.Workspace); p != nil {
		full.Conventions = merged(full.Conventions, p.file.EventConventions())
		full.Constraints = union(full.Constraints, p.file.Constraints)
		digest += p.file.Digest()
		if p.index != nil {
			digest += p.index.fill(&full)
		}
	}
	if digest == "" {
		return e
	}
	if o.inherits(e, data) {
		full.Codebase = data.Codebase
	}
	if own := len(full.Task) + total(full.Constraints); own > roomForOwn {
		full.Codebase = data.Codebase // together they would exceed the limit of an event (EV-3)
	}
	e.ID = events.DerivedID("opener", e.Source, e.ID+"\x00"+digest, 0)
	e.Data, e.Raw = &full, nil
	return e
}

// inherits reports whether a session is the subagent of one that was opened in the same group: the
// evaluator gives it its parent's codebase (SW-1).
func (o *Opener) inherits(e events.Event, data *sessionevents.SessionOpened) bool {
	return data.Agent != nil && data.Agent.ParentSession != "" && o.opened[data.Agent.ParentSession] == groupOf(e)
}

// groupOf returns the group that an event will have once it is prepared (EV-4).
func groupOf(e events.Event) string {
	e.JoinRun()
	return e.Group()
}

// roomForOwn is the space in a session.opened, in bytes, that an index leaves for what its publisher
// states.
const roomForOwn = 256 << 10

func total(list []string) (n int) {
	for _, s := range list {
		n += len(s)
	}
	return n
}

// fill adds an index unless the codebase is already known.
func (c *codebase) fill(data *sessionevents.SessionOpened) (digest string) {
	if data.Codebase == nil {
		data.Codebase = &c.Codebase
	}
	data.Conventions = merged(data.Conventions, c.Conventions)
	return c.digest
}

// place reads what a workspace's own file states, once.
func (o *Opener) place(folder string) *place {
	if !o.local || folder == "" {
		return nil
	}
	p, known := o.places[folder]
	if !known {
		var err error
		if p, err = readPlace(folder); err != nil {
			o.notes = append(o.notes, err.Error()+"; the file is skipped")
		}
		o.places[folder] = p
	}
	return p
}

func readPlace(folder string) (*place, error) {
	file, err := Read(folder)
	if file == nil || err != nil {
		return nil, err
	}
	p := &place{file: file}
	set, applied, refused, err := file.RuleSet()
	if err != nil {
		return nil, err
	}
	p.rules = set
	for _, c := range applied {
		p.said = append(p.said, fmt.Sprintf("%s changes %s.", FileName, c.Text()))
	}
	for _, c := range refused {
		if c.Line == 0 {
			p.said = append(p.said, fmt.Sprintf("%s would relax %s; only the operator may do that (--rules), so it is not in force.", FileName, c.Text()))
			continue
		}
		p.said = append(p.said, fmt.Sprintf("%s line %d would change %s; only the operator may do that (--rules), so it is not in force.", FileName, c.Line, c.Text()))
	}
	index, digest, err := file.ReadIndex()
	if err != nil {
		return nil, err
	}
	if index != nil {
		p.index = &codebase{index, digest}
	}
	return p, nil
}

// merged appends conventions, except for those whose id is taken.
func merged(have, more []sessionevents.Convention) []sessionevents.Convention {
	out := slices.Clone(have)
	for _, c := range more {
		if !slices.ContainsFunc(out, func(o sessionevents.Convention) bool { return o.ID == c.ID }) {
			out = append(out, c)
		}
	}
	return out
}

func union(have, more []string) []string {
	out := slices.Clone(have)
	for _, s := range more {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
