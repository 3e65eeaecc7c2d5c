package replay

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Stage is the result for one stage.
type Stage struct {
	Stage string `json:"stage"`
	// OtherBuilds are the builds that recorded it, unless that was only this one (AU-12).
	OtherBuilds []buildinfo.Build `json:"other_builds,omitempty"`
	Groups      int               `json:"groups"`
	Same        int               `json:"same"`
	Seconds     float64           `json:"seconds"`
	Other       []Other           `json:"other_rules,omitempty"`
	// Under lists the rules of a bundle under which its groups were replayed.
	Under       []Under      `json:"under,omitempty"`
	Differences []Difference `json:"differences,omitempty"`
	// NotReplayed is the reason why the stage was not replayed.
	NotReplayed string `json:"not_replayed,omitempty"`
}

// Other are groups that were recorded under other rules than those of the replay.
type Other struct {
	Rules  string `json:"rules"`
	Config string `json:"config"`
	Groups int    `json:"groups"`
	// From is the configuration that the groups began under, if they were recorded under two.
	From string `json:"from,omitempty"`
	// Changed lists the differences between those rules and the rules of this replay.
	Changed string `json:"changed,omitempty"`
}

// Under are groups that were replayed under one configuration.
type Under struct {
	Rules  string `json:"rules"`
	Config string `json:"config"`
	Groups int    `json:"groups"`
}

// Difference is the first event of a group that is derived differently.
type Difference struct {
	Group     string          `json:"group"`
	Partition int             `json:"partition"`
	Cause     string          `json:"cause"` // id of the input
	Event     string          `json:"event"` // id
	Type      string          `json:"type"`
	Field     string          `json:"field"`
	Was       string          `json:"recorded"`
	Is        string          `json:"derived"`
	Recorded  json.RawMessage `json:"recorded_data,omitempty"`
	Derived   json.RawMessage `json:"derived_data,omitempty"`
	// State is the SHA-256 of the group's state before the input, for the first differences.
	State string `json:"state_before,omitempty"`
	// DerivedType is set if an event of another type is derived instead of this one.
	DerivedType string `json:"derived_type,omitempty"`
	// Fields lists the differing fields, up to a limit; AllFields counts them.
	Fields    []engine.FieldDifference `json:"fields,omitempty"`
	AllFields int                      `json:"all_fields,omitempty"`
}

// Report is the result of a replay. Same is false if anything differs or was not compared.
type Report struct {
	Same   bool            `json:"same"`
	Build  buildinfo.Build `json:"build"`
	Rules  string          `json:"rules"`
	Config string          `json:"config"`
	Stages []Stage         `json:"stages"`
}

func newReport(id step.Identity) Report {
	return Report{Same: true, Build: buildinfo.Current(), Rules: id.RulesVersion, Config: id.ConfigHash}
}

// add adds the result of a stage.
func (r *Report) add(s Stage) {
	r.Stages = append(r.Stages, s)
	r.Same = r.Same && len(s.Differences) == 0 && len(s.Other) == 0
}

// Differs reports whether anything is derived differently.
func (r Report) Differs() bool {
	return slices.ContainsFunc(r.Stages, func(s Stage) bool { return len(s.Differences) > 0 })
}

// Found reports whether anything is recorded of what was asked for.
func (r Report) Found() bool {
	return slices.ContainsFunc(r.Stages, func(s Stage) bool { return s.Groups > 0 || len(s.Other) > 0 })
}

func (s *Stage) fill(got engine.Rederived, took time.Duration) {
	s.Groups, s.Same, s.Seconds = got.Groups, got.Same, took.Seconds()
	for _, o := range got.Other {
		s.Other = append(s.Other, Other{Rules: o.Rules, Config: o.Config, Groups: o.Groups})
	}
	for _, d := range got.First {
		found := Difference{
			Group: d.Group, Partition: d.Partition, Cause: d.Cause, Event: d.ID, Type: d.Type, Field: d.Field, Was: d.Recorded, Is: d.Derived,
			Recorded: raw(d.Was), Derived: raw(d.Is), DerivedType: d.DerivedType, State: d.State,
		}
		if len(d.Was) > 0 && len(d.Is) > 0 && d.DerivedType == "" {
			found.Fields, found.AllFields = engine.Fields(d.Was, d.Is)
		}
		s.Differences = append(s.Differences, found)
	}
}

