package ralph

import (
	"encoding/json"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// Limits on what is read of a plan (EV-3).
const (
	maxPlan     = 1 << 20 // in bytes
	maxItems    = 64      // of each kind
	maxItemText = 200
)

// box matches a list item with a checkbox, open or ticked.
var box = pattern.Must(`(?m)^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX])\][ \t]+(\S.{0,400}?)[ \t]*$`)

// checked returns what a loop's list marks as done and open when the loop reports that everything is done
// (IN-13): from its plan, or else from the last iteration's own words. It returns nil if neither has items.
func (l *loop) checked() *runevents.ScopeChecked {
	items, from := l.plan()
	if len(items) == 0 {
		items, from = boxes(l.d.now.said(), "the last iteration"), "the last iteration"
	}
	if len(items) == 0 {
		return nil
	}
	return &runevents.ScopeChecked{Actor: actor(), Criteria: items, CriteriaSource: from}
}

// plan returns the items and the name of the loop's plan file, if there is one next to its log.
func (l *loop) plan() (items []runevents.Criterion, name string) {
	o, p := l.d.a.Options(), l.d.scanner.phrases
	if o.Beside == nil {
		return nil, ""
	}
	folders := []string{o.Here}
	if slices.Contains(p.LogFolders, o.Here) {
		folders = append(folders, ".")
	}
	for _, folder := range folders {
		for _, name := range p.Plans {
			text := contents(o.Beside, path.Join(folder, name))
			if items = boxes(text, name); len(items) == 0 && strings.HasSuffix(name, ".json") {
				items = stories(text, name)
			}
			if len(items) > 0 {
				return items, name
			}
		}
	}
	return nil, ""
}

func contents(from fs.FS, name string) string {
	if !fs.ValidPath(name) {
		return ""
	}
	file, err := from.Open(name)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxPlan))
	if err != nil {
		return ""
	}
	return string(text)
}

// boxes returns the items of a text. One that occurs both open and ticked counts as ticked.
func boxes(text, from string) (items []runevents.Criterion) {
	done := map[string]bool{}
	found := box.FindAllStringSubmatch(text, -1)
	for _, m := range found {
		if m[1] != " " {
			done[m[2]] = true
		}
	}
	return list(from, func(take func(text string, done bool)) {
		for _, m := range found {
			take(m[2], done[m[2]])
		}
	})
}

// stories returns the entries of a prd.json, each with whether it passes.
func stories(text, from string) []runevents.Criterion {
	type story struct {
		Title  loose.String `json:"title"`
		Text   loose.String `json:"description"`
		Passes *loose.Bool  `json:"passes"`
	}
	var doc struct {
		Stories []story `json:"userStories"`
	}
	bare := []story{}
	if json.Unmarshal([]byte(text), &doc) != nil && json.Unmarshal([]byte(text), &bare) == nil {
		doc.Stories = bare
	}
	return list(from, func(take func(text string, done bool)) {
		for _, s := range doc.Stories {
			if s.Passes == nil {
				continue // it does not say
			}
			name := string(s.Title)
			if name == "" {
				name = string(s.Text)
			}
			take(name, bool(*s.Passes))
		}
	})
}

// list returns items as criteria, each once, at most maxItems open and as many done.
func list(from string, each func(take func(s string, done bool))) (out []runevents.Criterion) {
	seen, count := map[string]bool{}, map[string]int{}
	each(func(s string, done bool) {
		status := "missing"
		if done {
			status = "met"
		}
		s = text.Cut(s, maxItemText)
		if s == "" || seen[s] || count[status] >= maxItems {
			return
		}
		seen[s] = true
		count[status]++
		out = append(out, runevents.Criterion{Criterion: s, Source: "explicit", Status: status, Evidence: from})
	})
	return out
}
