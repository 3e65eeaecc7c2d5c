package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// work holds the facts about one piece of an agent's work when it is evaluated.
type work struct {
	config  *Config
	run     *runState
	agent   agent
	cycle   int
	events  []string
	success bool // what a crashed agent left undone is not a shadow

	report       *reading.Report // the agent's output; nil if there is none
	session      *session        // what was seen of its session; nil if nothing was seen
	findings     []runevents.Finding
	findingsFrom sessionevents.ConditionSource // where findings were read; "" means unknown

	files       []string                      // changed, each once
	filesFrom   sessionevents.ConditionSource // "" means unknown
	lines       int
	commits     int
	commitsFrom sessionevents.ConditionSource
	testsRun    *bool
	proposal    *proposal
}

// gather joins the report of a completed agent with its session and its output.
func (c *Context) gather(d *runevents.AgentCompleted, a agent, cycle int) *work {
	k := &work{config: c.config, run: c.run, agent: a, cycle: cycle, events: []string{c.Event.ID}, success: d.Outcome == runevents.RunOutcomeSuccess, proposal: c.run.Proposal}
	k.session = c.run.sessionOf(a)
	k.read(d.Output)
	k.takeFiles(d, c)
	k.takeCommits(d)
	k.testsRun = d.TestsRun
	switch {
	case d.Findings != nil:
		k.findings, k.findingsFrom = c.config.shortened(d.Findings), sessionevents.SourceFields
	case k.report != nil:
		k.readFindings()
	}
	return k
}

// read parses the output, or the last message of the session if there is none.
func (k *work) read(output string) {
	if output == "" && k.session != nil {
		output = k.session.Text
	}
	if output != "" {
		k.report = reading.Read(output, k.config.Kept.ExaminedBytes)
	}
}

func (k *work) readFindings() {
	if found, listed := k.config.compiled.findings.Findings(k.report); listed {
		k.findings, k.findingsFrom = found, sessionevents.SourceText
	}
}

func (k *work) takeFiles(d *runevents.AgentCompleted, c *Context) {
	switch {
	case d.FilesChanged != nil || d.FilesCreated != nil:
		for _, list := range [][]string{d.FilesChanged, d.FilesCreated} {
			for _, name := range list {
				k.files = c.config.addFile(k.files, name)
			}
		}
		k.filesFrom = sessionevents.SourceFields
	case k.session != nil && len(k.session.Edited) > 0:
		k.files, k.filesFrom = k.session.Edited, sessionevents.SourceSession
	}
	switch {
	case d.DiffLines != nil:
		k.lines = *d.DiffLines
	case k.session != nil && k.agent.Archetype == maker: // otherwise it is not the diff under review
		k.lines = k.session.Lines
	}
}

func (k *work) takeCommits(d *runevents.AgentCompleted) {
	switch {
	case d.Commits != nil:
		k.commits, k.commitsFrom = *d.Commits, sessionevents.SourceFields
	case k.session != nil:
		k.commits, k.commitsFrom = k.session.Commits, sessionevents.SourceSession
	}
}

// say returns the sentences of the report that match a word list.
func (k *work) say(list *reading.WordList) []string {
	if k.report == nil {
		return nil
	}
	return list.Sentences(k.report, 0)
}

// count returns the number of findings with a property.
func (k *work) count(has func(f *runevents.Finding) bool) int {
	n := 0
	for i := range k.findings {
		if has(&k.findings[i]) {
			n++
		}
	}
	return n
}
