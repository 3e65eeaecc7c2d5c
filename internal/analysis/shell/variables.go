package shell

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// TemporaryFolder is the name, in an Invocation, of a folder or file created by mktemp.
const TemporaryFolder = "/tmp/mktemp"

// words returns the arguments of a call. An unquoted variable may contain several.
func (w *invocations) words(list []*syntax.Word) []argument {
	var args []argument
	for _, word := range w.spelled(list) {
		if several, is := w.several(word); is {
			args = append(args, several...)
			continue
		}
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

// spelled returns words with their braces expanded: d{raft,ummy}s.
func (w *invocations) spelled(list []*syntax.Word) []*syntax.Word {
	if !slices.ContainsFunc(list, func(word *syntax.Word) bool {
		return slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
			lit, is := p.(*syntax.Lit)
			return is && strings.Contains(lit.Value, "{")
		})
	}) {
		return list
	}
	var out []*syntax.Word
	for _, word := range list {
		split := &syntax.Word{Parts: slices.Clone(word.Parts)}
		if !syntax.SplitBraces(split) {
			out = append(out, word)
			continue
		}
		for one, err := range expand.BracesSeq(nil, split) {
			if err != nil || len(out) >= maxBraces {
				break
			}
			out = append(out, one)
		}
	}
	return out
}

// temporary reports whether a word is the output of mktemp.
func temporary(source string) bool {
	source = strings.Trim(source, `"`)
	return strings.HasPrefix(source, "$(mktemp") || strings.HasPrefix(source, "`mktemp")
}

// assign records variables, and arrays.
func (w *invocations) assign(list []*syntax.Assign) {
	w.run.assign(list)
	for _, a := range list {
		if a.Name != nil {
			delete(w.items, a.Name.Value)
			delete(w.arrays, a.Name.Value)
		}
		if a.Name != nil && a.Array != nil && !a.Append && len(w.arrays) < w.p.table.MaxItems {
			var words []*syntax.Word
			for _, e := range a.Array.Elems {
				if e.Index == nil && e.Value != nil {
					words = append(words, e.Value)
				}
			}
			w.arrays[a.Name.Value] = w.words(words)
		}
	}
}
