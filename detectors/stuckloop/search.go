package stuckloop

import (
	"slices"
	"strings"

	"github.com/buger/jsonparser"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// query is a search as it was asked.
type query struct {
	text  string // the pattern
	scope string // the folder
	only  string // what else narrows it: file types, globs
	regex bool   // of a search tool, where brackets must be closed
}

// emptied is a search that found nothing, since the last change of files.
type emptied struct {
	Text  uint32 `json:"t"`
	Scope string `json:"s,omitempty"`
	Only  uint32 `json:"o,omitempty"`
}

const maxEmptied = 8

// search counts searches that could find nothing: their pattern looks damaged, or it was empty
// already where they look.
func (c call) search() {
	a := c.a
	q, ok := c.query(a)
	if !ok || !c.foundNothing(a) {
		return
	}
	m := c.memory
	e := emptied{Text: hash(q.text), Scope: q.scope, Only: hash(q.only)}
	again := slices.ContainsFunc(m.Emptied, e.within)
	if !again {
		m.Emptied = text.Newest(append(m.Emptied, e), maxEmptied)
	}
	broken := c.damaged(&q)
	if !again && !broken {
		return
	}
	length, first := c.sight(kindSearch, kindMark, c.SearchCalls)
	l := loop{
		kind: kindSearch, id: kindMark, subject: "searches that find nothing", length: length, first: first,
		limits: c.EmptySearches, job: brief(q.text),
	}
	if broken {
		l.mishap = "damaged"
	}
	c.grow(l, a.segment)
}

// within: the same search was empty in a scope that holds this one.
func (e *emptied) within(old emptied) bool {
	if e.Text != old.Text || old.Only != e.Only && old.Only != hash("") {
		return false
	}
	wide := old.Scope == "" || old.Scope == "." || old.Scope == e.Scope
	return wide || strings.HasPrefix(e.Scope, strings.TrimSuffix(old.Scope, "/")+"/")
}

// query is what a call searches for, of files or the web.
func (d *instance) query(a *act) (query, bool) {
	t := a.segment.Tool
	if t == nil {
		return query{}, false
	}
	if !a.is(sessionevents.ToolSearch, sessionevents.ToolFetch) {
		return shellQuery(a)
	}
	q := query{regex: true}
	for _, field := range d.QueryFields {
		if text, err := jsonparser.GetString(t.Input, field); err == nil {
			q.text = text
			break
		}
	}
	for _, field := range d.FilterFields {
		if text, err := jsonparser.GetString(t.Input, field); err == nil {
			q.only += field + text
		}
	}
	for _, access := range a.segment.Accesses {
		q.scope = access.Target
	}
	if a.is(sessionevents.ToolFetch) {
		q.scope = ""
	}
	return q, q.text != ""
}

// shellQuery is the search of a shell command that does nothing else.
func shellQuery(a *act) (query, bool) {
	if !a.is(sessionevents.ToolShell) || len(a.segment.Accesses) != 1 {
		return query{}, false
	}
	access := &a.segment.Accesses[0]
	return query{text: access.Query, scope: access.Target}, access.Kind == sessionevents.AccessSearch && access.Query != ""
}

// foundNothing: the search gave an answer, and it is that there is nothing.
func (d *instance) foundNothing(a *act) bool {
	r := a.segment.Result
	if r == nil {
		return false
	}
	output := a.output()
	if output == "" || d.NoMatch.MatchString(output) {
		return true
	}
	web := a.is(sessionevents.ToolFetch) && r.Tail == ""
	return web && a.failure == nil && !d.WebResult.MatchString(output)
}

// damaged: a quote or a bracket of the pattern is left open, or it is no more than delimiters.
func (d *instance) damaged(q *query) bool {
	if d.DamagedQuery.MatchString(q.text) {
		return true
	}
	text := escaped.ReplaceAllString(q.text, "")
	if strings.Count(text, `"`)%2 != 0 || strings.Count(text, "`")%2 != 0 {
		return true
	}
	if !q.regex {
		return false
	}
	text = classes.ReplaceAllString(text, "")
	for _, pair := range []string{"()", "[]", "{}"} {
		if strings.Count(text, pair[:1]) != strings.Count(text, pair[1:]) {
			return true
		}
	}
	return false
}

// What says nothing of a pattern's brackets.
var (
	escaped = pattern.Must(`\\.`)
	classes = pattern.Must(`\[\^?\]?[^\]]*\]`)
)

// finds: a search that is not damaged has a result, so that this series is over (JD-45).
func (c call) finds() bool {
	a := c.a
	q, ok := c.query(a)
	return ok && !c.damaged(&q) && a.segment.Result != nil && a.failure == nil && !c.foundNothing(a)
}
