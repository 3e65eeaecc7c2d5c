package registry

import (
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Scope reads what users ask for (SW-14). It is the part scope of the section registry.
type Scope struct {
	Limits      scopeLimits     `yaml:"limits"`
	Constraints *pattern.Regexp `yaml:"constraints" pattern:"fold,long"`
	Questions   *pattern.Regexp `yaml:"questions" pattern:"fold,long"`
	Orders      *pattern.Regexp `yaml:"orders" pattern:"fold,long"`
	Ignore      *pattern.Regexp `yaml:"ignore" pattern:"fold,long"`
	Paths       *pattern.Regexp `yaml:"paths" pattern:"fold,long"`
	Identifiers *pattern.Regexp `yaml:"identifiers" pattern:"long"`
}

type scopeLimits struct {
	OpeningTurns int `yaml:"opening_turns" range:"1..100"` // turns whose messages are the original task
	TaskBytes    int `yaml:"task_bytes" range:"64..65536"`
	Requests     int `yaml:"requests" range:"1..10000"`
	RequestBytes int `yaml:"request_bytes" range:"16..65536"`
	ReadBytes    int `yaml:"read_bytes" range:"256..1048576"` // of a message that are read
	Constraints  int `yaml:"constraints" range:"1..1000"`
	Terms        int `yaml:"terms" range:"1..10000"`
	Paths        int `yaml:"paths" range:"1..10000"`
	Identifiers  int `yaml:"identifiers" range:"1..10000"`
}

// opened extends a baseline with session.opened.
func (s *Scope) opened(b Baseline, o *sessionevents.SessionOpened) Baseline {
	if o.Task == "" && len(o.Constraints) == 0 {
		return b
	}
	b = b.clone()
	if o.Task != "" {
		b.Task = shorten(o.Task, s.Limits.TaskBytes)
		s.extend(&b, Request{Text: o.Task})
	}
	for _, c := range o.Constraints {
		s.constrain(&b, text.Line(c))
		s.name(&b, c, 0)
	}
	return b
}

// asked extends a baseline with user messages; the result shares nothing with b.
func (s *Scope) asked(b Baseline, requests []Request) Baseline {
	b = b.clone()
	for _, r := range requests {
		if b.Task == "" && r.Turn <= s.Limits.OpeningTurns {
			b.Task = shorten(r.Text, s.Limits.TaskBytes)
		}
		s.extend(&b, r)
	}
	return b
}

func (s *Scope) extend(b *Baseline, r Request) {
	b.Known = true
	d := prose.Parse(shorten(r.Text, s.Limits.ReadBytes))
	for _, span := range d.Sentences() {
		if s.constrains(d.Masked[span.From:span.To]) {
			s.constrain(b, d.Text[span.From:span.To])
		}
	}
	s.name(b, r.Text, r.Turn)
	r.Text = shorten(r.Text, s.Limits.RequestBytes)
	b.Requests = append(b.Requests, r)
	if extra := len(b.Requests) - s.Limits.Requests; extra > 0 {
		// The first request is the task and is kept.
		b.Requests = slices.Delete(b.Requests, 1, 1+extra)
		b.Evicted += extra
	}
}

// constrains reports whether a sentence limits how the work is done.
func (s *Scope) constrains(sentence string) bool {
	if !s.Constraints.MatchString(sentence) {
		return false
	}
	return !s.Questions.MatchString(sentence) || s.Orders.MatchString(sentence)
}

// name extracts terms, paths and identifiers from a message.
func (s *Scope) name(b *Baseline, text string, turn int) {
	text = shorten(text, s.Limits.ReadBytes)
	for _, term := range prose.Terms(text) {
		if _, known := b.Terms[term]; known {
			continue
		}
		if len(b.Terms) >= s.Limits.Terms {
			b.Evicted++
			continue
		}
		if b.Terms == nil {
			b.Terms = map[string]int{}
		}
		b.Terms[term] = turn
	}
	text = s.Ignore.ReplaceAllString(text, " ")
	for _, p := range s.Paths.FindAllString(text, -1) {
		if p = path.Clean(slashes(strings.Trim(p, "@,:;)'\"`"))); len(p) > 1 {
			s.keep(b, &b.Paths, strings.TrimRight(p, "."), s.Limits.Paths)
		}
	}
	for _, m := range s.Identifiers.FindAllStringSubmatch(text, -1) {
		for _, word := range m[1:] {
			if word != "" {
				s.keep(b, &b.Identifiers, word, s.Limits.Identifiers)
			}
		}
	}
}

func (s *Scope) constrain(b *Baseline, sentence string) {
	s.keep(b, &b.Constraints, shorten(sentence, s.Limits.RequestBytes), s.Limits.Constraints)
}

func (s *Scope) keep(b *Baseline, list *[]string, item string, limit int) {
	if slices.Contains(*list, item) {
		return
	}
	*list = append(*list, item)
	if len(*list) > limit {
		*list = slices.Delete(*list, 0, 1)
		b.Evicted++
	}
}

// clone returns a copy that shares nothing that changes.
func (b Baseline) clone() Baseline {
	b.Terms = maps.Clone(b.Terms)
	b.Constraints = slices.Clone(b.Constraints)
	b.Requests = slices.Clone(b.Requests)
	b.Paths = slices.Clone(b.Paths)
	b.Identifiers = slices.Clone(b.Identifiers)
	return b
}

// shorten returns a text cut to at most n bytes that does not keep the rest in memory.
func shorten(s string, n int) string { return strings.Clone(text.Head(s, n)) }
