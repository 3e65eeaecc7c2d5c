package syntax

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// maxImports bounds the imports of one fragment.
const maxImports = 200

// importPattern matches several forms of imports in one pass; each has one group.
type importPattern struct {
	*pattern.Regexp
	ways int
}

// lineStart begins patterns of which no two match at the same place, so that they can be
// combined.
const lineStart = "(?m)^"

// compileImports combines adjacent patterns that begin with lineStart.
func compileImports(from pattern.Compiler, key string, patterns []string) (out []importPattern, err error) {
	for len(patterns) > 0 {
		n := 1
		for strings.HasPrefix(patterns[0], lineStart) && n < len(patterns) && strings.HasPrefix(patterns[n], lineStart) {
			n++
		}
		ways, err := from.RE2(key, strings.Join(patterns[:n], "|"))
		if err != nil {
			return nil, err
		}
		out = append(out, importPattern{ways, n})
		patterns = patterns[n:]
	}
	return out, nil
}

// Imports returns the modules that code imports, form by form, in order of appearance,
// each once, as written ("os.path", "./util", "github.com/x/y", "std::fmt").
func Imports(name, code string) []string { return Read(name, code).Imports() }

// Imports is [Imports] of the source.
func (s *Source) Imports() []string {
	if s.language == nil {
		return nil
	}
	var out []string
	for _, p := range s.language.imports {
		found := p.FindAllStringSubmatchIndex(s.code, -1)
		for way := range p.ways {
			out = s.modules(out, found, way)
		}
	}
	return out
}

// modules adds the matches of one form of import, except those in comments and strings.
func (s *Source) modules(out []string, found [][]int, way int) []string {
	from, to := 2+2*way, 3+2*way
	count := 0
	for _, m := range found {
		if m[from] < 0 {
			continue
		}
		if count++; count > maxImports || len(out) >= maxImports {
			break
		}
		module := s.code[m[from]:m[to]]
		start := skipBlank(s.code, m[0])
		if !slices.Contains(out, module) && s.mask()[start] == s.code[start] {
			out = append(out, module)
		}
	}
	return out
}

func skipBlank(code string, at int) int {
	for at < len(code)-1 && (code[at] == ' ' || code[at] == '\t') {
		at++
	}
	return at
}
