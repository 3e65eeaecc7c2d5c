package reading

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// FindingReader reads findings from a list or table. Severity words in prose are not
// findings (RW-8).
type FindingReader struct {
	// Titles match the sections whose list items are findings.
	Titles Titles
	// Markers are patterns of the words that introduce a single finding.
	Markers []string
	// Severities are the words for each severity.
	Severities []SeverityWords
	Files      *FileNames
	// Most bounds the number of findings, Bytes the length of each text.
	Most, Bytes int

	tag      *pattern.Regexp
	marker   *pattern.Regexp
	severity map[string]runevents.Severity
}

// SeverityWords are the words for one severity.
type SeverityWords struct {
	Severity runevents.Severity `yaml:"severity" allow:"CRITICAL|WARNING|INFO"`
	Words    []string           `yaml:"words"`
}

// Compile compiles the patterns of the reader.
func (f *FindingReader) Compile(from pattern.Compiler) error {
	f.severity = map[string]runevents.Severity{}
	var words []string
	for _, s := range f.Severities {
		for _, word := range s.Words {
			f.severity[strings.ToLower(word)] = s.Severity
			words = append(words, regexp.QuoteMeta(word))
		}
	}
	if err := f.compileMarker(from); err != nil {
		return err
	}
	// A severity tag is set off from the text: "[CRITICAL] x", "**Critical**: x",
	// "CRITICAL - x".
	var err error
	f.tag, err = from.Go("severities", `(?i)^(?:[\[(]|\*\*|__|`+"`"+`)*(`+strings.Join(words, "|")+`)(?:[\])]|\*\*|__|`+"`"+`|(?:\s*[:\-–—]+))+\s*`)
	return err
}

var (
	bullet = pattern.Must(`^(\s*)(?:[-*+•]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)$`)
	detail = pattern.Must(`(?i)(?:^|[\s(.;,])\**(suggested fix|proposed fix|fix|remediation|mitigation|solution|alternative|repro(?:duction)?(?: steps)?|steps to reproduce|category|file)\**:\**\s*`)
	row    = pattern.Must(`^\s*\|(.*)\|\s*$`)
)

// Findings returns the findings of a report, and whether it contains a list or table of
// findings at all: an empty list means none, a missing list means unknown.
func (f *FindingReader) Findings(r *Report) (found []runevents.Finding, listed bool) {
	state := listState{reader: f, indent: -1}
	for _, l := range lines(r.Text) {
		state.line(l.text)
		if len(state.found) >= f.Most {
			break
		}
	}
	for i := range state.found {
		f.finish(&state.found[i])
	}
	return state.found, state.listed
}

// listState is the reader's position in a report.
type listState struct {
	reader *FindingReader
	found  []runevents.Finding
	listed bool

	level    int                // of the heading whose items are findings, 0 for none
	severity runevents.Severity // that headings assign to the items below them
	rank     int                // level of that heading
	indent   int                // of the items of the open list, -1 for none
	open     bool               // text indented below the last finding belongs to it
	titled   bool               // the last finding has a title of its own, and the text after it belongs to it
	columns  []string           // of the open table of findings
}

func (s *listState) line(text string) {
	if cells := row.FindStringSubmatch(text); cells != nil {
		s.row(strings.Split(cells[1], "|"))
		return
	}
	s.columns = nil
	if m := bullet.FindStringSubmatch(text); m != nil {
		s.item(len(m[1]), m[2])
		return
	}
	if f, ok := s.labelled(text); ok {
		s.add(f)
		s.titled, s.indent = false, -1
		return
	}
	title, level := titleOf(text)
	if level == labelLevel {
		title = strings.TrimSpace(text)
	}
	if f, ok := s.announced(title, level); ok && level > 0 {
		s.announce(f, level)
		return
	}
	switch {
	case level > 0 && level < labelLevel, level == labelLevel && strings.HasSuffix(title, ":") && !s.titled:
		s.title(strings.TrimSuffix(title, ":"), level)
	case strings.TrimSpace(text) == "":
	case s.open && (s.titled || strings.HasPrefix(text, " ")):
		s.more(strings.TrimSpace(text))
	default:
		s.open = false
	}
}

