package codepattern

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// languageConfig is one section codepattern_<language>; see
// rules/codepattern_python.yaml for the keys.
type languageConfig struct {
	Languages         []string            `yaml:"languages"`
	Indented          bool                `yaml:"indented"`
	BlockScoped       bool                `yaml:"block_scoped"`
	Roles             map[string][]string `yaml:"roles"`
	Self              []string            `yaml:"self"`
	Sources           []sourceConfig      `yaml:"sources"`
	Handlers          []string            `yaml:"handlers"`
	RequestParameters []string            `yaml:"request_parameters"`
	OtherParameters   []string            `yaml:"other_parameters"`
	SafeTypes         []string            `yaml:"safe_types"`
	Conversions       []string            `yaml:"conversions"`
	ConvertedBy       []string            `yaml:"converted_by"`
	Sanitizers        map[string][]string `yaml:"sanitizers"`
	Guards            []string            `yaml:"guards"`
	Matchers          []string            `yaml:"matchers"`
	Formats           []formatConfig      `yaml:"formats"`
	Passes            []string            `yaml:"passes"`
	ImplicitReturn    bool                `yaml:"implicit_return"`
	Maps              []string            `yaml:"maps"`
	ListTypes         []string            `yaml:"list_types"`
	Joins             []string            `yaml:"joins"`
	Lists             []string            `yaml:"lists"`
	Accessors         []string            `yaml:"accessors"`
	Takes             []string            `yaml:"takes"`
	Lookups           []string            `yaml:"lookups"`
	Comparisons       []string            `yaml:"comparisons"`
	CollectOperators  []string            `yaml:"collect_operators"`
	Markup            []markupConfig      `yaml:"markup"`
	DividesPaths      bool                `yaml:"divides_paths"`
	Failures          []string            `yaml:"failures"`
	Collects          []string            `yaml:"collects"`
	Fills             []fillConfig        `yaml:"fills"`
	Decodes           []string            `yaml:"decodes"`
	Constants         []string            `yaml:"constants"`
	Internals         []string            `yaml:"internals"`
	Imports           []string            `yaml:"imports"`
	// Typed are expressions with groups name and type: a declaration of a variable.
	Typed []string `yaml:"typed"`
	// Entering are the models of section entering_<language>: what gives a request's data.
	Entering []Model `yaml:"-"`
}

// sourceConfig is a way in which data enters.
type sourceConfig struct {
	ID      string   `yaml:"id"`
	Origin  string   `yaml:"origin" allow:"request|input|cli|internal"`
	Pattern []string `yaml:"patterns"`
	// Unbound: not where the name is a variable or parameter of the hunk.
	Unbound bool `yaml:"unbound"`
}

// markupConfig is how code begins and ends in a page of markup. What is not code
// is left out; Prints says that the code between is written into the page.
type markupConfig struct {
	ID     string `yaml:"id"`
	Open   string `yaml:"open"`
	Close  string `yaml:"close"`
	Prints bool   `yaml:"prints"`
}

// formatConfig is a call that fills a template.
type formatConfig struct {
	ID       string   `yaml:"id"`
	Callee   []string `yaml:"callee"`
	Template int      `yaml:"template" range:"-1..5"` // argument; -1 the receiver
	Style    string   `yaml:"style" allow:"printf|braces"`
}

// fillConfig is a call that writes what enters into its arguments.
type fillConfig struct {
	ID     string   `yaml:"id"`
	Callee []string `yaml:"callee"`
	Origin string   `yaml:"origin" allow:"request|input|cli|internal"`
}

// sectionPrefix begins the names of the sections that describe languages.
const sectionPrefix = "codepattern_"

// enteringPrefix begins the names of the sections that say what gives a request's data.
const enteringPrefix = "entering_"

