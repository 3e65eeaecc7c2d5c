package shell

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// TemporaryFolder is how a folder or file that mktemp makes is named in an Invocation.
const TemporaryFolder = "/tmp/mktemp"

// words are the arguments of a call. A variable without quotes may hold several.
func (w *invocations) words(list []*syntax.Word) []argument {
	var args []argument
	for _, word := range list {
		text, exact := w.word(word)
		if len(word.Parts) == 1 {
			if _, bare := word.Parts[0].(*syntax.ParamExp); bare && exact {
				for _, field := range strings.Fields(text) {
					args = append(args, argument{field, true})
				}
				continue
			}
		}
		if !exact && temporary(text) {
			text, exact = TemporaryFolder, true
		}
		args = append(args, argument{text, exact})
	}
	return args
}

// temporary reports whether a word is the output of mktemp.
func temporary(source string) bool {
	source = strings.Trim(source, `"`)
	return strings.HasPrefix(source, "$(mktemp") || strings.HasPrefix(source, "`mktemp")
}

// assign notes variables, also those that hold a temporary folder.
func (w *invocations) assign(list []*syntax.Assign) {
	w.run.assign(list)
	for _, a := range list {
		if a.Name != nil {
			delete(w.items, a.Name.Value)
		}
		if a.Name != nil && a.Value != nil && temporary(w.sourceOf(a.Value)) {
			if w.variables == nil {
				w.variables = map[string]string{}
			}
			w.variables[a.Name.Value] = TemporaryFolder
		}
	}
}
