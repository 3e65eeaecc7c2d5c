package detect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Sections are the required headings (level 2) of a detector's doc.md, in this order,
// each followed by text (SW-32).
var Sections = []string{"Trigger", "Validators", "Scoring", "Firing", "Silent", "Precision"}

var (
	idForm   = pattern.Must(`^(?:[A-E][1-9]|U-[a-z0-9][a-z0-9-]{0,39})$`) // U-: a user's own rule
	nameForm = pattern.Must(`^[a-z]+$`)
	heading  = pattern.Must(`(?m)^## (.+?)\s*$`)
)

// Validate returns an error if a detector is incomplete or undocumented (SW-32).
func Validate(d *Detector) error {
	switch {
	case !idForm.MatchString(d.ID):
		return fmt.Errorf("detector %q: the id must be a class letter and a digit, such as B1", d.ID)
	case !slices.Contains([]sessionevents.Class{sessionevents.ClassA, sessionevents.ClassB, sessionevents.ClassC, sessionevents.ClassD, sessionevents.ClassE}, d.Class):
		return fmt.Errorf("detector %s: unknown class %q", d.ID, d.Class)
	case d.ID[0] != 'U' && d.Class != sessionevents.Class(d.ID[:1]):
		return fmt.Errorf("detector %s: class %q does not fit the id", d.ID, d.Class)
	case !nameForm.MatchString(d.Name):
		return fmt.Errorf("detector %s: name %q must be its package's name, lower-case letters", d.ID, d.Name)
	case strings.TrimSpace(d.Title) == "" || strings.Contains(d.Title, "\n"):
		return fmt.Errorf("detector %s: the title must be one line", d.ID)
	case !slices.Contains(d.Rules, d.ID):
		return fmt.Errorf("detector %s: its rules %v must name %s", d.ID, d.Rules, d.ID)
	case d.New == nil:
		return fmt.Errorf("detector %s: New is missing", d.ID)
	}
	return validateDoc(d)
}

func validateDoc(d *Detector) error {
	if !strings.HasPrefix(d.Doc, "# "+d.ID+" ") {
		return fmt.Errorf("detector %s: doc.md must start with %q", d.ID, "# "+d.ID+" …")
	}
	found := heading.FindAllStringSubmatchIndex(d.Doc, -1)
	var names []string
	for i, at := range found {
		end := len(d.Doc)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		name := d.Doc[at[2]:at[3]]
		if strings.TrimSpace(d.Doc[at[1]:end]) == "" {
			return fmt.Errorf("detector %s: section %q of doc.md is empty", d.ID, name)
		}
		names = append(names, name)
	}
	if !slices.Equal(names, Sections) {
		return fmt.Errorf("detector %s: doc.md has the sections %v, want %v", d.ID, names, Sections)
	}
	return nil
}
