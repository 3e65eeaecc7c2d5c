package codepattern

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Model names functions of one type, or of a package, that a rule is about. A call counts where the
// hunk shows whose method it is: by a declaration, a constructor, the type's own name, or, for a
// receiver of unknown type, by an import of the package.
type Model struct {
	// Package is what code imports: a Java package, a Go path without its version, the first part
	// of a Python module, a JavaScript module.
	Package string `yaml:"package"`
	// Type is the simple name of the receiver's type; a constructor is its type's name. Empty: a
	// function of the package. "*": a method of something that the package gives.
	Type string `yaml:"type"`
	// Names are the functions, separated by spaces.
	Names string `yaml:"names"`
	// Argument and Keyword say which value counts, as in Call.
	Argument int      `yaml:"argument" range:"-1..20"`
	Keyword  []string `yaml:"keyword"`
}

// anything is the type of what a package gives, whatever it is called.
const anything = "*"

// models are a list of them by the last part of the name that is called.
type models map[string][]*Model

func indexModels(list []Model) models {
	if len(list) == 0 {
		return nil
	}
	out := models{}
	for i := range list {
		for _, name := range strings.Fields(list[i].Names) {
			out[name] = append(out[name], &list[i])
		}
	}
	return out
}

// called is an expression that a call of any of the models matches; "" without models.
func calledExpression(list []Model) string {
	var names []string
	for i := range list {
		names = append(names, strings.Fields(list[i].Names)...)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return `\b(?:` + strings.Join(slices.Compact(names), "|") + `)\s*(?:<[^<>\n]*>\s*)?\(`
}

// owners is what a hunk shows of whose its functions are.
type owners struct {
	packages map[string]bool
	types    map[string]string // of variables and fields; "" where two declarations differ
	aliases  map[string]string
}

// ownersOf reads the imports and the declarations of a hunk.
func (l *language) ownersOf(code string, imports []string, aliases map[string]string) *owners {
	o := &owners{packages: map[string]bool{}, types: map[string]string{}, aliases: aliases}
	for _, path := range imports {
		for _, name := range packageNames(path) {
			o.packages[name] = true
		}
	}
	for _, expression := range l.typed {
		name, kind := expression.SubexpIndex("name"), expression.SubexpIndex("type")
		for _, m := range expression.FindAllStringSubmatch(code, 400) {
			t := simpleType(m[kind])
			if old, known := o.types[m[name]]; known && old != t {
				t = ""
			}
			o.types[m[name]] = t
		}
	}
	return o
}

var version = pattern.Must(`(?:/v\d+|\.v\d+)$`)

// packageNames are the names under which models know an import.
func packageNames(path string) []string {
	path = strings.TrimPrefix(strings.TrimSuffix(path, ".*"), "node:")
	out := []string{path, version.ReplaceAllString(path, "")}
	if before, _, ok := cutLast(path, "."); ok && !strings.Contains(path, "/") {
		out = append(out, before)
		root, _, _ := strings.Cut(path, ".")
		out = append(out, root)
	}
	return out
}

func cutLast(text, separator string) (before, after string, found bool) {
	if i := strings.LastIndex(text, separator); i >= 0 {
		return text[:i], text[i+len(separator):], true
	}
	return text, "", false
}

// simpleType is a type without package, pointer and arguments.
func simpleType(text string) string {
	text, _, _ = strings.Cut(text, "<")
	text, _, _ = strings.Cut(text, "[")
	if _, last, ok := cutLast(strings.TrimSpace(text), "."); ok {
		return last
	}
	return strings.TrimLeft(strings.TrimSpace(text), "*&:")
}

// reach reports whether code may call one of the models: it imports a package of them or names a type.
func (o *owners) reach(list []Model, code string) bool {
	for i := range list {
		m := &list[i]
		if o.packages[m.Package] || len(m.Type) > 3 && strings.Contains(code, m.Type) {
			return true
		}
	}
	return false
}

// find is the model that a call is of, nil for none.
func (o *owners) find(list models, callee string) *Model {
	receiver, name, isMethod := cutLast(callee, ".")
	if !isMethod {
		name, receiver = receiver, ""
	}
	for _, m := range list[name] {
		if o.owns(m, receiver, name) {
			return m
		}
	}
	return nil
}

// owns reports whether a function of this name, called on receiver, is the model's.
func (o *owners) owns(m *Model, receiver, name string) bool {
	if m.Type == name { // a constructor
		return receiver == "" && o.shows(m.Package) || receiver != "" && strings.HasSuffix(receiver, m.Package)
	}
	last := receiver
	if _, part, ok := cutLast(receiver, "."); ok {
		last = part
	}
	if m.Type == "" {
		return o.ofPackage(m.Package, receiver, last, name)
	}
	switch kind := o.types[last]; {
	case receiver == "":
		return false // an own method
	case kind == m.Type, last == m.Type:
		return o.shows(m.Package)
	case kind != "" && m.Type != anything:
		return o.packages[m.Package+"."+kind]
	default:
		return o.packages[m.Package]
	}
}

// shows reports whether the hunk imports a package, or shows no imports at all.
func (o *owners) shows(name string) bool {
	return o.packages[name] || len(o.packages) == 0 || name == "java.lang"
}

// ofPackage reports whether a plain function belongs to a package.
func (o *owners) ofPackage(wanted, receiver, last, name string) bool {
	dotted := strings.ReplaceAll(wanted, "/", ".")
	if receiver == "" {
		return o.aliases[name] == dotted+"."+name || o.aliases[name] == dotted
	}
	if alias, ok := o.aliases[receiver]; ok {
		return alias == dotted || strings.HasPrefix(alias, dotted+".")
	}
	_, short, nested := cutLast(wanted, "/")
	if !nested {
		short = wanted
	}
	return last == short && o.shows(wanted) || receiver == dotted
}
