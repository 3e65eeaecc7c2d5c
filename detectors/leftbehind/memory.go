package leftbehind

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/shell"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

type registryRequest = registry.Request

// kind is the kind of a thing that was started or created.
type kind string

const (
	kindProcess   kind = "process"
	kindContainer kind = "container"
	kindService   kind = "service"
	kindForward   kind = "forward"
	kindCron      kind = "cron"
	kindTemporary kind = "temporary"
	kindDebug     kind = "debug"
)

// thing is something that the session started or created and has not stopped or removed.
type thing struct {
	Kind   kind   `json:"k"`
	Name   string `json:"n"`
	Path   string `json:"p,omitempty"`
	Line   string `json:"l,omitempty"` // of debug code
	Unsure bool   `json:"u,omitempty"` // it may end by itself
	Said   bool   `json:"s,omitempty"`
}

// memory is what this session has left running so far.
type memory struct {
	Started []thing `json:"started,omitempty"`
}

// NewState returns an empty memory.
func (*instance) NewState() any { return &memory{} }

func (m *memory) add(t thing) {
	if strings.HasPrefix(t.Path, shell.TemporaryFolder) {
		return // made by mktemp, to be thrown away
	}
	if !slices.ContainsFunc(m.Started, func(o thing) bool { return o.Kind == t.Kind && o.Name == t.Name }) {
		m.Started = append(m.Started, t)
	}
}

func (m *memory) bound(limit int) {
	m.Started = text.Newest(m.Started, limit)
}

// line returns a step as one text.
func line(t *shell.Step) string { return strings.TrimSpace(t.Name + " " + strings.Join(t.Args, " ")) }

// commanded records what a call starts and stops.
func (d *instance) commanded(m *memory, s *sessionevents.Segment) {
	if slices.Contains(d.config.StopTools, s.Tool.Name) {
		m.stop(kindProcess, "")
		return
	}
	if s.Tool.Command == "" || s.Result != nil && (s.Result.IsError || s.Result.ExitCode != nil && *s.Result.ExitCode != 0) {
		return
	}
	detached := slices.ContainsFunc(d.config.BackgroundFields, func(f string) bool {
		return strings.Contains(strings.ReplaceAll(string(s.Tool.Input), " ", ""), f)
	})
	steps := d.shell.Steps(s.Tool.Command)
	for i := range steps {
		t := &steps[i]
		text := line(t)
		for _, k := range d.stopped(text) {
			m.stop(k, text)
		}
		if k := d.starts(t, text, detached && i == len(steps)-1); k != "" {
			m.add(thing{Kind: k, Name: shortened(text), Unsure: k == kindProcess && !d.config.Servers.MatchString(text)})
		}
		if t.Background && t.To != "" && d.config.Temporary.MatchString(t.To) {
			m.add(thing{Kind: kindTemporary, Name: t.To, Path: t.To})
		}
	}
	for _, l := range d.shell.Loops(s.Tool.Command) {
		if l.Endless && l.Waits && (strings.HasSuffix(strings.TrimSpace(s.Tool.Command), "&") || detached) {
			m.add(thing{Kind: kindProcess, Name: shortened(l.Source)})
		}
	}
}

// starts returns the kind of thing that a command leaves running, "" for none.
func (d *instance) starts(t *shell.Step, text string, detached bool) kind {
	switch {
	case d.config.RemovedItself.MatchString(text):
		return ""
	case d.config.Containers.MatchString(text):
		return kindContainer
	case d.config.Services.MatchString(text):
		return kindService
	case d.config.Schedules.MatchString(text):
		return kindCron
	case d.config.Forwards.MatchString(text) && (t.Background || detached || strings.Contains(text, " -f")):
		return kindForward
	case (t.Background || detached) && !slices.Contains([]string{"sleep", "wait", "curl", "true", ":", "echo", "test", "["}, t.Name):
		return kindProcess
	}
	return ""
}

// stopped returns the kinds of things that a command stops.
func (d *instance) stopped(text string) (kinds []kind) {
	for _, k := range []kind{kindProcess, kindContainer, kindService, kindForward, kindCron, kindTemporary} {
		if p := d.config.Stops[k]; p != nil && p.MatchString(text) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// stop drops what a command stops: a file by its name, otherwise everything of the kind.
func (m *memory) stop(k kind, text string) {
	m.Started = slices.DeleteFunc(m.Started, func(t thing) bool {
		return t.Kind == k && (k != kindTemporary || strings.Contains(text, path.Base(t.Path)) || strings.Contains(text, path.Dir(t.Path)+"/"))
	})
}

// edited records debug code and temporary files, and what is removed again.
func (d *instance) edited(m *memory, p *detect.Pass, s *sessionevents.Segment) {
	file := p.Before.Path(s.Path)
	if s.Diff.Op == sessionevents.DiffDelete {
		m.Started = slices.DeleteFunc(m.Started, func(t thing) bool { return t.Path == file })
		return
	}
	if s.Diff.Op == sessionevents.DiffCreate && d.config.Temporary.MatchString(file) {
		m.add(thing{Kind: kindTemporary, Name: file, Path: file})
	}
	if d.aside(file) || d.config.Temporary.MatchString(file) {
		return
	}
	for _, l := range s.Diff.Removed() {
		text := strings.TrimSpace(l.Text)
		m.Started = slices.DeleteFunc(m.Started, func(t thing) bool { return t.Kind == kindDebug && t.Path == file && t.Line == text })
	}
	for _, l := range s.Diff.Added() {
		if text := strings.TrimSpace(l.Text); len(text) < 200 && d.config.Debug.MatchString(text) {
			m.add(thing{Kind: kindDebug, Name: "debug code in " + path.Base(file), Path: file, Line: text})
		}
	}
}

func shortened(s string) string {
	words := strings.Fields(s)
	return text.Short(strings.Join(words[:min(len(words), 6)], " "), 61)
}
