package shadow

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/shadow/reading"
)

// Sections holds the titles that identify the parts of a report.
type Sections struct {
	Recommendation reading.Titles `yaml:"recommendation" pattern:"fold"`
	Synthesis      reading.Titles `yaml:"synthesis" pattern:"fold"`
	Patterns       reading.Titles `yaml:"patterns" pattern:"fold"`
	Findings       reading.Titles `yaml:"findings" pattern:"fold"`
}

// Words holds the word lists of the text heuristics; each has examples, which a test
// reads.
type Words struct {
	Tangents         reading.WordList `yaml:"tangents"`
	Patterns         reading.WordList `yaml:"patterns"`
	Synthesis        reading.WordList `yaml:"synthesis"`
	FutureProof      reading.WordList `yaml:"future_proof"`
	Abstractions     reading.WordList `yaml:"abstractions"`
	NewPackages      reading.WordList `yaml:"new_packages"`
	TestsRun         reading.WordList `yaml:"tests_run"`
	TestOutput       reading.WordList `yaml:"test_output"`
	Fixes            reading.WordList `yaml:"fixes"`
	Compromised      reading.WordList `yaml:"compromised"`
	Alternatives     reading.WordList `yaml:"alternatives"`
	LeftAlone        reading.WordList `yaml:"left_alone"`
	OutsideScope     reading.WordList `yaml:"outside_scope"`
	Impossible       reading.WordList `yaml:"impossible"`
	Imagined         reading.WordList `yaml:"imagined"`
	Repro            reading.WordList `yaml:"repro"`
	Consider         reading.WordList `yaml:"consider"`
	Actions          reading.WordList `yaml:"actions"`
	Documentation    reading.WordList `yaml:"documentation"`
	TrivialFunctions reading.WordList `yaml:"trivial_functions"`
	Reworks          reading.WordList `yaml:"reworks"`
}

// named returns the lists with their names.
func (w *Words) named() []namedList {
	return []namedList{
		{"tangents", &w.Tangents},
		{"patterns", &w.Patterns},
		{"synthesis", &w.Synthesis},
		{"future_proof", &w.FutureProof},
		{"abstractions", &w.Abstractions},
		{"new_packages", &w.NewPackages},
		{"tests_run", &w.TestsRun},
		{"test_output", &w.TestOutput},
		{"fixes", &w.Fixes},
		{"compromised", &w.Compromised},
		{"alternatives", &w.Alternatives},
		{"left_alone", &w.LeftAlone},
		{"outside_scope", &w.OutsideScope},
		{"impossible", &w.Impossible},
		{"imagined", &w.Imagined},
		{"repro", &w.Repro},
		{"consider", &w.Consider},
		{"actions", &w.Actions},
		{"documentation", &w.Documentation},
		{"trivial_functions", &w.TrivialFunctions},
		{"reworks", &w.Reworks},
	}
}

type namedList struct {
	name string
	list *reading.WordList
}

func (c *Config) compileWords(from pattern.Compiler) error {
	for _, l := range c.Words.named() {
		if err := l.list.Compile(from, "words."+l.name); err != nil {
			return err
		}
	}
	return nil
}