// labelled returns the finding on a plain line that begins with a severity, set off from
// the text: "CRITICAL: x", "**warning** x", "[Info] x".
func (s *listState) labelled(text string) (runevents.Finding, bool) {
	if strings.HasPrefix(text, " ") || strings.HasPrefix(text, "\t") {
		return runevents.Finding{}, false
	}
	severity, rest := s.reader.tagged(text, true)
	if rest = strings.TrimSpace(rest); severity == "" || !strings.ContainsFunc(rest,
		unicode.IsLetter) || nothing.MatchString(rest) {
		return runevents.Finding{}, false
	}
	return runevents.Finding{Severity: severity, Text: rest}, true
}

// title starts or ends a section of findings.
func (s *listState) title(title string, level int) {
	s.open, s.titled, s.indent = false, false, -1
	if s.level > 0 && level <= s.level {
		s.level = 0
	}
	if level <= s.rank {
		s.severity, s.rank = "", 0
	}
	if severity := s.reader.headed(title); severity != "" {
		s.severity, s.rank = severity, level
		s.listed = true
		return
	}
	if s.level == 0 && s.reader.Titles.Match(title) {
		s.level, s.listed = level, true
	}
}

func (s *listState) item(indent int, text string) {
	inside := s.level > 0 || s.rank > 0
	text, marked := s.reader.marked(text)
	inside = inside || marked
	severity, rest := s.reader.tagged(text, inside)
	if severity != "" && nothing.MatchString(rest) {
		s.listed = true
		return
	}
	if s.titled && severity == "" && !marked {
		s.more(text)
		return
	}
	if severity == "" && !inside {
		s.open = s.open && indent > s.indent
		if s.open {
			s.more(text)
		}
		return
	}
	if s.open && s.indent >= 0 && indent > s.indent && severity == "" && !marked {
		s.more(text)
		return
	}
	if severity == "" {
		severity, rest = s.severity, text
	}
	s.add(runevents.Finding{Severity: severity, Text: rest})
	s.titled, s.indent = false, indent
}

func (s *listState) add(f runevents.Finding) {
	s.found = append(s.found, f)
	s.listed, s.open = true, true
}

// more adds a line to the last finding.
func (s *listState) more(text string) {
	last := &s.found[len(s.found)-1]
	last.Text += "\n" + text
}

// row reads a row of a table whose first row has a severity column.
func (s *listState) row(cells []string) {
	s.open, s.titled = false, false
	for i := range cells {
		cells[i] = strings.Trim(cells[i], " *_`")
	}
	if s.columns == nil {
		s.columns = cells
		for i := range s.columns {
			s.columns[i] = strings.ToLower(s.columns[i])
		}
		s.listed = s.listed || slices.Contains(s.columns, "severity")
		return
	}
	if !slices.Contains(s.columns, "severity") || strings.Trim(strings.Join(cells, ""), "-: ") == "" {
		return
	}
	var f runevents.Finding
	for i, cell := range cells[:min(len(cells), len(s.columns))] {
		s.cell(&f, s.columns[i], cell)
	}
	if f.Severity != "" {
		s.found = append(s.found, f)
	}
}

func (s *listState) cell(f *runevents.Finding, column, cell string) {
	switch column {
	case "severity":
		f.Severity = s.reader.severity[strings.ToLower(cell)]
	case "category":
		f.Category = cell
	case "fix", "suggestion", "action", "alternative":
		f.Fix = cell
	case "repro", "reproduction", "steps":
		f.Repro = cell
	case "id", "#", "nr", "no":
		f.ID = cell
	default:
		f.Text = strings.TrimSpace(f.Text + " " + cell)
	}
}

// headed returns the severity that a title assigns to the items below it: "Critical",
// "Warnings (3)", "Critical issues", but not "Critical path".
func (f *FindingReader) headed(title string) runevents.Severity {
	word, rest, _ := strings.Cut(strings.Trim(title, "([*_`:]) "), " ")
	rest = strings.TrimSpace(rest)
	if rest != "" && unicode.IsLetter(rune(rest[0])) && !f.Titles.Match(rest) {
		return ""
	}
	return f.severity[strings.ToLower(strings.Trim(word, "([*_`:])"))]
}