// language is a languageConfig made ready.
type language struct {
	config     *languageConfig
	roles      map[string]role
	self       map[string]bool
	sources    []source
	remote     *pattern.Regexp // any source that is not internal, anywhere in a text
	handlers   *pattern.Regexp
	request    *pattern.Regexp
	other      *pattern.Regexp
	safeTypes  *pattern.Regexp
	converted  *pattern.Regexp
	constants  *pattern.Regexp
	internals  *pattern.Regexp
	guards     *pattern.Regexp
	failures   *pattern.Regexp
	imports    []*pattern.Regexp
	typed      []*pattern.Regexp
	entering   models
	conversion globs
	functions  globs // that pass their arguments on
	methods    globs // that pass their receiver on, too
	collects   globs
	matchers   globs
	joins      globs
	maps       globs
	listTypes  *pattern.Regexp
	lists      globs
	accessors  globs
	takes      globs
	decodes    globs // that write into their arguments what they are made of
	lookups    globs // that give one of their receiver's values, or their second argument
	comparison globs
	sanitizers map[string]globs
	formats    []format
	fills      []fill
}

type source struct {
	origin  Origin
	unbound bool
	*pattern.Regexp
}

type format struct {
	callee   globs
	template int
	printf   bool
}

type fill struct {
	callee globs
	origin Origin
}

// loadLanguages prepares every section codepattern_*. What is embedded is read when
// its language is first asked for.
func loadLanguages(set *rules.Set) (map[string]func() *language, error) {
	out := map[string]func() *language{}
	for _, section := range set.Sections() {
		file, ok := strings.CutPrefix(section, sectionPrefix)
		if !ok {
			continue
		}
		names := languagesOf(file)
		if set.Checks(section) || slices.Contains(set.Sections(), enteringPrefix+file) && set.Checks(enteringPrefix+file) {
			config, _, err := loadLanguage(set, section, pattern.Checked)
			if err != nil {
				return nil, err
			}
			names = config.Languages
		}
		ready := sync.OnceValue(func() *language {
			_, l, err := loadLanguage(set.Unwatched(), section, pattern.Trusted)
			if err != nil {
				panic(err) // embedded data is checked by tests, the user's above
			}
			return l
		})
		for _, name := range names {
			out[name] = ready
		}
	}
	return out, nil
}

func loadLanguage(set *rules.Set, section string, from pattern.Compiler) (*languageConfig, *language, error) {
	config := &languageConfig{}
	if err := set.Decode(section, config); err != nil {
		return nil, nil, err
	}
	if entering := enteringPrefix + strings.TrimPrefix(section, sectionPrefix); slices.Contains(set.Sections(), entering) {
		var more struct {
			Models []Model `yaml:"models"`
		}
		if err := set.Decode(entering, &more); err != nil {
			return nil, nil, err
		}
		config.Entering = more.Models
	}
	l, err := config.compile(from)
	if err != nil {
		return nil, nil, fmt.Errorf("rules: section %s: %w", section, err)
	}
	return config, l, nil
}

func (c *languageConfig) compile(from pattern.Compiler) (*language, error) {
	l := &language{config: c, entering: indexModels(c.Entering), roles: map[string]role{}, self: map[string]bool{}, sanitizers: map[string]globs{}}
	for name, kinds := range c.Roles {
		r, ok := roleNames[name]
		if !ok {
			return nil, fmt.Errorf("roles: unknown role %q", name)
		}
		for _, kind := range kinds {
			l.roles[kind] = r
		}
	}
	for _, word := range c.Self {
		l.self[word] = true
	}
	if err := l.expressions(from); err != nil {
		return nil, err
	}
	if err := l.patterns(from); err != nil {
		return nil, err
	}
	return l, l.flows(from)
}

