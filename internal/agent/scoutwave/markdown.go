package scoutwave

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

var (
	heading     = pattern.Must(`^(#{1,6})\s+(.+?)\s*#*$`)
	fence       = pattern.Must("^\\s*(```+|~~~+)\\s*([^`]*)$")
	tableRow    = pattern.Must(`^\s*\|(.*)\|\s*$`)
	tableRule   = pattern.Must(`^[\s|:-]+$`)
	waveWord    = pattern.Must(`(?i)\bwave\s+(\d{1,4})\b`)
	agentWord   = pattern.Must(`(?:\b[Aa]gent\s+|\[)([A-Z][2-9]?)(?:\]|\b)`)
	verdictLine = pattern.Must(`(?i)^\s*(?:[-*]\s+)?\**verdict:?\**:?\s*(.+)$`)
	reportTitle = pattern.Must(`(?i)\bagent\s+([A-Z][2-9]?)\b.*\bcompletion report|\bcompletion report\b.*\bagent\s+([A-Z][2-9]?)\b`)
	titleWord   = pattern.Must(`(?i)^(?:impl(?:ementation)?(?: plan)?)\s*[:–—-]\s*`)
)

// section is the part of the document that a line is in.
type section struct {
	file    bool // the ownership table
	scaff   bool // the scaffolds
	waves   bool // the wave structure
	suit    bool // the verdict
	letter  string
	wave    int
	pending bool // the heading of a completion report was read, its block not yet
}

// readMarkdown reads the Markdown form.
func readMarkdown(text string) *document {
	d := newDocument()
	r := &reader{d: d}
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		if m := fence.FindStringSubmatch(lines[i]); m != nil {
			end := i + 1
			for end < len(lines) && !strings.HasPrefix(strings.TrimSpace(lines[end]), m[1]) {
				end++
			}
			r.block(m[2], lines[i+1:min(end, len(lines))])
			i = end
			continue
		}
		r.line(lines[i])
	}
	r.settle()
	return d
}

type reader struct {
	d       *document
	at      section
	columns []string
	rows    []row // rows of ownership, processed once the waves are known
	reports []report
	order   [][2]string // wave and agent in the wave structure
}

type row struct{ file, agent, wave, repo string }

// line reads a line outside of blocks.
func (r *reader) line(line string) {
	if m := heading.FindStringSubmatch(line); m != nil {
		r.title(len(m[1]), m[2])
		return
	}
	if m := tableRow.FindStringSubmatch(line); m != nil {
		r.row(strings.Split(m[1], "|"))
		return
	}
	r.columns = nil
	if m := verdictLine.FindStringSubmatch(line); m != nil && r.d.verdict == "" {
		r.d.verdict = verdictOf(m[1])
	}
	if r.at.waves {
		r.structure(line)
	}
}

// title begins a section.
func (r *reader) title(level int, title string) {
	r.columns = nil
	lower := strings.ToLower(title)
	if level == 1 && r.d.title == "" {
		r.d.title = clip(titleWord.ReplaceAllString(title, ""), 200)
	}
	before := r.at
	r.at = section{
		file: strings.Contains(lower, "file ownership"), scaff: strings.Contains(lower, "scaffold"),
		waves: strings.Contains(lower, "wave structure"), suit: strings.Contains(lower, "suitab"), wave: before.wave,
	}
	if m := waveWord.FindStringSubmatch(title); m != nil {
		r.at.wave = number(m[1])
	}
	if m := reportTitle.FindStringSubmatch(title); m != nil {
		r.at.letter, r.at.pending = m[1]+m[2], true
	}
	if r.at.suit && r.d.verdict == "" {
		if _, verdict, found := strings.Cut(title, ":"); found {
			r.d.verdict = verdictOf(verdict)
		}
	}
}

// structure parses which agents are in which wave.
func (r *reader) structure(line string) {
	if m := waveWord.FindStringSubmatch(line); m != nil {
		r.at.wave = number(m[1])
	}
	for _, m := range agentWord.FindAllStringSubmatch(line, -1) {
		if r.at.wave > 0 && len(r.order) < maxWaves*maxAgents {
			r.order = append(r.order, [2]string{itoa(r.at.wave), m[1]})
		}
	}
}

// row reads a row of a table of owners or scaffolds.
func (r *reader) row(cells []string) {
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	if tableRule.MatchString(strings.Join(cells, "|")) {
		return
	}
	if r.columns == nil {
		for _, cell := range cells {
			r.columns = append(r.columns, strings.ToLower(strings.Trim(cell, "*` ")))
		}
		return
	}
	get := func(names ...string) string {
		for i, column := range r.columns {
			if i < len(cells) && slices.Contains(names, column) {
				return cells[i]
			}
		}
		return ""
	}
	file := get("file", "files", "path")
	switch owner := get("agent", "owner", "owned by"); {
	case file == "":
	case owner != "" && !r.at.scaff:
		if len(r.rows) < maxFiles {
			r.rows = append(r.rows, row{file, owner, get("wave"), get("repo", "repository")})
		}
	case r.at.scaff || slices.Contains(r.columns, "import path"):
		r.d.scaffold(file, get("status"), "")
	}
}

// block reads a fenced block.
func (r *reader) block(info string, lines []string) {
	kind := ""
	for _, word := range strings.Fields(info) {
		if name, is := strings.CutPrefix(word, "type=impl-"); is {
			kind = name
		}
	}
	switch {
	case kind == "file-ownership":
		r.columns = nil
		for _, line := range lines {
			if m := tableRow.FindStringSubmatch(line); m != nil {
				r.row(strings.Split(m[1], "|"))
			}
		}
		r.columns = nil
	case kind == "wave-structure" || kind == "" && r.at.waves:
		for _, line := range lines {
			r.structure(line)
		}
	case kind == "completion-report", kind == "" && r.at.pending:
		r.completion(strings.Join(lines, "\n"))
	case kind != "":
		r.d.note("impl-" + clip(kind, 40))
	}
}

// completion reads a report below its heading.
func (r *reader) completion(source string) {
	var c completion
	if yaml.Unmarshal([]byte(source), &c) != nil && c.Status == "" {
		r.d.problem("a completion report cannot be read")
		return
	}
	if c.Status == "" {
		return
	}
	one := c.report()
	if one.letter == "" {
		one.letter = r.at.letter
	}
	r.at.pending = false
	r.reports = append(r.reports, one)
}

// settle assigns owners and reports to their waves.
func (r *reader) settle() {
	of := map[string]int{}
	for _, place := range r.order {
		if _, known := of[place[1]]; !known {
			of[place[1]] = number(place[0])
		}
		r.d.join(number(place[0]), place[1])
	}
	for _, one := range r.rows {
		found := letters(one.agent)
		if len(found) == 0 {
			r.d.note("owner other than a wave agent")
		}
		file := cleanFile(one.file)
		if repo := strings.Trim(one.repo, "`* "); repo != "" && file != "" && strings.Trim(repo, "-–—") != "" {
			file, r.d.repos = inRepository(repo, file), true
		}
		for _, letter := range found {
			wave := number(strings.Trim(strings.TrimPrefix(strings.ToLower(strings.Trim(one.wave, "`* ")), "wave"),
				" "))
			if wave == 0 {
				wave = of[letter]
			}
			r.d.owns(wave, letter, file)
		}
	}
	for _, one := range r.reports {
		r.d.report(one)
	}
}
