package outofscope

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section outofscope of the rule data, which explains each value.
type config struct {
	MinTerms   int `yaml:"min_terms" range:"1..400"`
	HunkBytes  int `yaml:"hunk_bytes" range:"64..65536"`
	Tokens     int `yaml:"tokens" range:"10..100000"`
	Remembered struct {
		Files int `yaml:"files" range:"4..1024"`
		Names int `yaml:"names" range:"4..1024"`
		Led   int `yaml:"led" range:"4..1024"`
	} `yaml:"remembered"`
	TermsPerHit int `yaml:"terms_per_hit" range:"1..10000"`
	Common      struct {
		Least int     `yaml:"least" range:"1..1000"`
		Share float64 `yaml:"share" range:"0..1"`
	} `yaml:"common_folder"`
	Drift struct {
		Diffs int     `yaml:"diffs" range:"1..64"`
		Least int     `yaml:"least" range:"1..64"`
		Share float64 `yaml:"share" range:"0..1"`
	} `yaml:"drift"`
	Confidence struct {
		Announced float64 `yaml:"announced" range:"0..1"`
		Flagged   float64 `yaml:"flagged" range:"0..1"`
		Style     float64 `yaml:"style" range:"0..1"`
		Edit      float64 `yaml:"edit" range:"0..1"`
		Open      float64 `yaml:"open" range:"0..1"`
	} `yaml:"confidence"`
	Flags           []string `yaml:"flags"`
	FlagWords       []string `yaml:"flag_words"`
	General         []string `yaml:"general"`
	OpenScope       []string `yaml:"open_scope"`
	Cleanup         []string `yaml:"cleanup"`
	Consent         string   `yaml:"consent"`
	ConsentWords    int      `yaml:"consent_words" range:"0..100"`
	Drops           []string `yaml:"drops"`
	NeutralPaths    []string `yaml:"neutral_paths"`
	NeutralFiles    []string `yaml:"neutral_files"`
	NeutralSuffixes []string `yaml:"neutral_suffixes"`
	Beside          []string `yaml:"beside"`
	Comments        []string `yaml:"comments"`
	Moves           string   `yaml:"moves"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	openScope, cleanup, consent, drops, beside, comment, move *pattern.Regexp
	priming                                                   int // turns in which class D is suppressed anyway (SW-41)
	general, flagWords, neutralDir, neutralFile               map[string]bool
	files                                                     *files.Table
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	if err := set.Decode("outofscope", &d.config); err != nil {
		return nil, err
	}
	var err error
	if d.files, err = files.Load(set); err != nil {
		return nil, err
	}
	from := pattern.For(set, "outofscope")
	for _, p := range []struct {
		key      string
		patterns []string
		into     **pattern.Regexp
	}{
		{"open_scope", d.OpenScope, &d.openScope},
		{"cleanup", d.Cleanup, &d.cleanup},
		{"consent", []string{d.Consent}, &d.consent},
		{"drops", d.Drops, &d.drops},
		{"beside", d.Beside, &d.beside},
		{"comments", d.Comments, &d.comment},
		{"moves", []string{d.Moves}, &d.move},
	} {
		if *p.into, err = from.RE2(p.key, `(?i)(?:`+strings.Join(p.patterns, "|")+`)`); err != nil {
			return nil, err
		}
	}
	if d.priming, err = detect.PrimingTurns(set); err != nil {
		return nil, err
	}
	d.general, d.flagWords = detect.Stems(d.General), detect.Stems(d.FlagWords)
	d.neutralDir, d.neutralFile = rules.Lookup(d.NeutralPaths), rules.Lookup(d.NeutralFiles)
	return d, nil
}