// raw returns data as JSON, as a string if it is not valid JSON.
func raw(data []byte) json.RawMessage {
	if len(data) == 0 || json.Valid(data) {
		return data
	}
	quoted, _ := json.Marshal(string(data)) // a string always encodes
	return quoted
}

// WriteText writes the report for a person.
func (r Report) WriteText(out io.Writer) error {
	var b strings.Builder
	for _, s := range r.Stages {
		s.text(&b, r)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// text writes the result of a stage for a person.
func (s Stage) text(b *strings.Builder, report Report) {
	stream, _ := nats.StreamOf(s.Stage) // it was replayed
	if len(s.OtherBuilds) > 0 {
		fmt.Fprintf(b, "%-10s  another build: %s was recorded by %s, and this is %s\n", s.Stage, stream, names(s.OtherBuilds), report.Build)
	}
	if s.NotReplayed != "" {
		fmt.Fprintf(b, "%-10s  not replayed: %s\n", s.Stage, s.NotReplayed)
		return
	}
	if len(s.Under) > 1 {
		for _, u := range s.Under {
			fmt.Fprintf(b, "%-10s  %s under rules %s, configuration %s\n", s.Stage, groups(u.Groups), u.Rules, u.Config)
		}
	}
	for _, o := range s.Other {
		if o.From != "" {
			fmt.Fprintf(b, "%-10s  compared in part: %s of %s, begun under configuration %s and continued under %s; changed: %s\n",
				s.Stage, groups(o.Groups), stream, o.From, o.Config, quote.Visible(o.Changed))
			continue
		}
		fmt.Fprintf(b, "%-10s  not compared: %s of %s, recorded under rules %s, configuration %s; this replay has rules %s, configuration %s; changed: %s\n",
			s.Stage, groups(o.Groups), stream, o.Rules, o.Config, report.Rules, report.Config, quote.Visible(o.Changed))
	}
	fmt.Fprintf(b, "%-10s  %s of %s derived as recorded, %d differ (%.1f s)\n", s.Stage, text.Count(s.Same, "event"), groups(s.Groups), len(s.Differences), s.Seconds)
	for _, d := range s.Differences {
		d.text(b)
	}
}

// names lists builds for a person.
func names(all []buildinfo.Build) string {
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.String()
	}
	return strings.Join(names, ", ")
}

// groups returns a number of sessions and runs, in words.
func groups(n int) string { return text.Count(n, "session or run", "sessions and runs") }

// text writes the first difference of a session or run: its cause, the fields that differ, and both events.
func (d Difference) text(b *strings.Builder) {
	fmt.Fprintf(b, "\n%s: %s %s, caused by input %s\n", d.Group, d.Type, d.Event, d.Cause)
	if d.State != "" {
		fmt.Fprintf(b, "  state before it: %.16s (SHA-256)\n", d.State)
	}
	switch {
	case d.DerivedType != "":
		fmt.Fprintf(b, "  another event is derived in its place\n    recorded: %s\n    derived:  %s\n", d.Type, d.DerivedType)
	case d.AllFields > 0:
		for _, f := range d.Fields {
			fmt.Fprintf(b, "  differs in %s\n    recorded: %s\n    derived:  %s\n", f.Path, quote.Visible(f.Recorded), quote.Visible(f.Derived))
		}
		if more := d.AllFields - len(d.Fields); more > 0 {
			fmt.Fprintf(b, "  and in %d more fields\n", more)
		}
	default: // not in its data
		fmt.Fprintf(b, "  differs in %s\n    recorded: %s\n    derived:  %s\n", d.Field, quote.Visible(d.Was), quote.Visible(d.Is))
	}
	if len(d.Recorded) > 0 {
		fmt.Fprintf(b, "  recorded event: %s\n", oneLine(d.Recorded))
	}
	if len(d.Derived) > 0 {
		fmt.Fprintf(b, "  derived event:  %s\n", oneLine(d.Derived))
	}
}

// oneLine returns JSON on one line of limited length.
func oneLine(data json.RawMessage) string {
	var out bytes.Buffer
	if json.Compact(&out, data) != nil {
		return ""
	}
	return text.Short(quote.Visible(out.String()), 600)
}
