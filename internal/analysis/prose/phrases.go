package prose

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"sort"
	"strings"

	re2 "github.com/wasilibs/go-re2"
	"github.com/wasilibs/go-re2/experimental"
)

// Entry is one phrase with its variants: regular expressions over folded,
// masked text, matched without regard to case and from word to word. "{name}"
// stands for a macro.
type Entry struct {
	ID       string   `yaml:"id"`
	Phrase   string   `yaml:"phrase"` // as the catalogue has it, for people
	Variants []string `yaml:"variants"`
}

// Phrases finds entries in documents.
type Phrases struct {
	set   *experimental.Set
	spans []*re2.Regexp
	ids   []string
}

// Match is one occurrence of a phrase.
type Match struct {
	ID   string
	Span Span
	// Groups are the named groups that took part, as ranges of Text.
	Groups map[string]Span
}

var macroUse = regexp.MustCompile(`\{([a-z_]+)\}`)

// CompilePhrases compiles entries; an error names the entry.
func CompilePhrases(macros map[string]string, entries []Entry) (*Phrases, error) {
	p := &Phrases{}
	var patterns []string
	for _, e := range entries {
		if err := CheckPhrase(macros, e); err != nil {
			return nil, err
		}
		pattern, err := expand(macros, e)
		if err != nil {
			return nil, err
		}
		span, err := re2.Compile(pattern)
		if err != nil {
			return nil, fmt.Errorf("phrase %s: %w", e.ID, err)
		}
		patterns = append(patterns, pattern)
		p.spans, p.ids = append(p.spans, span), append(p.ids, e.ID)
	}
	set, err := experimental.CompileSet(patterns)
	if err != nil {
		return nil, fmt.Errorf("compile %d phrases as a set: %w", len(patterns), err)
	}
	p.set = set
	return p, nil
}

// CheckPhrase says what is wrong with an entry, nil if nothing is. RE2 would also
// write to standard error.
func CheckPhrase(macros map[string]string, e Entry) error {
	pattern, err := expand(macros, e)
	if err != nil {
		return err
	}
	if _, err := syntax.Parse(pattern, syntax.Perl); err != nil {
		return fmt.Errorf("phrase %s: %w", e.ID, err)
	}
	return nil
}

func expand(macros map[string]string, e Entry) (string, error) {
	if len(e.Variants) == 0 {
		return "", fmt.Errorf("phrase %s has no variants", e.ID)
	}
	pattern := `(?i)\b(?:` + strings.Join(e.Variants, "|") + `)`
	for range 4 { // macros may use macros
		if !macroUse.MatchString(pattern) {
			return pattern, nil
		}
		missing := ""
		pattern = macroUse.ReplaceAllStringFunc(pattern, func(use string) string {
			body, ok := macros[use[1:len(use)-1]]
			if !ok {
				missing = use
			}
			return "(?:" + body + ")"
		})
		if missing != "" {
			return "", fmt.Errorf("phrase %s: no macro %s", e.ID, missing)
		}
	}
	return "", fmt.Errorf("phrase %s: macros are nested too deep", e.ID)
}

// Find returns the matches outside code and quotes, in order of place, then of
// entry.
func (p *Phrases) Find(d *Document) []Match {
	if strings.TrimSpace(d.Masked) == "" {
		return nil
	}
	var out []Match
	hits, err := p.set.FindAllStringWithError(d.Masked, len(p.ids))
	if err != nil { // the set ran out of memory: each pattern looks for itself
		hits = p.all()
	}
	sort.Ints(hits)
	for _, i := range hits {
		names := p.spans[i].SubexpNames()
		for _, m := range p.spans[i].FindAllStringSubmatchIndex(d.Masked, -1) {
			out = append(out, Match{ID: p.ids[i], Span: Span{m[0], m[1]}, Groups: groups(names, m)})
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].Span.From < out[j].Span.From })
	return out
}

func groups(names []string, m []int) map[string]Span {
	var out map[string]Span
	for g, name := range names {
		if name != "" && m[2*g] >= 0 {
			if out == nil {
				out = map[string]Span{}
			}
			out[name] = Span{m[2*g], m[2*g+1]}
		}
	}
	return out
}

// all are the indexes of every pattern.
func (p *Phrases) all() []int {
	indexes := make([]int, len(p.ids))
	for i := range indexes {
		indexes[i] = i
	}
	return indexes
}