// tagged removes the severity from the front of an item. Outside a list of findings it
// must be set off or in capitals.
func (f *FindingReader) tagged(text string, inside bool) (severity runevents.Severity, rest string) {
	m := f.tag.FindStringSubmatchIndex(text)
	if m == nil {
		return "", text
	}
	if word := text[m[2]:m[3]]; !inside && m[2] == 0 && word != strings.ToUpper(word) {
		return "", text
	}
	return f.severity[strings.ToLower(text[m[2]:m[3]])], text[m[1]:]
}

// finish moves file, fix and the like from a finding's text into its fields.
func (f *FindingReader) finish(finding *runevents.Finding) {
	s := finding.Text
	marks := detail.FindAllStringSubmatchIndex(s, -1)
	for i, m := range marks {
		end := len(s)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		value := strings.TrimSpace(s[m[1]:end])
		switch name := strings.ToLower(s[m[2]:m[3]]); {
		case strings.HasPrefix(name, "repro"), strings.HasPrefix(name, "steps"):
			finding.Repro = value
		case name == "category":
			finding.Category = value
		case name != "file":
			finding.Fix = value
		}
	}
	if places := f.Files.Find(s); len(places) > 0 && finding.File == "" {
		finding.File, finding.Line = places[0].Path, places[0].Line
	}
	finding.Text = text.Valid(text.Head(strings.TrimSpace(s), f.Bytes))
}

// numberedTitle is a number before a title: "1. ", "2) ".
var numberedTitle = pattern.Must(`^\d{1,3}[.)]\s+`)

// nothing matches what a report without findings writes in their place.
var nothing = pattern.Must(`(?i)^\W*(?:none(?: found)?|nothing(?: found)?|n/?a|no|0|no (?:such )?(?:issues?|findings?|problems?)(?: found)?)\b[^\pL]*$`)

// compileMarker compiles the words that introduce a single finding: "Challenge 2: x",
// "Finding #1 - x", "Concern: x".
func (f *FindingReader) compileMarker(from pattern.Compiler) error {
	if len(f.Markers) == 0 {
		return nil
	}
	var err error
	f.marker, err = from.Go("finding_markers", `(?i)^(?:\*\*|__)?(?:`+strings.Join(f.Markers, "|")+`)(?:\s*#?\s*\d{1,3}\s*(?:[:.)–—-]|\*\*|__|$)|\s*:)(?:\*\*|__|[:\s])*`)
	return err
}

// marked removes the words that introduce a finding from the front of a text.
func (f *FindingReader) marked(text string) (rest string, ok bool) {
	if f.marker == nil {
		return text, false
	}
	at := f.marker.FindStringIndex(text)
	if at == nil {
		return text, false
	}
	return text[at[1]:], true
}

// announced returns the finding that a title introduces: by its word, by a severity set
// off from its text or, among findings, by its number.
func (s *listState) announced(title string, level int) (runevents.Finding, bool) {
	rest := title
	number := numberedTitle.FindString(title)
	rest, marked := s.reader.marked(rest[len(number):])
	severity, text := s.reader.tagged(rest, marked)
	inside := s.level > 0 && level > s.level || s.rank > 0 && level > s.rank
	switch {
	case nothing.MatchString(text):
		return runevents.Finding{}, false
	case marked:
	case level >= labelLevel: // "CRITICAL: x" in prose is not a finding (RW-8)
		return runevents.Finding{}, false
	case severity != "" && text != "":
	case number == "" || !inside:
		return runevents.Finding{}, false
	}
	if severity == "" {
		severity = s.severity
	}
	return runevents.Finding{Severity: severity, Text: text}, true
}

// announce adds the finding of a title; the text up to the next title belongs to
// it.
func (s *listState) announce(f runevents.Finding, level int) {
	if level <= s.rank {
		s.severity, s.rank = "", 0
	}
	s.add(f)
	s.titled, s.indent = true, -1
}
