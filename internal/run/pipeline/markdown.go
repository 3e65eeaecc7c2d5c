package pipeline

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// goalAsked, taskAsked and ticketAsked fold what people asked for (PL-42).
var (
	goalAsked = Rule{ID: "PL-42", Folds: true, On: run.Types(runevents.TypeRunStarted), Run: run.With(func(c *Context, d *runevents.RunStarted) {
		c.asked(d.Goal)
	})}
	taskAsked = Rule{ID: "PL-42", Folds: true, On: run.Types(sessionevents.TypeSessionOpened), Run: run.With(func(c *Context, d *sessionevents.SessionOpened) {
		c.asked(d.Task)
	})}
	ticketAsked = Rule{ID: "PL-42", Folds: true, On: run.Types(runevents.TypeTicketReceived), Run: run.With(func(c *Context, d *runevents.TicketReceived) {
		c.asked(d.Title)
		c.asked(d.Text)
		for _, one := range d.AcceptanceCriteria {
			c.asked(one)
		}
	})}
)

// filesProposed folds the files of the plan (PL-42).
var filesProposed = Rule{ID: "PL-42", Folds: true, On: run.Types(runevents.TypeProposalPublished), Run: run.With(func(c *Context, d *runevents.ProposalPublished) {
	for _, file := range d.Files {
		c.run.Proposed = text.Newest(append(c.run.Proposed, short(file)), c.config.Kept.Files)
	}
})}

// asked remembers what people asked for (PL-42).
func (c *Context) asked(s string) {
	if room := c.config.Kept.TextBytes - len(c.run.Asked); room > 0 && s != "" {
		c.run.Asked += strings.ToLower(text.Head(s, room)) + "\n"
	}
}

// markdownCommitted is PL-42. A publisher's claim is warned of as well: it says
// so of itself.
var markdownCommitted = Rule{ID: "PL-42", On: run.Types(runevents.TypeGitCommit), Run: run.With(func(c *Context, d *runevents.GitCommit) {
	if !c.run.On || d.Blocked {
		return
	}
	var unasked []string
	for _, file := range d.Files {
		if c.config.Markdown.document(file) && !c.wasAsked(file) {
			unasked = append(unasked, file)
		}
	}
	if len(unasked) == 0 {
		return
	}
	claimed := ""
	if c.Event.Credential != events.RoleInfra {
		claimed = " (as its publisher says)"
	}
	j := c.judgement("MARKDOWN-COMMITTED", "PL-42", "Markdown was committed that nobody asked for%s: %s.", claimed, several(unasked))
	for _, file := range unasked[:min(len(unasked), 8)] {
		j.Evidence = append(j.Evidence, runevents.Reference{Event: c.Event.ID, Path: short(file)})
	}
	j.Evidence = j.Evidence[1:]
	c.warning(j)
})}

func (m *MarkdownRules) document(file string) bool {
	at := strings.LastIndexByte(file, '.')
	return at >= 0 && slices.Contains(m.Extensions, strings.ToLower(file[at+1:]))
}

// wasAsked reports a document that the goal, the ticket or the proposal names,
// or a task about documents.
func (c *Context) wasAsked(file string) bool {
	if slices.ContainsFunc(c.run.Proposed, func(p string) bool { return samePath(p, file) }) {
		return true
	}
	base := strings.ToLower(file[strings.LastIndexByte(file, '/')+1:])
	stem, _, _ := strings.Cut(base, ".")
	if len(stem) > 3 && strings.Contains(c.run.Asked, stem) {
		return true
	}
	return slices.ContainsFunc(c.config.Markdown.Asked, func(word string) bool { return strings.Contains(c.run.Asked, word) })
}
