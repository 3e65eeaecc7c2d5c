package claim

import (
	"fmt"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// phrase is one wording of a kind of claim.
type phrase struct {
	Kind  sessionevents.ClaimKind `yaml:"kind" allow:"tests|build|lint|works|done|deployed|cause|excuse|created|deleted|moved|committed|pushed|pull_request|tagged|installed|applied|variable|endpoint"`
	Broad bool                    `yaml:"broad"`
	Loose bool                    `yaml:"loose"`
	// Remote is set if it speaks of continuous integration.
	Remote bool `yaml:"remote"`
	// Names is what a clause must name to be a claim, Where on which side of the words.
	// Then must match the words that follow.
	Names   string          `yaml:"names" allow:"path|variable|address"`
	Where   string          `yaml:"where" allow:"before"`
	Then    *pattern.Regexp `yaml:"then" pattern:"fold,long,optional"`
	Pattern *pattern.Regexp `yaml:"pattern" pattern:"fold,long"`
}

// section is the section claims of the rule data, which explains each value.
type section struct {
	Marks     *pattern.Regexp `yaml:"marks" pattern:"fold,long"`
	Splits    *pattern.Regexp `yaml:"splits" pattern:"long"`
	Claims    []phrase        `yaml:"claims"`
	Linted    *pattern.Regexp `yaml:"linted" pattern:"fold,long"`
	Pointed   *pattern.Regexp `yaml:"pointed" pattern:"long"`
	Excused   *pattern.Regexp `yaml:"excused" pattern:"fold,long"`
	Denied    *pattern.Regexp `yaml:"denied" pattern:"fold,long"`
	Guesses   *pattern.Regexp `yaml:"guesses" pattern:"fold,long"`
	Partly    *pattern.Regexp `yaml:"partly" pattern:"fold,long"`
	UnitTests *pattern.Regexp `yaml:"unit_tests" pattern:"fold,long"`
	Subjects  *pattern.Regexp `yaml:"subjects"`
	// Concerning matches the words after "tests of".
	Concerning *pattern.Regexp `yaml:"concerning" pattern:"fold"`
	Generic    rules.Words     `yaml:"generic"`
	Spans      *pattern.Regexp `yaml:"spans" pattern:"long"`
	Entire     *pattern.Regexp `yaml:"entire" pattern:"fold,long"`
	Made       *pattern.Regexp `yaml:"made" pattern:"long"`
	Maker      *pattern.Regexp `yaml:"maker" pattern:"long"`
	AddsTests  *pattern.Regexp `yaml:"adds_tests" pattern:"long"`
	Wired      *pattern.Regexp `yaml:"wired" pattern:"fold,long"`
	Ran        *pattern.Regexp `yaml:"ran" pattern:"fold"`
	Whole      *pattern.Regexp `yaml:"whole" pattern:"fold,long"`
	Negated    *pattern.Regexp `yaml:"negated" pattern:"fold,long"`
	Affirmed   *pattern.Regexp `yaml:"affirmed" pattern:"fold,long"`
	Claimed    *pattern.Regexp `yaml:"claimed" pattern:"fold,long"`
	Plans      *pattern.Regexp `yaml:"plans" pattern:"fold,long"`
	Announced  *pattern.Regexp `yaml:"announced" pattern:"fold"`
	Supposed   *pattern.Regexp `yaml:"supposed" pattern:"fold,long"`
	Labels     *pattern.Regexp `yaml:"labels" pattern:"long"`
	Remarks    *pattern.Regexp `yaml:"remarks" pattern:"long"`
	Foreign    *pattern.Regexp `yaml:"foreign" pattern:"long"`
	Suites     *pattern.Regexp `yaml:"suites" pattern:"long"`
	Nouns      *pattern.Regexp `yaml:"nouns" pattern:"long"`
	Figures    *pattern.Regexp `yaml:"figures" pattern:"long"`
	Numbers    map[string]int  `yaml:"numbers"`
	Fractions  *pattern.Regexp `yaml:"fractions"`
	Paths      *pattern.Regexp `yaml:"paths" pattern:"long"`
	Folders    *pattern.Regexp `yaml:"folders" pattern:"long"`
	Variables  *pattern.Regexp `yaml:"variables" pattern:"long"`
	Addresses  *pattern.Regexp `yaml:"addresses" pattern:"long"`
	Answers    *pattern.Regexp `yaml:"answers" pattern:"fold"`
	Routes     *pattern.Regexp `yaml:"routes"`
	Packages   *pattern.Regexp `yaml:"packages" pattern:"fold"`
	Places     *pattern.Regexp `yaml:"places" pattern:"long"`
	Beside     *pattern.Regexp `yaml:"beside" pattern:"fold,long"`
	// Attributive matches words before a participle that only says which thing is meant.
	Attributive *pattern.Regexp `yaml:"attributive" pattern:"fold"`
}

// Reader reads claims. It is immutable and safe for concurrent use.
type Reader struct {
	section
	claims *pattern.Set
}

// New compiles the section claims of the rule data.
func New(set *rules.Set) (*Reader, error) {
	r := &Reader{}
	if err := set.Decode("claims", &r.section); err != nil {
		return nil, fmt.Errorf("load claims: %w", err)
	}
	patterns := make([]string, len(r.Claims))
	for i := range r.Claims {
		patterns[i] = r.Claims[i].Pattern.String()
	}
	var err error
	if r.claims, err = pattern.Trusted.Set("claims", patterns); err != nil {
		return nil, fmt.Errorf("load claims: %w", err)
	}
	return r, nil
}
