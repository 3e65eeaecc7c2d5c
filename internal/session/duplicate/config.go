package duplicate

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/similarity"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// config is the section likeness of the rule data, which explains each value.
type config struct {
	Weights struct {
		Name      float64 `yaml:"name" range:"0..1"`
		Signature float64 `yaml:"signature" range:"0..1"`
		Calls     float64 `yaml:"calls" range:"0..1"`
		Body      float64 `yaml:"body" range:"0..1"`
	} `yaml:"weights"`
	OtherKind      float64 `yaml:"other_kind" range:"0..1"`
	OtherContainer float64 `yaml:"other_container" range:"0..1"`
	OneContainer   float64 `yaml:"one_container" range:"0..1"`
	Copy           struct {
		Similarity float64 `yaml:"similarity" range:"0..1"`
		Sample     int     `yaml:"sample" range:"1..64"`
		Score      float64 `yaml:"score" range:"0..1"`
	} `yaml:"copy"`
	Renamed struct {
		Similarity float64 `yaml:"similarity" range:"0..1"`
		Sample     int     `yaml:"sample" range:"4..64"`
	} `yaml:"renamed"`
	Purpose struct {
		Body       float64 `yaml:"body" range:"0..1"`
		Sample     int     `yaml:"sample" range:"1..64"`
		Calls      float64 `yaml:"calls" range:"0..1"`
		LeastCalls int     `yaml:"least_calls" range:"1..16"`
		Score      float64 `yaml:"score" range:"0..1"`
	} `yaml:"purpose"`
	NameOnly struct {
		Same  float64 `yaml:"same" range:"0..1"`
		Alike float64 `yaml:"alike" range:"0..1"`
	} `yaml:"name_only"`
	Candidates struct {
		Name  float64 `yaml:"name" range:"0..1"`
		Alike int     `yaml:"alike" range:"0..50"`
		Max   int     `yaml:"max" range:"1..50"`
	} `yaml:"candidates"`
	Families  [][]string  `yaml:"families"`
	TypeFirst rules.Words `yaml:"type_first"`
	Receivers rules.Words `yaml:"receivers"`

	Conventions `yaml:",inline"`
	Layout      `yaml:",inline"`
}

// Conventions say which names repeat without any copying.
type Conventions struct {
	Names        []string        `yaml:"names"`
	FirstWords   rules.Words     `yaml:"first_words"`
	LastWords    rules.Words     `yaml:"last_words"`
	LeastWords   int             `yaml:"least_words" range:"1..10"`
	LeastLetters int             `yaml:"least_letters" range:"1..40"`
	Files        rules.Words     `yaml:"files"`
	Directories  rules.Words     `yaml:"directories"`
	FilePatterns *pattern.Regexp `yaml:"file_patterns" pattern:"long"`
	FileEndings  rules.Words     `yaml:"file_endings"`

	names map[string]bool
	files *files.Table
}

// Layout says what the place of a file means for its content.
type Layout struct {
	SharedDirectories rules.Words     `yaml:"shared_directories"`
	ScriptBeginnings  rules.Words     `yaml:"script_beginnings"`
	ScriptDirectories rules.Words     `yaml:"script_directories"`
	ScriptMarks       []string        `yaml:"script_marks"`
	Sides             rules.Words     `yaml:"sides"`
	Packages          rules.Words     `yaml:"packages"`
	Worktrees         []string        `yaml:"worktrees"`
	Platforms         []string        `yaml:"platforms"`
	PrivatePrefixes   []string        `yaml:"private_prefixes"`
	SmallIsPrivate    rules.Words     `yaml:"small_is_private"`
	Version           *pattern.Regexp `yaml:"version"`
}

// Measure compares symbols and files according to the section "likeness" of the rule
// data. It holds no session state and is safe for concurrent use.
type Measure struct {
	config
	family map[string]string // language → first language of its family
}

// New compiles the section likeness. It fails with the names of entries that do not
// compile.
func New(set *rules.Set) (*Measure, error) {
	m := &Measure{family: map[string]string{}}
	if err := set.Decode("likeness", &m.config); err != nil {
		return nil, err
	}
	for _, family := range m.Families {
		for _, language := range family {
			m.family[language] = family[0]
		}
	}
	m.names = map[string]bool{}
	for _, name := range m.Names {
		m.names[plain(name)] = true
	}
	var err error
	m.files, err = files.Load(set)
	return m, err
}

// plain returns a name in the form of the list `names`: its words joined.
func plain(name string) string { return strings.Join(similarity.Words(name), "") }
