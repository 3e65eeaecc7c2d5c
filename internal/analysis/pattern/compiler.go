package pattern

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Compiler compiles the patterns of one section of rule data. It checks the patterns of a
// section that a user's file changes immediately, and trusts the others.
type Compiler struct {
	set     *rules.Set
	section string
	check   bool
}

// Checked is the compiler for a section's Validate method. Its errors are
// [rules.Invalid], so that they name file and line.
var Checked = Compiler{check: true}

// Trusted is the compiler for data that has been checked.
var Trusted = Compiler{}

// For returns the compiler of a section. Its errors name file, line and key.
func For(set *rules.Set, section string) Compiler {
	return Compiler{set, section, set.Checks(section)}
}

// Checks reports whether the section's data must be checked.
func (c Compiler) Checks() bool { return c.check }

// Go returns a pattern for short texts from the value of key, such as "confidence.named".
// It must have the named groups.
func (c Compiler) Go(key, text string, groups ...string) (*Regexp, error) {
	return c.regexp(key, Must(text), groups)
}

// RE2 is Go for long texts.
func (c Compiler) RE2(key, text string, groups ...string) (*Regexp, error) {
	return c.regexp(key, MustRE2(text), groups)
}

func (c Compiler) regexp(key string, r *Regexp, groups []string) (*Regexp, error) {
	if !c.check {
		return r, nil
	}
	if err := r.verify(groups); err != nil {
		return nil, c.Fault(key, err)
	}
	return r, nil
}

// Set returns a set of patterns from the values under key.
func (c Compiler) Set(key string, texts []string) (*Set, error) {
	for _, text := range texts {
		if _, err := c.RE2(key, text); err != nil {
			return nil, err
		}
	}
	return newSet(texts), nil
}

// Fault returns an error about the value of key.
func (c Compiler) Fault(key string, err error) error {
	bad := &rules.Invalid{Path: strings.Split(key, "."), Why: err.Error()}
	if c.set == nil {
		return bad
	}
	return c.set.Fault(c.section, bad)
}