func (l *language) expressions(from pattern.Compiler) error {
	c := l.config
	for _, e := range []struct {
		key, before string
		list        []string
		into        **pattern.Regexp
	}{
		{"handlers", "", c.Handlers, &l.handlers},
		{"request_parameters", "", c.RequestParameters, &l.request},
		{"other_parameters", "", c.OtherParameters, &l.other},
		{"safe_types", "", c.SafeTypes, &l.safeTypes},
		{"converted_by", "", c.ConvertedBy, &l.converted},
		{"constants", "^", c.Constants, &l.constants},
		{"internals", "^", c.Internals, &l.internals},
		{"guards", "", c.Guards, &l.guards},
		{"failures", "", c.Failures, &l.failures},
		{"list_types", "", c.ListTypes, &l.listTypes},
	} {
		compiled, err := anyOf(from, e.before, e.list)
		if err != nil {
			return fmt.Errorf("%s: %w", e.key, err)
		}
		*e.into = compiled
	}
	for _, text := range c.Imports {
		compiled, err := from.RE2("", `(?m)`+text)
		if err != nil {
			return fmt.Errorf("imports: %w", err)
		}
		l.imports = append(l.imports, compiled)
	}
	for _, text := range c.Typed {
		compiled, err := from.RE2("", `(?m)`+text)
		if err != nil {
			return fmt.Errorf("typed: %w", err)
		}
		if from.Checks() && (compiled.SubexpIndex("name") < 0 || compiled.SubexpIndex("type") < 0) {
			return fmt.Errorf("typed: %q needs the groups name and type", text)
		}
		l.typed = append(l.typed, compiled)
	}
	return nil
}

// isMethod reports whether a pattern matches methods of any receiver.
func isMethod(pattern string) bool { return strings.HasPrefix(pattern, "*.") }

func isFunction(pattern string) bool { return !isMethod(pattern) }

func (l *language) patterns(from pattern.Compiler) (err error) {
	c := l.config
	for _, g := range []struct {
		key  string
		list []string
		into *globs
	}{
		{"conversions", c.Conversions, &l.conversion},
		{"passes", slices.DeleteFunc(slices.Clone(c.Passes), isMethod), &l.functions},
		{"passes", slices.DeleteFunc(slices.Clone(c.Passes), isFunction), &l.methods},
		{"collects", c.Collects, &l.collects},
		{"joins", c.Joins, &l.joins},
		{"matchers", c.Matchers, &l.matchers},
		{"maps", c.Maps, &l.maps},
		{"lists", c.Lists, &l.lists},
		{"accessors", c.Accessors, &l.accessors},
		{"takes", c.Takes, &l.takes},
		{"decodes", c.Decodes, &l.decodes},
		{"lookups", c.Lookups, &l.lookups},
		{"comparisons", c.Comparisons, &l.comparison},
	} {
		if *g.into, err = compileGlobs(from, g.list); err != nil {
			return fmt.Errorf("%s: %w", g.key, err)
		}
	}
	for category, list := range c.Sanitizers {
		if l.sanitizers[category], err = compileGlobs(from, list); err != nil {
			return fmt.Errorf("sanitizers.%s: %w", category, err)
		}
	}
	for _, f := range c.Formats {
		callee, err := compileGlobs(from, f.Callee)
		if err != nil {
			return fmt.Errorf("formats.%s: %w", f.ID, err)
		}
		l.formats = append(l.formats, format{callee, f.Template, f.Style == "printf"})
	}
	return nil
}

// anyArrow matches what is written "." in a name.
const anyArrow = `\s*(?:\.|->|::|\?\.|\?->|&\.)\s*`

func (l *language) flows(from pattern.Compiler) error {
	var remote []string
	for _, s := range l.config.Sources {
		compiled, err := anyOf(from, "^", s.Pattern)
		if err != nil {
			return fmt.Errorf("sources.%s: %w", s.ID, err)
		}
		if compiled != nil {
			l.sources = append(l.sources, source{originNames[s.Origin], s.Unbound, compiled})
		}
		if s.Origin != "internal" {
			for _, pattern := range s.Pattern { // over code as it is written
				remote = append(remote, strings.ReplaceAll(strings.TrimSuffix(pattern, "$"), `\.`, anyArrow))
			}
		}
	}
	for _, f := range l.config.Fills {
		callee, err := compileGlobs(from, f.Callee)
		if err != nil {
			return fmt.Errorf("fills.%s: %w", f.ID, err)
		}
		l.fills = append(l.fills, fill{callee, originNames[f.Origin]})
		for _, pattern := range f.Callee {
			remote = append(remote, strings.TrimPrefix(globExpression(pattern), ".*"))
		}
	}
	remote = append(remote, l.config.Handlers...)
	remote = append(remote, l.config.RequestParameters...)
	var err error
	l.remote, err = overText(from, remote)
	return err
}
