package featurecreep

import (
	"fmt"
	"regexp"
	"strings"

	re2 "github.com/wasilibs/go-re2"
	"github.com/wasilibs/go-re2/experimental"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/prose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section featurecreep of the rule data, which explains each value.
type config struct {
	ForcedFrom      int     `yaml:"forced_from" range:"1..100"`
	FeaturesKept    int     `yaml:"features_kept" range:"1..1000"`
	ApprovedKept    int     `yaml:"approved_kept" range:"0..10000"`
	NameWords       int     `yaml:"name_words" range:"1..20"`
	QueueConfidence float64 `yaml:"queue_confidence" range:"0..1"`
	AskedShare      float64 `yaml:"asked_share" range:"0.01..1"`
	SameShare       float64 `yaml:"same_share" range:"0.01..1"`
	Confidence      struct {
		Named   float64 `yaml:"named" range:"0..1"`
		Unnamed float64 `yaml:"unnamed" range:"0..1"`
		Written float64 `yaml:"written" range:"0..1"`
	} `yaml:"confidence"`
	Macros          map[string]string `yaml:"macros"`
	Announcements   []prose.Entry     `yaml:"announcements"`
	Offers          []string          `yaml:"offers"`
	ObjectEnds      []string          `yaml:"object_ends"`
	Formats         []string          `yaml:"formats"`
	Prepositions    []string          `yaml:"prepositions"`
	Pointers        []string          `yaml:"pointers"`
	Details         []string          `yaml:"details"`
	DetailsAlone    []string          `yaml:"details_alone"`
	Called          []string          `yaml:"called"`
	Compounds       []string          `yaml:"compounds"`
	Capabilities    []string          `yaml:"capabilities"`
	General         []string          `yaml:"general"`
	OpenScope       []string          `yaml:"open_scope"`
	Consent         string            `yaml:"consent"`
	ConsentWords    int               `yaml:"consent_words" range:"0..100"`
	ApprovalTools   []string          `yaml:"approval_tools"`
	Drops           []string          `yaml:"drops"`
	Reports         string            `yaml:"reports"`
	Requests        string            `yaml:"requests"`
	Written         []writtenKind     `yaml:"written"`
	NotDependencies []string          `yaml:"not_dependencies"`
	IgnoredPaths    []string          `yaml:"ignored_paths"`
	IgnoredSuffixes []string          `yaml:"ignored_suffixes"`
}

type writtenKind struct {
	ID       string   `yaml:"id"`
	LogOnly  bool     `yaml:"log_only"`
	NewFiles bool     `yaml:"new_files"`
	Requests bool     `yaml:"requests"`
	Files    []string `yaml:"files"`
	AskedBy  []string `yaml:"asked_by"`
	Patterns []string `yaml:"patterns"`
}

// kind is a writtenKind ready for use.
type kind struct {
	id       string
	logOnly  bool
	newFiles bool
	requests bool            // asked for by a request only, not by a report
	files    []string        // empty: any that is not ignored
	askedBy  []string        // words
	asked    map[string]bool // their stems
	patterns []pattern
}

// pattern finds one way to write a feature in a line; place is its number in
// the set of all.
type pattern struct {
	*regexp.Regexp
	place int
}

// instance is the detector with its data compiled.
type instance struct {
	config
	announced                                                                 *prose.Phrases
	offers, objectEnd, openScope, consent, drop, reports, requests            *re2.Regexp
	pointers, prepositions, details, alone, capabilities, general, ignoredDir map[string]bool
	formats, called, compounds                                                map[string]bool
	kinds                                                                     []kind
	written                                                                   *experimental.Set // all patterns of kinds, over many lines
	everyPattern                                                              []int             // their places
	priming                                                                   int               // turns in which class D is suppressed anyway (SW-41)
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("featurecreep", &d.config); err != nil {
		return nil, err
	}
	var err error
	if d.announced, err = prose.CompilePhrases(d.Macros, d.Announcements); err != nil {
		return nil, fmt.Errorf("rules: section featurecreep: %w", err)
	}
	for _, c := range []struct {
		pattern string
		into    **re2.Regexp
	}{
		{anyWord(d.Offers), &d.offers},
		{anyWord(d.ObjectEnds), &d.objectEnd},
		{anyWord(d.Drops), &d.drop},
		{"(?i)" + strings.Join(d.OpenScope, "|"), &d.openScope},
		{"(?i)" + d.Consent, &d.consent},
		{d.Reports, &d.reports},
		{d.Requests, &d.requests},
	} {
		if *c.into, err = re2.Compile(c.pattern); err != nil {
			return nil, fmt.Errorf("rules: section featurecreep: %w", err)
		}
	}
	if d.priming, err = detect.PrimingTurns(set); err != nil {
		return nil, err
	}
	d.pointers, d.prepositions, d.ignoredDir = rules.Lookup(d.Pointers), rules.Lookup(d.Prepositions), rules.Lookup(d.IgnoredPaths)
	d.formats, d.called, d.compounds = rules.Lookup(d.Formats), rules.Lookup(d.Called), rules.Lookup(d.Compounds)
	d.details = detect.Stems(d.Details)
	d.alone, d.capabilities, d.general = detect.Stems(d.DetailsAlone), detect.Stems(d.Capabilities), detect.Stems(d.General)
	return d, d.compileKinds()
}

func (d *instance) compileKinds() error {
	var all []string
	for _, w := range d.Written {
		k := kind{id: w.ID, logOnly: w.LogOnly, newFiles: w.NewFiles, requests: w.Requests, files: w.Files, askedBy: w.AskedBy, asked: detect.Stems(w.AskedBy)}
		for _, p := range w.Patterns {
			compiled, err := regexp.Compile(p)
			if err != nil {
				return fmt.Errorf("rules: section featurecreep: written %s: %w", w.ID, err)
			}
			if compiled.SubexpIndex("name") < 0 {
				return fmt.Errorf("rules: section featurecreep: written %s: pattern %s has no group `name`", w.ID, p)
			}
			k.patterns = append(k.patterns, pattern{compiled, len(all)})
			d.everyPattern = append(d.everyPattern, len(all))
			all = append(all, "(?m:"+p+")")
		}
		d.kinds = append(d.kinds, k)
	}
	var err error
	if d.written, err = experimental.CompileSet(all); err != nil {
		return fmt.Errorf("rules: section featurecreep: written: %w", err)
	}
	return nil
}

// anyWord matches any of the phrases from word to word, in any case.
func anyWord(phrases []string) string {
	quoted := make([]string, len(phrases))
	for i, p := range phrases {
		quoted[i] = regexp.QuoteMeta(p)
	}
	return `(?i)(?:^|\W)(?:` + strings.Join(quoted, "|") + `)(?:\W|$)`
}
