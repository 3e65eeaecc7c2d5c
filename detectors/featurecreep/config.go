package featurecreep

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/permission"
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
	ErrorTurns      int     `yaml:"error_turns" range:"0..100"`
	ErrorWords      int     `yaml:"error_words" range:"0..1000"`
	QueueConfidence float64 `yaml:"queue_confidence" range:"0..1"`
	AskedShare      float64 `yaml:"asked_share" range:"0.01..1"`
	SameShare       float64 `yaml:"same_share" range:"0.01..1"`
	Confidence      struct {
		Named   float64 `yaml:"named" range:"0..1"`
		Unnamed float64 `yaml:"unnamed" range:"0..1"`
		Written float64 `yaml:"written" range:"0..1"`
		Again   float64 `yaml:"again" range:"0..1"`
		Unasked float64 `yaml:"unasked" range:"0..1"`
	} `yaml:"confidence"`
	Macros          map[string]string `yaml:"macros"`
	Announcements   []prose.Entry     `yaml:"announcements"`
	Offers          []string          `yaml:"offers"`
	ObjectEnds      []string          `yaml:"object_ends"`
	Formats         rules.Words       `yaml:"formats"`
	Prepositions    rules.Words       `yaml:"prepositions"`
	Pointers        rules.Words       `yaml:"pointers"`
	ByMeans         *pattern.Regexp   `yaml:"by_means" pattern:"fold,long"`
	Modifiers       rules.Words       `yaml:"modifiers"`
	ModifierEnds    []string          `yaml:"modifier_ends"`
	NoObject        *pattern.Regexp   `yaml:"no_object" pattern:"long"`
	DocumentNames   *pattern.Regexp   `yaml:"document_names" pattern:"long"`
	DocumentsAsked  *pattern.Regexp   `yaml:"documents_asked" pattern:"long"`
	Details         []string          `yaml:"details"`
	DetailsAlone    []string          `yaml:"details_alone"`
	Faster          *pattern.Regexp   `yaml:"faster" pattern:"fold,long"`
	FasterBy        []string          `yaml:"faster_by"`
	Called          rules.Words       `yaml:"called"`
	Compounds       rules.Words       `yaml:"compounds"`
	Capabilities    []string          `yaml:"capabilities"`
	General         []string          `yaml:"general"`
	OpenScope       *pattern.Regexp   `yaml:"open_scope" pattern:"fold,long"`
	ApprovalTools   []string          `yaml:"approval_tools"`
	Drops           []string          `yaml:"drops"`
	Reports         *pattern.Regexp   `yaml:"reports" pattern:"long"`
	Requests        *pattern.Regexp   `yaml:"requests" pattern:"long"`
	Written         []writtenKind     `yaml:"written"`
	Agents          agentsConfig      `yaml:"agents"`
	NotDependencies []string          `yaml:"not_dependencies"`
	Questions       questions         `yaml:"questions"`
	Acts            []act             `yaml:"acts"`
	Announces       *pattern.Regexp   `yaml:"announces" pattern:"long"`
	ScratchRepo     *pattern.Regexp   `yaml:"scratch_repository" pattern:"long"`
}

type writtenKind struct {
	ID       string            `yaml:"id"`
	LogOnly  bool              `yaml:"log_only"`
	NewFiles bool              `yaml:"new_files"`
	Requests bool              `yaml:"requests"`
	Files    []string          `yaml:"files"`
	AskedBy  []string          `yaml:"asked_by"`
	Literal  *pattern.Regexp   `yaml:"literal" pattern:"fold,optional"`
	Several  *pattern.Regexp   `yaml:"several" pattern:"fold,optional"`
	Patterns []*pattern.Regexp `yaml:"patterns" pattern:"group=name"`
}

// kind is a compiled writtenKind.
type kind struct {
	id       string
	logOnly  bool
	newFiles bool
	requests bool            // can be requested by an order, but not by a report
	files    []string        // empty: any file that is not ignored
	askedBy  []string        // words
	literal  *pattern.Regexp // one of the kind by its literal name, nil for none
	several  *pattern.Regexp // asks for the kind in general
	asked    map[string]bool // stems
	patterns []form
}

// form is one way to write a feature on a line; place is its index in the set of all
// patterns.
type form struct {
	*pattern.Regexp
	place int
}

// instance is the detector with its data compiled.
type instance struct {
	config
	announced                             *prose.Phrases
	offers, objectEnd, drop               *pattern.Regexp
	details, alone, capabilities, general map[string]bool
	fasterBy                              map[string]bool
	kinds                                 []kind
	written                               *pattern.Set // all patterns of kinds, multi-line
	files                                 *files.Table
	person                                *permission.Reader
	priming                               int // turns in which class D is suppressed anyway (SW-41)
}

func compile(set *rules.Set) (*instance, error) {
	d := &instance{}
	taken := rules.Take(set, "featurecreep", &d.config)
	rules.More(taken, &d.files, files.Load)
	rules.More(taken, &d.person, permission.New)
	rules.More(taken, &d.priming, detect.PrimingTurns)
	err := taken.Err
	if err != nil {
		return nil, err
	}
	from := pattern.For(set, "featurecreep")
	if d.announced, err = prose.CompilePhrases(from, "announcements", d.Macros, d.Announcements); err != nil {
		return nil, err
	}
	for _, c := range []struct {
		key, text string
		into      **pattern.Regexp
	}{
		{"offers", anyWord(d.Offers), &d.offers},
		{"object_ends", anyWord(d.ObjectEnds), &d.objectEnd},
		{"drops", anyWord(d.Drops), &d.drop},
	} {
		if *c.into, err = from.RE2(c.key, c.text); err != nil {
			return nil, err
		}
	}
	d.details, d.fasterBy = detect.Stems(d.Details), detect.Stems(d.FasterBy)
	d.alone, d.capabilities, d.general = detect.Stems(d.DetailsAlone), detect.Stems(d.Capabilities), detect.Stems(d.General)
	return d, d.compileKinds(from)
}

func (d *instance) compileKinds(from pattern.Compiler) (err error) {
	var all []string
	for _, w := range d.Written {
		k := kind{id: w.ID, logOnly: w.LogOnly, newFiles: w.NewFiles, requests: w.Requests, files: w.Files, askedBy: w.AskedBy, literal: w.Literal, several: w.Several, asked: detect.Stems(w.AskedBy)}
		for _, p := range w.Patterns {
			k.patterns = append(k.patterns, form{p, len(all)})
			all = append(all, "(?m:"+p.String()+")")
		}
		d.kinds = append(d.kinds, k)
	}
	d.written, err = from.Set("written", all)
	return err
}

// anyWord matches any of the phrases as whole words, ignoring case.
func anyWord(phrases []string) string { return pattern.Phrases(`(?:^|\W)`, phrases, `(?:\W|$)`) }
