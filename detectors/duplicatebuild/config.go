package duplicatebuild

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/duplicate"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section duplicatebuild of the rule data, which explains each value.
type config struct {
	Substantial float64 `yaml:"substantial" range:"0..1"`
	Partial     float64 `yaml:"partial" range:"0..1"`
	File        struct {
		Name    float64 `yaml:"name" range:"0..1"`
		Symbols float64 `yaml:"symbols" range:"0..1"`
		Unseen  float64 `yaml:"unseen" range:"0..1"`
	} `yaml:"file"`
	Confidence struct {
		Built     float64 `yaml:"built" range:"0..1"`
		Announced float64 `yaml:"announced" range:"0..1"`
		Fragment  float64 `yaml:"fragment" range:"0..1"`
		Copy      float64 `yaml:"copy" range:"0..1"`
		Lookup    float64 `yaml:"lookup" range:"0..1"`
	} `yaml:"confidence"`
	Fragments struct {
		Least          int             `yaml:"least" range:"3..100"`
		ConditionNames int             `yaml:"condition_names" range:"2..20"`
		Kept           int             `yaml:"kept" range:"1..1000"`
		Statements     int             `yaml:"statements" range:"5..1000"`
		Trivial        *pattern.Regexp `yaml:"trivial" pattern:"long"`
		Habitual       rules.Words     `yaml:"habitual"`
		Failures       *pattern.Regexp `yaml:"failures" pattern:"long"`
		Settings       *pattern.Regexp `yaml:"settings"`
	} `yaml:"fragments"`
	Lookup struct {
		Says  *pattern.Regexp `yaml:"says" pattern:"fold,long"`
		Turns int             `yaml:"turns" range:"0..100"`
	} `yaml:"lookup"`
	SelfCorrect struct {
		Searched    float64 `yaml:"searched" range:"0..1"`
		Unsearched  float64 `yaml:"unsearched" range:"0..1"`
		FromScratch float64 `yaml:"from_scratch" range:"0..1"`
	} `yaml:"self_correct"`
	Versions          []string `yaml:"versions"`
	SearchShare       float64  `yaml:"search_share" range:"0.01..1"`
	ScratchTurns      int      `yaml:"scratch_turns" range:"0..100"`
	AnnouncementsKept int      `yaml:"announcements_kept" range:"1..1000"`
	Named             int      `yaml:"named" range:"1..10"`
	Layers            []string `yaml:"layers"`
	Announced         struct {
		Verbs     string          `yaml:"verbs"`
		Article   string          `yaml:"article"`
		Qualities string          `yaml:"qualities"`
		Nouns     string          `yaml:"nouns"`
		Called    string          `yaml:"called"`
		Purpose   string          `yaml:"purpose"`
		Ends      []string        `yaml:"ends"`
		Logic     []string        `yaml:"logic"`
		Deeds     string          `yaml:"deeds"`
		Plain     []string        `yaml:"plain"`
		Others    []string        `yaml:"others"`
		Callable  []string        `yaml:"callable"`
		Types     []string        `yaml:"types"`
		Not       *pattern.Regexp `yaml:"not" pattern:"fold,long"`
	} `yaml:"announced"`
	Constants struct {
		Pattern *pattern.Regexp `yaml:"pattern" pattern:"group=name,group=value"`
		Kept    int             `yaml:"kept" range:"0..1000"`
	} `yaml:"constants"`
	Copies struct {
		Marks   *pattern.Regexp `yaml:"marks" pattern:"fold,long"`
		Names   *pattern.Regexp `yaml:"names" pattern:"long"`
		Ignores *pattern.Regexp `yaml:"ignores" pattern:"fold,long"`
		Planned *pattern.Regexp `yaml:"planned" pattern:"fold,long"`
		Avoided *pattern.Regexp `yaml:"avoided" pattern:"fold,long"`
		Shown   *pattern.Regexp `yaml:"shown" pattern:"fold,long"`
	} `yaml:"copies"`
	Moving      *pattern.Regexp `yaml:"moving" pattern:"fold,long"`
	MovingTurns int             `yaml:"moving_turns" range:"0..100"`
	Existing    *pattern.Regexp `yaml:"existing" pattern:"fold,long"`
	Asks        *pattern.Regexp `yaml:"asks" pattern:"fold,long"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	measure *duplicate.Measure
	layers  map[string]bool   // normalised words
	kinds   map[string]string // noun → kind of symbol
	plain   map[string]bool   // stems

	announced, announcedPath, announcedLogic *pattern.Regexp
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{layers: map[string]bool{}, kinds: map[string]string{}}
	if err := set.Decode("duplicatebuild", &d.config); err != nil {
		return nil, err
	}
	var err error
	if d.measure, err = duplicate.New(set); err != nil {
		return nil, err
	}
	d.plain = map[string]bool{}
	for _, w := range d.config.Announced.Plain {
		d.plain[similarity.Stem(w)] = true
	}
	for _, w := range d.Layers {
		d.layers[similarity.Normal(w)] = true
	}
	for _, noun := range d.config.Announced.Callable {
		d.kinds[noun] = "function"
	}
	for _, noun := range d.config.Announced.Types {
		d.kinds[noun] = "class"
	}
	from := pattern.For(set, "duplicatebuild")
	if d.announcedPath, err = from.Go("announced", announcedFilePattern(&d.config), "file"); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"announced", announcementPattern(&d.config), &d.announced},
		{"announced.logic", logicPattern(&d.config), &d.announcedLogic},
	} {
		if *c.into, err = from.RE2(c.key, c.text); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// announcementPattern matches a verb of building, the article and the name. `code` is an
// identifier, with its noun in `before` or `noun`; `words` is a name in plain words
// before the noun `after`; `purpose` is what a thing called `kind` should do.
func announcementPattern(c *config) string {
	a := &c.Announced
	const code = "`?(?P<code>[A-Za-z_$][\\w$]*(?:_[\\w$]+|[a-z0-9][A-Z][\\w$]*))`?(?:\\(\\))?"
	noun := func(group string) string { return `(?P<` + group + `>(?i:` + a.Nouns + `))` }
	return `(?i:\b` + a.Verbs + `\s+` + a.Article + `\s+(?:` + a.Qualities + `,?\s+){0,3})` +
		`(?:(?:(?:\w+\s+)?` + noun("before") + `\s+(?i:` + a.Called + `\s+)?)?` + code + `(?:\s+` + noun("noun") + `\b)?` +
		`|(?:\w+\s+)?` + noun("kind") + `\s+(?i:` + a.Purpose + `)\s+(?P<purpose>[a-z]+(?:\s+[a-z]+){1,4})` +
		`|(?P<words>[a-z][a-z-]+(?:\s+[a-z][a-z-]+){0,2}?)\s+` + noun("after") + `\b)`
}

// announcedFilePattern matches a verb of building, perhaps an article, and a file's name.
func announcedFilePattern(c *config) string {
	a := &c.Announced
	return `(?i)\b` + a.Verbs + `\s+(?:` + a.Article + `\s+)?(?:` + a.Qualities + `,?\s+){0,3}(?:(?:\w+\s+)?(?:file|module|script|component)\s+)?(?:` + a.Called +
		`\s+)?` + "`?(?P<file>(?:[\\w.-]+/)*[\\w-]+\\.(?:py|go|js|jsx|mjs|ts|tsx|java|kt|rb|php|rs|c|h|cc|cpp|cs|swift|scala|vue|svelte))`?"
}

// logicPattern matches a verb of building and the purpose of an unnamed thing: "retry
// logic", "rate limiting", "the password hashing".
func logicPattern(c *config) string {
	a := &c.Announced
	return `(?i)\b` + a.Verbs + `\s+(?:(?:the|some|our|my|own|an?|` + a.Qualities + `|proper|basic|exponential|automatic)\s+){0,3}(?P<words>[a-z][a-z-]+(?:\s+[a-z][a-z-]+)?\s+(?:` +
		strings.Join(a.Logic, "|") + `)|(?:` + strings.Join(a.Logic[slices.Index(a.Logic, "support")+1:], "|") +
		`)|(?:[a-z][a-z-]+\s+){1,2}[a-z]*` + a.Deeds + `)\b`
}
