package archeflow

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// fixes adds what the log omits from a review's findings and the review itself contains: the fix for each.
// ArcheFlow's reviewers write their findings as a table (Location, Severity, Category, Description, Fix).
// It reports whether a finding without a fix now really has none, which the log alone never shows.
func (a artifacts) fixes(list []runevents.Finding, reviewer string, cycle int) (known bool) {
	text, _ := a.tree.read(a.places(cycle, "check-"+reviewer+".md")...)
	rows := table(text)
	for i := range list {
		for _, row := range rows {
			if list[i].Fix == "" && row.about(list[i]) {
				list[i].Fix = row.fix
			}
		}
		known = known || list[i].Fix != ""
	}
	return known || len(rows) > 0
}

// unsaid replaces a fix or steps that the log cannot contain: their absence says nothing about the reviewer
// (RW-4, RW-6).
const unsaid = "(the log does not say)"

// withUnsaid returns a copy of findings in which unknown values do not count as missing.
func withUnsaid(list []runevents.Finding, fixesKnown bool) []runevents.Finding {
	out := slices.Clone(list)
	reproKnown := slices.ContainsFunc(list, func(f runevents.Finding) bool { return f.Repro != "" })
	for i := range out {
		if out[i].Fix == "" && !fixesKnown {
			out[i].Fix = unsaid
		}
		if out[i].Repro == "" && !reproKnown {
			out[i].Repro = unsaid
		}
	}
	return out
}

// row is one finding in a review's table.
type row struct {
	file        string
	line        int
	description string
	fix         string
}

func (r row) about(f runevents.Finding) bool {
	if r.description != "" && strings.EqualFold(r.description, strings.TrimSpace(f.Text)) {
		return true
	}
	return r.file != "" && r.file == f.File && r.line == f.Line
}

// table parses the rows of every table that has a column for the fix.
func table(text string) []row {
	var out []row
	var columns map[string]int
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "|") {
			columns = nil
			continue
		}
		cells := strings.Split(strings.Trim(line, "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		switch {
		case columns == nil:
			columns = heads(cells)
		case !has(columns, "fix"):
		case len(out) < maxFindings && strings.Trim(line, "|-: ") != "":
			out = append(out, readRow(columns, cells))
		}
	}
	return out
}

// heads maps the content of columns to their position.
func heads(cells []string) map[string]int {
	out := map[string]int{}
	for i, cell := range cells {
		switch name := strings.ToLower(strings.Trim(cell, "* ")); name {
		case "location", "file":
			out["place"] = i
		case "description", "issue", "finding":
			out["description"] = i
		case "fix", "suggested fix", "suggestion":
			out["fix"] = i
		}
	}
	return out
}

func has(columns map[string]int, name string) bool {
	_, ok := columns[name]
	return ok
}

func readRow(columns map[string]int, cells []string) row {
	cell := func(name string) string {
		if i, ok := columns[name]; ok && i < len(cells) {
			return cells[i]
		}
		return ""
	}
	r := row{description: cell("description"), fix: text.Cut(cell("fix"), maxFindingText)}
	if strings.Trim(r.fix, "-– ") == "" {
		r.fix = ""
	}
	r.file, r.line = place(cell("place"), 0)
	return r
}
