package outofscope

import (
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
	Flags           []string        `yaml:"flags"`
	FlagWords       []string        `yaml:"flag_words"`
	General         []string        `yaml:"general"`
	OpenScope       *pattern.Regexp `yaml:"open_scope" pattern:"fold,long"`
	Cleanup         *pattern.Regexp `yaml:"cleanup" pattern:"fold,long"`
	Consent         *pattern.Regexp `yaml:"consent" pattern:"fold,long"`
	ConsentWords    int             `yaml:"consent_words" range:"0..100"`
	Drops           *pattern.Regexp `yaml:"drops" pattern:"fold,long"`
	NeutralPaths    rules.Words     `yaml:"neutral_paths"`
	NeutralFiles    rules.Words     `yaml:"neutral_files"`
	NeutralSuffixes []string        `yaml:"neutral_suffixes"`
	Beside          *pattern.Regexp `yaml:"beside" pattern:"fold,long"`
	Comments        *pattern.Regexp `yaml:"comments" pattern:"fold,long"`
	Moves           *pattern.Regexp `yaml:"moves" pattern:"fold,long"`
}

// instance is the detector with its data compiled.
type instance struct {
	config
	priming            int // turns in which class D is suppressed anyway (SW-41)
	general, flagWords map[string]bool
	files              *files.Table
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
	if d.priming, err = detect.PrimingTurns(set); err != nil {
		return nil, err
	}
	d.general, d.flagWords = detect.Stems(d.General), detect.Stems(d.FlagWords)
	return d, nil
}
