package workspace

import (
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Convention is one convention, as a sentence or in parts.
type Convention struct {
	ID     string `yaml:"id"`
	Rule   string `yaml:"rule"`   // the sentence; made of the parts where it is left out
	Family string `yaml:"family"` // of libraries, e.g. database, http-client
	Use    string `yaml:"use"`    // the library or thing to use
	// Wrapper is the project's own module around it; it is what to use then.
	Wrapper   string   `yaml:"wrapper"`
	InsteadOf []string `yaml:"instead_of"` // imports or calls that go around it
	Paths     []string `yaml:"paths"`      // patterns of files it holds for
}

// step names the convention in errors.
func (c *Convention) step(index int) string {
	if c.ID != "" {
		return c.ID
	}
	return strconv.Itoa(index)
}

func (c *Convention) check() *rules.Invalid {
	if c.Rule == "" && c.Use == "" && c.Wrapper == "" && len(c.InsteadOf) == 0 {
		return &rules.Invalid{Why: "says nothing; give a rule such as \"HTTP goes through api/client.ts\", or use and instead_of"}
	}
	for i, pattern := range c.Paths {
		if _, err := path.Match(pattern, "x"); err != nil || strings.HasPrefix(pattern, "/") {
			return &rules.Invalid{Path: []string{"paths", strconv.Itoa(i)}, Why: fmt.Sprintf("%q is not a pattern of files below the workspace, such as src/** or *.py", pattern)}
		}
	}
	return nil
}

// event is the convention as session.opened carries it.
func (c *Convention) event() sessionevents.Convention {
	out := sessionevents.Convention{ID: c.ID, Rule: strings.TrimSpace(c.Rule), Wrapper: c.Wrapper, Bypass: c.InsteadOf, Family: c.Family, Paths: c.Paths}
	if out.Wrapper == "" {
		out.Wrapper = c.Use
	}
	if out.Rule == "" {
		out.Rule = c.sentence()
	}
	if out.ID == "" {
		out.ID = slug(out.Rule)
	}
	return out
}

// sentence says the parts in words.
func (c *Convention) sentence() string {
	var parts []string
	switch {
	case c.Wrapper != "" && c.Use != "":
		parts = append(parts, fmt.Sprintf("Use %s through %s", c.Use, c.Wrapper))
	case c.Wrapper != "" || c.Use != "":
		parts = append(parts, "Use "+c.Wrapper+c.Use)
	}
	if c.Family != "" && len(parts) > 0 {
		parts[0] += " for " + c.Family
	}
	if len(c.InsteadOf) > 0 {
		not := "do not use "
		if len(parts) == 0 {
			not = "Do not use "
		}
		parts = append(parts, not+strings.Join(c.InsteadOf, " or "))
	}
	return strings.Join(parts, "; ") + "."
}

var notSlug = pattern.Must(`[^a-z0-9]+`)

// slug is a short id made of a sentence.
func slug(text string) string {
	s := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-")
	}
	return s
}

// EventConventions are the file's conventions as session.opened carries them.
func (f *File) EventConventions() []sessionevents.Convention {
	var out []sessionevents.Convention
	for i := range f.Conventions {
		out = append(out, f.Conventions[i].event())
	}
	return out
}
