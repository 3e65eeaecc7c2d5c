// Package secrets finds credentials in text (B1, SW-7).
//
// Three readers scan the text together: the provider patterns of gitleaks, connection strings with
// a password, and literals assigned to a credential-like name. A table of the first three bytes of
// every keyword says where to look; regular expressions run only on the few hundred bytes after
// such a place, because running them over whole texts is about ten times slower.
//
// A [Scanner] is read-only after [New] and may be shared by goroutines. What it
// finds is a function of text and path alone.
package secrets

import (
	"crypto/sha256"
	"fmt"
	"sort"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/files"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

// Scanner finds secrets. It is read-only after New.
type Scanner struct {
	config     Config
	key        []byte
	checkKey   [sha256.Size]byte
	rules      []providerRule
	allowlists []allowlist
	triggers   *triggers
	keywords   []keyword
	names      nameRules
	values     valueRules
	machine    *pattern.Regexp
	configs    *pattern.Regexp
	shells     *pattern.Regexp
	labels     *pattern.Regexp
	documents  *pattern.Regexp
	code       *pattern.Regexp // files in which entropy alone counts
	examplesIn *pattern.Regexp // values that are examples in documents
	generic    map[string]bool // rules whose values are judged as literals
	spoken     map[string]bool // words before a name whose value follows unassigned
	callRules  []CallRule
	wrappers   map[string]bool // calls that turn a literal into bytes
	neverGiven map[string]bool // arguments of calls that are not credentials
}

// placing is the position of a rule's match relative to its keyword.
type placing int

const (
	atKeyword   placing = iota // begins with it
	afterName                  // follows it as a value follows a name
	nearKeyword                // begins a bounded distance before it
	anywhere                   // in the same text
)

// keyword is a text that may lead to a secret.
type keyword struct {
	text  string
	rules []keywordRule
	name  bool  // part of a credential-like name
	url   bool  // "://"
	calls []int // rules of the calls it begins
}

type keywordRule struct {
	rule  int
	place placing
}

// New makes a scanner. Key is the installation's fingerprint key (SW-7); it
// must not be empty, [fingerprint.ScanKey] is the fixed one of `scan`.
func New(c Config, key []byte) (*Scanner, error) {
	if len(key) == 0 {
		return nil, fmt.Errorf("secret scanner: the fingerprint key is empty; give the installation's key or fingerprint.ScanKey")
	}
	s := &Scanner{
		config: c, key: append([]byte(nil), key...), checkKey: sha256.Sum256(append([]byte("check\x00"), key...)), allowlists: allowlists(known().AllowedEverywhere),
		names: newNameRules(c), generic: setOf(c.Generic), spoken: setOf(c.SpokenAfter), values: newValueRules(c),
		callRules: c.Calls, wrappers: setOf(c.Wrappers), neverGiven: setOf(c.NeverGiven),
		machine: c.MachineFiles, labels: c.LabelFiles,
		code: c.CodeFiles, documents: c.DocumentFiles, examplesIn: c.DocumentExamples, configs: c.ConfigFiles,
		shells: c.ShellFiles,
	}
	return s, s.placeKeywords()
}

// placeKeywords gives every rule's keywords their place and builds the table.
func (s *Scanner) placeKeywords() error {
	byText := map[string]*keyword{}
	entry := func(text string) *keyword {
		if byText[text] == nil {
			byText[text] = &keyword{text: text}
		}
		return byText[text]
	}
	for i := range known().Rules {
		rule := newProviderRule(&known().Rules[i], s.config)
		words := rule.Keywords
		if own := s.config.Keywords[rule.ID]; own != nil {
			words = own
		}
		if len(words) == 0 {
			return fmt.Errorf("gitleaks rule %s has no keyword; name some under secrets.keywords", rule.ID)
		}
		for _, word := range words {
			k := entry(strings.ToLower(word))
			k.rules = append(k.rules, keywordRule{len(s.rules), rule.placeOf(k.text)})
		}
		s.rules = append(s.rules, rule)
	}
	for _, word := range s.config.Triggers {
		entry(word).name = true
	}
	for i := range s.callRules {
		for _, call := range s.callRules[i].Calls {
			k := entry(strings.ToLower(call))
			k.calls = append(k.calls, i)
		}
	}
	entry("://").url = true
	return s.buildTable(byText)
}

func (s *Scanner) buildTable(byText map[string]*keyword) error {
	texts := make([]string, 0, len(byText))
	for text := range byText {
		if len(text) < 2 {
			return fmt.Errorf("keyword %q is shorter than two bytes", text)
		}
		texts = append(texts, text)
	}
	sort.Strings(texts)
	wordStart := make([]bool, len(texts))
	for i, text := range texts {
		s.keywords = append(s.keywords, *byText[text])
		wordStart[i] = s.onlyAtWordStart(byText[text])
	}
	s.triggers = newTriggers(texts, wordStart)
	return nil
}

// onlyAtWordStart reports whether a keyword inside a word leads nowhere.
func (s *Scanner) onlyAtWordStart(k *keyword) bool {
	for _, r := range k.rules {
		if r.place != atKeyword || !s.rules[r.rule].Lead.WordStart {
			return false
		}
	}
	return !k.name && !k.url // a call begins where a word does
}

func (p *providerRule) placeOf(keyword string) placing {
	switch {
	case p.named && p.before < 0:
		return afterName
	case p.before >= 0:
		return nearKeyword
	case p.Lead.beginsWith(keyword):
		return atKeyword
	default:
		return anywhere
	}
}

// scan is the text of one Find and what was found in it. Each way to find secrets is a reader of its
// own, which embeds it.
type scan struct {
	*Scanner
	text string
	path string

	found []Finding
	class fileClass
}

// finder asks each reader about the places of its keywords.
type finder struct {
	*scan
	providers   providers
	assignments assignments
	urls        urls
	markerEnd   int // end of the last marker that was met
}

type fileClass struct{ known, test, machine, config, shell, label, document bool }

// Find returns the secrets of a text, in order and without overlaps. Path is the file the text
// belongs to, "" if it is not a file's; it decides TestFile and whether names count, never whether
// a provider's pattern does.
func (s *Scanner) Find(text, path string) []Finding {
	f := s.finder(text, path)
	s.triggers.each(text, f.hit)
	random{f.scan}.entropyAlone()
	return resolve(text, f.found)
}

func (s *Scanner) finder(text, path string) *finder {
	sc := &scan{Scanner: s, text: text, path: path}
	return &finder{scan: sc, providers: providers{scan: sc}, assignments: assignments{calls: calls{scan: sc}}, urls: urls{sc}}
}

// FindNamed judges a whole text as the value of a name, for example of a JSON
// key. It reports at most one finding, which covers the text.
func (s *Scanner) FindNamed(name, text, path string) []Finding {
	force, kind := s.names.judge(name)
	if force != nameStrong || strings.ContainsAny(text, "\n") {
		return nil
	}
	sc := scan{Scanner: s, text: text, path: path}
	if f, ok := sc.judgeLiteral(name, force, kind, literal{end: len(text), value: text, quoted: true}); ok && !sc.files().machine {
		return []Finding{f}
	}
	return nil
}

func (sc *finder) hit(pos, keyword int) {
	if pos < sc.markerEnd {
		return
	}
	if end := markerAround(sc.text, pos); end > 0 {
		sc.markerEnd = end
		return
	}
	k := &sc.keywords[keyword]
	for _, r := range k.rules {
		sc.providers.provider(r.rule, pos, len(k.text), r.place)
	}
	if k.name && pos >= sc.assignments.nameEnd {
		sc.assignments.name(pos, len(k.text))
	}
	if k.url {
		sc.urls.url(pos)
	}
	if k.calls != nil {
		sc.assignments.call(pos, len(k.text), k.calls)
	}
}

func (sc *scan) files() fileClass {
	if !sc.class.known {
		sc.class = fileClass{
			known: true, test: sc.TestFile(sc.path), machine: sc.machine.MatchString(sc.path), config: sc.configs.MatchString(sc.path),
			shell: sc.shells.MatchString(sc.path), label: sc.labels.MatchString(sc.path),
			document: sc.documents.MatchString(sc.path),
		}
	}
	return sc.class
}

func (sc *scan) testFile() bool { return sc.files().test }

// TestFile reports whether a path is exclusively a test's (SW-40).
func (s *Scanner) TestFile(path string) bool { return s.config.Files.Is(path, files.AnyTest) }
