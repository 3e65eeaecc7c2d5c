package pattern

import (
	"fmt"
	"reflect"
	"regexp/syntax"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// nothing matches no text: what a list without expressions does.
const nothing = `[^\x00-\x{10FFFF}]`

// UnmarshalYAML reads an expression, or a list of them that matches where one of them does.
func (r *Regexp) UnmarshalYAML(node *yaml.Node) error {
	texts, err := rules.Texts(node)
	if err != nil {
		return err
	}
	if len(texts) == 1 {
		r.text = texts[0]
		return nil
	}
	r.text = either(texts)
	return nil
}

func either(texts []string) string {
	if len(texts) == 0 {
		return nothing
	}
	return "(?:" + strings.Join(texts, ")|(?:") + ")"
}

// Bind makes a field of rule data ready. The tag `pattern` lists what holds for it, separated by commas:
// fold (whatever the case), lines (^ and $ match at each line), begin (matches at the beginning), word
// (from word to word), long (for long texts, see [MustRE2]), optional (the data may lack it; the field is
// nil then) and group=NAME (a group it must have).
func (r *Regexp) Bind(tag reflect.StructTag, check bool) (present bool, err error) {
	var options bindOptions
	options.read(tag.Get("pattern"))
	if r.text == "" {
		if options.optional {
			return false, nil
		}
		return false, rules.ErrAbsent
	}
	r.text, r.long = options.flags+options.around(r.text), options.long
	if !check {
		return true, nil
	}
	return true, verify(r, options.groups)
}

// verify says what is wrong with an expression of a user's file.
func verify(r *Regexp, groups []string) error {
	if _, err := syntax.Parse(r.text, syntax.Perl); err != nil { // RE2 would also write to standard error
		return err
	}
	if err := r.check(); err != nil {
		return err
	}
	for _, name := range groups {
		if r.SubexpIndex(name) < 0 {
			return fmt.Errorf("pattern %s has no group `%s`", r, name)
		}
	}
	return nil
}

// bindOptions is the tag of a field.
type bindOptions struct {
	flags                       string
	begin, word, long, optional bool
	groups                      []string
}

func (o *bindOptions) around(text string) string {
	switch {
	case o.begin:
		return "^(?:" + text + ")"
	case o.word:
		return `\b(?:` + text + `)\b`
	}
	return text
}

func (o *bindOptions) read(tag string) {
	for option := range strings.SplitSeq(tag, ",") {
		switch name, group, _ := strings.Cut(option, "="); name {
		case "fold":
			o.flags += "(?i)"
		case "lines":
			o.flags += "(?m)"
		case "begin":
			o.begin = true
		case "word":
			o.word = true
		case "long":
			o.long = true
		case "optional":
			o.optional = true
		case "group":
			o.groups = append(o.groups, group)
		case "":
		default:
			panic("pattern: unknown option " + option + " in a field's tag") // a test reads every section
		}
	}
}
