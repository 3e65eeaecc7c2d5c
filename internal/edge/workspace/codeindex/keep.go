package codeindex

import (
	"cmp"
	"encoding/json"
	"math"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
)

// ranked is a symbol with its points.
type ranked struct {
	sessionevents.Symbol
	points float64
}

// keeper holds the best symbols seen so far, at most twice the limit.
type keeper struct {
	*config
	list     []ranked
	seen     int
	imported map[string]int // module stem → number of files that import it
}

// maxStems limits the imports that are counted.
const maxStems = 200000

func (k *keeper) add(r reading) {
	for _, s := range r.symbols {
		k.seen++
		k.list = append(k.list, ranked{s, k.points(&s)})
	}
	for _, name := range r.imports {
		if _, known := k.imported[name]; known || len(k.imported) < maxStems {
			k.imported[name]++
		}
	}
	if len(k.list) > 2*max(k.symbols, 1) {
		k.shrink()
	}
}

// points returns the points of a symbol as far as they do not depend on the rest of the tree.
func (k *keeper) points(s *sessionevents.Symbol) float64 {
	points := k.Rank.Kinds[s.Kind] + k.Rank.Folder*strings.Count(s.Path, "/")
	if public(s) {
		points += k.Rank.Public
	}
	if k.aside(s.Path) {
		points += k.Rank.Aside
	}
	return float64(points)
}

// aside reports whether a file is a test or otherwise not part of the product.
func (k *keeper) aside(file string) bool {
	folder := path.Dir(file)
	for _, part := range strings.Split(folder, "/") {
		if k.asides[part] {
			return true
		}
	}
	return k.files.Is(file, files.Test)
}

// public reports whether a symbol is exported, judging by the spelling of its name.
func public(s *sessionevents.Symbol) bool {
	first, _ := utf8.DecodeRuneInString(s.Name)
	if s.Language == "go" {
		return unicode.IsUpper(first)
	}
	return first != '_' && first != '#'
}

// shrink drops all but the best. What remains is sorted by rank.
func (k *keeper) shrink() {
	slices.SortFunc(k.list, compareRanked)
	if len(k.list) > k.symbols {
		clear(k.list[k.symbols:])
		k.list = k.list[:k.symbols]
	}
}

func compareRanked(a, b ranked) int {
	return cmp.Or(cmp.Compare(b.points, a.points), comparePlaces(a.Symbol, b.Symbol))
}

func comparePlaces(a, b sessionevents.Symbol) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Container, b.Container))
}

// best returns the symbols that fit into the limit and into bytes of JSON, sorted by place; if not all fit,
// frequently imported ones take precedence.
func (k *keeper) best(bytes int) []sessionevents.Symbol {
	for i := range k.list {
		s := &k.list[i]
		count := max(k.imported[stem(s.Path)], k.imported[stem(path.Dir(s.Path))])
		s.points += math.Round(k.Rank.Imported * math.Log2(1+float64(count)))
	}
	k.shrink()
	var out []sessionevents.Symbol
	for i := range k.list {
		data, err := json.Marshal(&k.list[i].Symbol)
		if err != nil { // text and numbers always encode
			continue
		}
		if bytes -= len(data) + 1; bytes < 0 {
			break
		}
		out = append(out, k.list[i].Symbol)
	}
	slices.SortFunc(out, comparePlaces)
	return out
}

// bestFiles returns the files that fit into the limit and into bytes of JSON, sorted: code takes precedence
// over other files, and those near the top over deeper ones.
func (c *config) bestFiles(files []string, code map[string]bool, bytes int) []string {
	order := slices.Clone(files)
	slices.SortStableFunc(order, func(a, b string) int {
		return cmp.Or(-cmp.Compare(number(code[a]), number(code[b])), cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")))
	})
	var out []string
	for _, file := range order {
		if bytes -= len(file) + 3; bytes < 0 || len(out) == c.sources {
			break
		}
		out = append(out, file)
	}
	slices.Sort(out)
	return out
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}
