package syntax

import (
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// catalogue is rules/syntax.yaml.
type catalogue struct {
	Languages  map[string]*language `yaml:"languages"`
	Extensions map[string]string    `yaml:"extensions"`
	Names      map[string]string    `yaml:"names"`
	Tags       map[string]string    `yaml:"tags"`
}

// language holds the facts about one language; see rules/syntax.yaml for the keys.
type language struct {
	Block         string            `yaml:"block"`
	Comments      []string          `yaml:"comments"`
	Apart         bool              `yaml:"apart"`
	BlockComments [][2]string       `yaml:"block_comments"`
	Strings       []string          `yaml:"strings"`
	LongStrings   []string          `yaml:"long_strings"`
	Char          string            `yaml:"char"`
	Self          []string          `yaml:"self"`
	Skip          []string          `yaml:"skip"`
	Nodes         map[string]string `yaml:"nodes"`
	Declarations  []form            `yaml:"declarations"`
	Imports       []string          `yaml:"imports"`

	name    string
	heads   *pattern.Regexp // group 1: indentation; group 2+i: name of form i; nil: only imports are read
	imports []importPattern
	skip    map[string]bool
	openers [256]bool // bytes at which the masking pass must look more closely
	parsers parserPool
	markup  parserPool // for code with markup, if that needs another grammar
}

// withMarkup is appended to the name of a language for a grammar that also parses markup.
const withMarkup = " with markup"

// form is one way to write a declaration's head.
type form struct {
	Kind    string   `yaml:"kind"`
	Pattern string   `yaml:"pattern"`
	Until   []string `yaml:"until"`
	Never   []string `yaml:"never"`
	Before  string   `yaml:"before"`
	After   string   `yaml:"after"`
	Hidden  bool     `yaml:"hidden"`
	// Direct forms occur only directly inside a class or at the fragment's top level:
	// inside a function the same words are a call.
	Direct bool `yaml:"direct"`
}

// load reads the embedded catalogue once; an error in it is a build error, found by this
// package's tests.
var load = sync.OnceValue(func() *catalogue {
	c, err := read(rules.Default())
	if err != nil {
		panic(err)
	}
	return c
})

func read(set *rules.Set) (*catalogue, error) {
	c := &catalogue{}
	if err := set.Decode("syntax", c); err != nil {
		return nil, err
	}
	from := pattern.For(set, "syntax")
	for name, l := range c.Languages {
		if err := l.compile(from, name); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (l *language) compile(from pattern.Compiler, name string) (err error) {
	l.name = name
	l.parsers, l.markup = newParserPool(l, l.name), newParserPool(l, l.name+withMarkup)
	patterns := make([]string, len(l.Declarations))
	for i, f := range l.Declarations {
		patterns[i] = f.Pattern
	}
	if len(patterns) > 0 {
		heads := `(?m)^([ \t]*)(?:` + strings.Join(patterns, "|") + `)`
		if l.heads, err = from.RE2("languages."+name+".declarations", heads); err != nil {
			return err
		}
	}
	if l.imports, err = compileImports(from, "languages."+name+".imports", l.Imports); err != nil {
		return err
	}
	l.skip = map[string]bool{}
	for _, w := range l.Skip {
		l.skip[w] = true
	}
	for _, list := range [][]string{l.Comments, l.Strings, l.LongStrings, {l.Char}} {
		for _, s := range list {
			if s != "" {
				l.openers[s[0]] = true
			}
		}
	}
	for _, pair := range l.BlockComments {
		l.openers[pair[0][0]] = true
	}
	return nil
}

// LanguageOf returns the language of a file by its name, in lower case, e.g. "python",
// "typescript" (also for .tsx); "" if unknown.
func LanguageOf(file string) string {
	base := strings.ToLower(path.Base(strings.ReplaceAll(file, "\\", "/")))
	if name, ok := load().Names[base]; ok {
		return name
	}
	dot := strings.LastIndexByte(base, '.')
	if dot < 0 {
		return ""
	}
	return load().Extensions[base[dot+1:]]
}

// LanguageTagged returns the language of a fenced code block by its tag ("py", "golang",
// "tsx"); "" if unknown.
func LanguageTagged(tag string) string {
	tag = strings.ToLower(strings.TrimSpace(tag))
	c := load()
	if _, ok := c.Languages[tag]; ok {
		return tag
	}
	if name, ok := c.Tags[tag]; ok {
		return name
	}
	if name, ok := c.Extensions[tag]; ok {
		return name
	}
	for _, name := range c.Extensions {
		if name == tag {
			return tag
		}
	}
	return ""
}

// Reads reports whether symbols can be read from a language.
func Reads(name string) bool {
	l := load().Languages[name]
	return l != nil && l.heads != nil
}

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
