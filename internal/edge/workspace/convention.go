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
	Rule   string `yaml:"rule"`   // the sentence; if omitted, it is composed from the parts
	Family string `yaml:"family"` // family of libraries, e.g. database, http-client
	Use    string `yaml:"use"`    // the library or other thing to use
	// Wrapper is the project's own module around it, which is to be used instead.
	Wrapper   string   `yaml:"wrapper"`
	InsteadOf []string `yaml:"instead_of"` // imports or calls that bypass it
	Paths     []string `yaml:"paths"`      // patterns of files that it applies to
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
		return &rules.Invalid{Why: "is empty; give a rule such as \"HTTP goes through api/client.ts\", or use and instead_of"}
	}
	for i, pattern := range c.Paths {
		if _, err := path.Match(pattern, "x"); err != nil || strings.HasPrefix(pattern, "/") {
			return &rules.Invalid{Path: []string{"paths", strconv.Itoa(i)}, Why: fmt.Sprintf("%q is not a pattern of files below the workspace, such as src/** or *.py", pattern)}
		}
	}
	return nil
}

// event returns the convention in the form of session.opened.
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

// sentence composes a sentence from the parts.
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

// slug returns a short id derived from a sentence.
func slug(text string) string {
	s := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(text), "-"), "-")
	if len(s) > 40 {
		s = strings.TrimRight(s[:40], "-")
	}
	return s
}

// EventConventions returns the file's conventions in the form of session.opened.
func (f *File) EventConventions() []sessionevents.Convention {
	var out []sessionevents.Convention
	for i := range f.Conventions {
		out = append(out, f.Conventions[i].event())
	}
	return out
}
