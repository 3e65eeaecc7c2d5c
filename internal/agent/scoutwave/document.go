package scoutwave

import (
	"cmp"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Limits of a document: beyond them entries are left out and reported.
const (
	maxWaves   = 64
	maxAgents  = 52 // of one wave
	maxFiles   = 5000
	maxReports = 200
	maxText    = 4000
)

// document is the content of a plan document, in either form.
type document struct {
	slug, title, repository string
	verdict                 string // SUITABLE, SUITABLE WITH CAVEATS, NOT SUITABLE
	scaffolds               []runevents.Scaffold
	waves                   map[int]map[string][]string // number → agent → files
	reports                 []report
	critic                  *runevents.ReviewCompleted

	files    int
	repos    bool // files belong to several repositories
	problems []string
	noted    []string // parts that are recognised but not judged
}

// report is a completion report.
type report struct {
	letter     string
	wave       int // 0 if neither its branch nor the plan gives it
	status     string
	failure    string
	commit     string
	verified   string // PASS, FAIL (…)
	changed    []string
	created    []string
	tests      []string
	deviations int
	repo       string
	notes      string
}

func newDocument() *document { return &document{waves: map[int]map[string][]string{}} }

// agentName matches an agent as ownership tables name it: A, Agent B2, agent-C.
var agentName = pattern.Must(`^(?i:agents?[\s_-]+)?([A-Z][2-9]?)(?:$|[\s,;/&+(])`)

// letters returns the agents in a cell; none for roles other than wave agents.
func letters(cell string) []string {
	var out []string
	for _, part := range strings.FieldsFunc(strings.Trim(cell, "`*_ "),
		func(r rune) bool { return strings.ContainsRune(",/&+", r) }) {
		part = strings.Trim(part, "`*_[] ")
		if m := agentName.FindStringSubmatch(part + " "); m != nil && !slices.Contains(out, m[1]) {
			out = append(out, m[1])
		}
	}
	return out
}

// owns adds a file to an agent of a wave.
func (d *document) owns(wave int, letter, file string) {
	file = cleanFile(file)
	if file == "" || letter == "" {
		return
	}
	if wave < 1 {
		wave = 1
	}
	agents := d.waves[wave]
	if agents == nil {
		if len(d.waves) >= maxWaves {
			d.problem("there are more than %d waves; the others are left out", maxWaves)
			return
		}
		agents = map[string][]string{}
		d.waves[wave] = agents
	}
	if _, known := agents[letter]; !known && len(agents) >= maxAgents {
		d.problem("a wave has more than %d agents; the others are left out", maxAgents)
		return
	}
	if d.files >= maxFiles {
		d.problem("there are more than %d owned files; the others are left out", maxFiles)
		return
	}
	if !slices.Contains(agents[letter], file) {
		agents[letter] = append(agents[letter], file)
		d.files++
	}
}

// join adds an agent that does not own anything yet.
func (d *document) join(wave int, letter string) {
	if wave < 1 || letter == "" || len(d.waves) >= maxWaves && d.waves[wave] == nil {
		return
	}
	if d.waves[wave] == nil {
		d.waves[wave] = map[string][]string{}
	}
	if _, known := d.waves[wave][letter]; !known && len(d.waves[wave]) < maxAgents {
		d.waves[wave][letter] = nil
	}
}

// waveOf returns the wave of an agent, 0 if it is in none or in several.
func (d *document) waveOf(letter string) int {
	found := 0
	for number, agents := range d.waves {
		if _, is := agents[letter]; is {
			if found != 0 {
				return 0
			}
			found = number
		}
	}
	return found
}

// maxPath limits the length of a path.
const maxPath = 1024

// fileName matches the path at the beginning of a cell, with or without quotes.
var fileName = pattern.Must("^\\s*(?:`([^`]+)`|([^\\s|]+))")

// cleanFile returns the path in a cell, "" if there is none.
func cleanFile(cell string) string {
	m := fileName.FindStringSubmatch(cell)
	if m == nil {
		return ""
	}
	file := strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(cmp.Or(m[1], m[2])), `\`, "/"), "./")
	file = strings.Trim(file, "*,;")
	if file == "" || len(file) > maxPath || strings.Trim(file, "-–—.") == "" || !strings.ContainsAny(file,
		"./*") && !bareName.MatchString(file) {
		return ""
	}
	return file
}

// bareName matches file names without an extension.
var bareName = pattern.Must(`^(?:Makefile|Dockerfile|Jenkinsfile|Gemfile|Rakefile|Procfile|LICENSE|justfile)$`)

// verdictOf parses a verdict in either spelling.
func verdictOf(text string) string {
	text = strings.ToUpper(strings.ReplaceAll(strings.Trim(strings.TrimSpace(text), "*\"'`. "), "_", " "))
	switch {
	case strings.HasPrefix(text, "NOT SUITABLE"):
		return "NOT SUITABLE"
	case strings.HasPrefix(text, "SUITABLE WITH CAVEATS"):
		return "SUITABLE WITH CAVEATS"
	case strings.HasPrefix(text, "SUITABLE"):
		return "SUITABLE"
	}
	return ""
}

// branchName matches the wave and agent in the branch or worktree of a report.
var branchName = pattern.Must(`(?:^|/)wave([1-9]\d{0,3})-agent-([A-Z][2-9]?)$`)

// place sets wave and letter from a branch or worktree.
func (r *report) place(name string) {
	if m := branchName.FindStringSubmatch(strings.TrimRight(strings.TrimSpace(name), "/")); m != nil {
		if r.wave == 0 {
			r.wave = number(m[1])
		}
		r.letter = cmp.Or(r.letter, m[2])
	}
}

// inRepository returns the name of a file in one of several repositories, which is identified by the last
// part of its path.
func inRepository(repository, file string) string {
	repository = strings.TrimRight(strings.ReplaceAll(repository, `\`, "/"), "/")
	return repository[strings.LastIndexByte(repository, '/')+1:] + "/" + file
}

// inRepository renames the files of a report to match the plan. If the report does not name the repository,
// their owner is unknown.
func (r *report) inRepository(d *document) {
	if r.repo == "" && len(r.changed)+len(r.created) > 0 {
		r.changed, r.created = nil, nil
		d.problem("a report of a plan for several repositories does not say which one it is about; its files are left out")
	}
	for _, list := range [][]string{r.changed, r.created} {
		for i := range list {
			list[i] = inRepository(r.repo, cleanFile(list[i]))
		}
	}
}

func number(text string) int {
	n := 0
	for _, c := range text {
		if c < '0' || c > '9' || n > 1<<20 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func clip(text string, most int) string {
	text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
