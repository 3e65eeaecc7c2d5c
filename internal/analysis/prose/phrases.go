package prose

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// Entry is one phrase with its variants: regular expressions over folded, masked text,
// matched as whole words and ignoring case. "{name}" expands a macro.
type Entry struct {
	ID       string   `yaml:"id"`
	Phrase   string   `yaml:"phrase"` // as the catalogue words it, for people
	Variants []string `yaml:"variants"`
}

// Phrases finds entries in documents.
type Phrases struct {
	set *pattern.Set
	ids []string
}

// Match is one occurrence of a phrase.
type Match struct {
	ID   string
	Span Span
	// Groups are the named groups that matched, as ranges of Text.
	Groups map[string]Span
}

var macroUse = pattern.Must(`\{([a-z_]+)\}`)

// CompilePhrases compiles the entries under a key of rule data; an error names the
// entry.
func CompilePhrases(from pattern.Compiler, key string, macros map[string]string, entries []Entry) (*Phrases, error) {
	p := &Phrases{}
	var texts []string
	for _, e := range entries {
		text, err := expand(macros, e)
		if err != nil {
			return nil, from.Fault(key+"."+e.ID, err)
		}
		if _, err := from.RE2(key+"."+e.ID, text); err != nil {
			return nil, err
		}
		texts, p.ids = append(texts, text), append(p.ids, e.ID)
	}
	var err error
	p.set, err = pattern.Trusted.Set(key, texts)
	return p, err
}

func expand(macros map[string]string, e Entry) (string, error) {
	if len(e.Variants) == 0 {
		return "", fmt.Errorf("phrase %s has no variants", e.ID)
	}
	text := "(?i)(?:\\b|`)(?:" + strings.Join(e.Variants, "|") + ")"
	accented := slices.DeleteFunc(slices.Clone(e.Variants), func(v string) bool { return v == "" || v[0] < utf8.RuneSelf })
	if len(accented) > 0 { // \b knows letters of ASCII only: "ändere"
		text = "(?:" + text + `|(?i)(?:^|\s)(?:` + strings.Join(accented, "|") + "))"
	}
	for range 4 { // macros may use macros
		if !macroUse.MatchString(text) {
			return text, nil
		}
		missing := ""
		text = macroUse.ReplaceAllStringFunc(text, func(use string) string {
			body, ok := macros[use[1:len(use)-1]]
			if !ok {
				missing = use
			}
			return "(?:" + body + ")"
		})
		if missing != "" {
			return "", fmt.Errorf("phrase %s: unknown macro %s", e.ID, missing)
		}
	}
	return "", fmt.Errorf("phrase %s: macros are nested too deep", e.ID)
}

// Find returns the matches outside code and quotes, in order of place, then of entry.
func (p *Phrases) Find(d *Document) []Match {
	if strings.TrimSpace(d.Masked) == "" {
		return nil
	}
	var out []Match
	for _, i := range p.set.Find(d.Masked) {
		pattern := p.set.Pattern(i)
		names := pattern.SubexpNames()
		for _, m := range pattern.FindAllStringSubmatchIndex(d.Masked, -1) {
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

// RedFlags is the compiled catalogue of SW-20.
type RedFlags struct {
	phrases *Phrases
	entries []Entry
}

// LoadRedFlags compiles the section "redflags" of rule data.
func LoadRedFlags(set *rules.Set) (*RedFlags, error) {
	var c struct {
		Macros map[string]string `yaml:"macros"`
		Flags  []Entry           `yaml:"flags"`
	}
	if err := set.Decode("redflags", &c); err != nil {
		return nil, fmt.Errorf("load red flags: %w", err)
	}
	p, err := CompilePhrases(pattern.For(set, "redflags"), "flags", c.Macros, c.Flags)
	if err != nil {
		return nil, fmt.Errorf("load red flags: %w", err)
	}
	return &RedFlags{phrases: p, entries: c.Flags}, nil
}

// Entries returns the catalogue in its order.
func (r *RedFlags) Entries() []Entry { return r.entries }

// Find returns the red flags in a PLAN segment's text, one per entry and
// sentence, in order of place. Offset and Length count bytes of the original
// text; Segment, Turn and Thinking are left to the caller.
func (r *RedFlags) Find(d *Document) []sessionevents.RedFlagHit {
	type place struct {
		id       string
		sentence int
	}
	seen := map[place]bool{}
	var out []sessionevents.RedFlagHit
	for _, m := range r.phrases.Find(d) {
		sentence := d.SentenceAt(m.Span.From)
		if key := (place{m.ID, sentence.From}); seen[key] {
			continue
		} else {
			seen[key] = true
		}
		offset, length := d.SourceSpan(m.Span)
		out = append(out, sessionevents.RedFlagHit{
			ID: m.ID, Offset: offset, Length: length, Sentence: d.Text[sentence.From:sentence.To],
		})
	}
	return out
}
