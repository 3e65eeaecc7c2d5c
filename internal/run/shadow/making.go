package shadow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// goldPlating is RW-12: the Maker works on INFO findings and ignores CRITICALs that are
// open.
var goldPlating = Rule{ID: "RW-12", On: run.Types(runevents.TypeAgentCompleted), Run: making(func(c *Context, d *runevents.AgentCompleted) {
	k := c.work
	addressed, source := d.Addresses, sessionevents.SourceFields
	if d.Addresses == nil {
		addressed, source = c.namedFindings(k), sessionevents.SourceText
	}
	var infos, criticals, ids []string
	for i := range c.run.Findings {
		t := &c.run.Findings[i]
		own := t.Finding.ID != "" && slices.Contains(addressed, t.Finding.ID)
		switch {
		case own && t.Finding.Severity == runevents.SeverityInfo:
			infos, ids = append(infos, t.Finding.ID), append(ids, t.Event)
		case !own && t.Finding.Severity == runevents.SeverityCritical && t.open():
			criticals, ids = append(criticals, nameOf(&t.Finding)), append(ids, t.Event)
		}
	}
	if len(infos) == 0 || len(criticals) == 0 {
		return
	}
	c.reportMade(k, "RW-12", append([]string{c.Event.ID}, ids...), held("info_before_critical", source, len(criticals), 0,
		"%s worked on while %s open: %s", was(infos), isOpen(criticals), some(criticals)))
})}

// reportMade reports a system shadow of a completed agent. If the agent completes again
// with the same shadow, that is a new occurrence.
func (c *Context) reportMade(k *work, rule string, ids []string, because *sessionevents.Condition) {
	c.signal(notice{rule: rule, layer: sessionevents.LayerSystem, agent: k.agent, cycle: k.cycle, events: ids, because: []sessionevents.Condition{*because}})
}

func was(ids []string) string {
	if len(ids) == 1 {
		return "INFO finding " + ids[0] + " was"
	}
	return "INFO findings " + some(ids) + " were"
}

func isOpen(ids []string) string {
	if len(ids) == 1 {
		return "1 CRITICAL is"
	}
	return text.Count(len(ids), "CRITICAL") + " are"
}

// nameOf returns a name of a finding for people.
func nameOf(f *runevents.Finding) string {
	if f.ID != "" {
		return f.ID
	}
	return strconv.Quote(text.Valid(text.Head(strings.ReplaceAll(f.Text, "\n", " "), 60)))
}

// namedFindings returns the findings that the report claims to have worked on.
func (c *Context) namedFindings(k *work) []string {
	var out []string
	for _, sentence := range k.say(&c.config.Words.Reworks) {
		for i := range c.run.Findings {
			if id := c.run.Findings[i].Finding.ID; len(id) > 1 && namesWord(sentence, id) && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// namesWord reports whether a text contains a word as a whole word.
func namesWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		from, to := at+i, at+i+len(word)
		if (from == 0 || !inWord(text[from-1])) && (to == len(text) || !inWord(text[to])) {
			return true
		}
		at = to
	}
}

func inWord(c byte) bool {
	return c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// scopeCreep is RW-16: the Makers changed more than the proposal, either this one alone
// or all of them since it was published. Work that adds no file was already reported.
var scopeCreep = Rule{ID: "RW-16", On: run.Types(runevents.TypeAgentCompleted), Run: making(func(c *Context, _ *runevents.AgentCompleted) {
	k := c.work
	p := c.run.Proposal
	if p == nil || len(p.Files) == 0 || p.Open || len(k.files) == 0 {
		return
	}
	before := len(c.run.Made)
	files := 0
	for _, file := range k.files {
		if p.FromText && (c.config.isTest(file) || c.config.accompanies(file)) {
			continue // a plan's text names only a few of them
		}
		files++
		c.run.Made = c.config.addFile(c.run.Made, file)
	}
	c.run.MadeEvents = text.Newest(append(c.run.MadeEvents, c.Event.ID), 16)
	limit := c.config.System.ScopeRatio * len(p.Files)
	grown := len(c.run.Made) > before && len(c.run.Made) > limit
	if !grown && files <= limit {
		return
	}
	c.reportMade(k, "RW-16", append([]string{p.Event}, c.run.MadeEvents...), held("more_files_than_proposed", k.filesFrom,
		len(c.run.Made), limit, "%s changed for a proposal of %d", text.Count(len(c.run.Made), "file"), len(p.Files)))
})}
