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
		Least          int      `yaml:"least" range:"3..100"`
		ConditionNames int      `yaml:"condition_names" range:"2..20"`
		Kept           int      `yaml:"kept" range:"1..1000"`
		Statements     int      `yaml:"statements" range:"5..1000"`
		Trivial        string   `yaml:"trivial"`
		Habitual       []string `yaml:"habitual"`
	} `yaml:"fragments"`
	Lookup struct {
		Says  string `yaml:"says"`
		Turns int    `yaml:"turns" range:"0..100"`
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
		Verbs     string   `yaml:"verbs"`
		Article   string   `yaml:"article"`
		Qualities string   `yaml:"qualities"`
		Nouns     string   `yaml:"nouns"`
		Called    string   `yaml:"called"`
		Purpose   string   `yaml:"purpose"`
		Ends      []string `yaml:"ends"`
		Logic     []string `yaml:"logic"`
		Plain     []string `yaml:"plain"`
		Others    []string `yaml:"others"`
		Callable  []string `yaml:"callable"`
		Types     []string `yaml:"types"`
		Not       string   `yaml:"not"`
	} `yaml:"announced"`
	Constants struct {
		Pattern string `yaml:"pattern"`
		Kept    int    `yaml:"kept" range:"0..1000"`
	} `yaml:"constants"`
	Copies struct {
		Marks   string `yaml:"marks"`
		Names   string `yaml:"names"`
		Ignores string `yaml:"ignores"`
		Planned string `yaml:"planned"`
		Avoided string `yaml:"avoided"`
		Shown   string `yaml:"shown"`
	} `yaml:"copies"`
	Moving      string `yaml:"moving"`
	MovingTurns int    `yaml:"moving_turns" range:"0..100"`
	Existing    string `yaml:"existing"`
	Asks        string `yaml:"asks"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	measure        *duplicate.Measure
	layers         map[string]bool   // normalised words
	kinds          map[string]string // noun → kind of symbol
	announced, not *pattern.Regexp
	moving, lookup *pattern.Regexp
	existing, asks *pattern.Regexp
	trivial        *pattern.Regexp

	copyMark, copyNames, copyIgnored, copyPlanned, copyAvoided, copyShown *pattern.Regexp
	constant, announcedPath, announcedLogic                               *pattern.Regexp
	plain                                                                 map[string]bool
	habitual                                                              map[string]bool
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
	d.habitual, d.plain = rules.Lookup(d.Fragments.Habitual), map[string]bool{}
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
	if d.constant, err = from.Go("constants.pattern", d.config.Constants.Pattern, "name", "value"); err != nil {
		return nil, err
	}
	if d.announcedPath, err = from.Go("announced", announcedFilePattern(&d.config), "file"); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"announced", announcementPattern(&d.config), &d.announced},
		{"announced.logic", logicPattern(&d.config), &d.announcedLogic},
		{"announced.not", `(?i)` + d.config.Announced.Not, &d.not},
		{"moving", `(?i)` + d.Moving, &d.moving},
		{"lookup.says", `(?i)` + d.config.Lookup.Says, &d.lookup},
		{"existing", `(?i)` + d.Existing, &d.existing},
		{"asks", `(?i)` + d.Asks, &d.asks},
		{"fragments.trivial", d.Fragments.Trivial, &d.trivial},
		{"copies.marks", `(?i)` + d.Copies.Marks, &d.copyMark},
		{"copies.names", d.Copies.Names, &d.copyNames},
		{"copies.ignores", `(?i)` + d.Copies.Ignores, &d.copyIgnored},
		{"copies.planned", `(?i)` + d.Copies.Planned, &d.copyPlanned},
		{"copies.avoided", `(?i)` + d.Copies.Avoided, &d.copyAvoided},
		{"copies.shown", `(?i)` + d.Copies.Shown, &d.copyShown},
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
// logic", "rate limiting".
func logicPattern(c *config) string {
	a := &c.Announced
	return `(?i)\b` + a.Verbs + `\s+(?:(?:the|some|our|my|own|an?|` + a.Qualities + `|proper|basic|exponential|automatic)\s+){0,3}(?P<words>[a-z][a-z-]+(?:\s+[a-z][a-z-]+)?\s+(?:` +
		strings.Join(a.Logic, "|") + `)|(?:` + strings.Join(a.Logic[slices.Index(a.Logic, "support")+1:], "|") + `))\b`
}
