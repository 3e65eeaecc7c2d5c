package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// Figures are those of one table.
type Figures struct {
	Table                 string
	Destructive, Denied   int
	Warned                int // or kept in a snapshot first
	Harmless, FalseAlarms int
}

// Recall returns how many of the destructive commands are spoken of.
func (f *Figures) Recall() float64 {
	return float64(f.Denied+f.Warned) / float64(max(1, f.Destructive))
}

// Alarms returns how many of the harmless commands are spoken of.
func (f *Figures) Alarms() float64 { return float64(f.FalseAlarms) / float64(max(1, f.Harmless)) }

// Result is a measurement of all tables; Differences lists what is judged otherwise.
type Result struct {
	Tables      []*Figures
	Differences []string
}

// row is a labelled command.
type row struct{ Table, Group, Command, Expect string }

// foreign are groups of cases that are about the peer's own files and settings.
var foreign = []string{"self-protection/"}

// Measure asks the real hook endpoint about every labelled command, each in a session of its own, in a
// repository full of a person's uncommitted work. Nothing is executed. With no data it measures the
// repository's own tables only.
func Measure(checker *preflight.Checker, data string) (*Result, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("find room for a repository: %w", err)
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return nil, fmt.Errorf("make room for a repository: %w", err)
	}
	dir, err := os.MkdirTemp(cache, "scaffoldwatch-commands-") // temporary folders excuse what is in them
	if err != nil {
		return nil, fmt.Errorf("make room for a repository: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	place, err := Full(dir)
	if err != nil {
		return nil, err
	}
	home := os.Getenv("HOME")
	if err := os.Setenv("HOME", place.Home); err != nil {
		return nil, fmt.Errorf("set the home of the person: %w", err)
	}
	defer func() { _ = os.Setenv("HOME", home) }()
	rows, err := labelled(data, place)
	if err != nil {
		return nil, err
	}
	r := &Result{}
	for _, one := range rows {
		e := NewEndpoint(checker)
		e.desk.Patience = time.Minute
		answer, err := e.Ask(place.Repo, "Have a look at the totals.", one.Command)
		if err != nil {
			return nil, err
		}
		r.take(&one, &answer)
	}
	slices.SortFunc(r.Tables, func(a, b *Figures) int { return strings.Compare(a.Table, b.Table) })
	return r, nil
}

// labelled returns the commands of the peers' tables and of our own.
func labelled(data string, place *Place) ([]row, error) {
	var rows []row
	for _, name := range Tables {
		cases, err := Own(name, place.Home)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			one := row{Table: "own", Group: name, Command: c.Command, Expect: "deny"}
			if c.Want == "allow" {
				one.Expect = "allow"
			}
			rows = append(rows, one)
		}
	}
	if data == "" {
		return rows, nil
	}
	err := shareddata.EachLine(filepath.Join(data, "labels", "commands.jsonl.gz"), func(line []byte) error {
		var one row
		if err := json.Unmarshal(line, &one); err != nil {
			return err
		}
		if !slices.ContainsFunc(foreign, func(f string) bool { return strings.HasPrefix(one.Group, f) }) {
			if one.Table == "nah" && one.Expect == "deny" {
				one.Table = "nah: " + guarded(one.Group)
			}
			rows = append(rows, one)
		}
		return nil
	})
	return rows, err
}

// guarded returns what a group of nah's is about.
func guarded(group string) string {
	_, about, _ := strings.Cut(group, "/")
	switch {
	case strings.HasPrefix(about, "fs-"), strings.HasPrefix(about, "git-"):
		return "files and Git"
	case strings.HasPrefix(about, "exec-"):
		return "downloads"
	}
	return "secrets"
}

// take counts one answer.
func (r *Result) take(one *row, a *sessionevents.HookAnswer) {
	at := slices.IndexFunc(r.Tables, func(f *Figures) bool { return f.Table == one.Table })
	if at < 0 {
		at = len(r.Tables)
		r.Tables = append(r.Tables, &Figures{Table: one.Table})
	}
	f := r.Tables[at]
	spoken := a.Decision != sessionevents.HookAllow
	switch {
	case one.Expect == "allow":
		f.Harmless++
		if spoken {
			f.FalseAlarms++
		}
	default:
		f.Destructive++
		switch a.Decision {
		case sessionevents.HookDeny:
			f.Denied++
		case sessionevents.HookWarn:
			f.Warned++
		}
	}
	if spoken == (one.Expect == "allow") {
		r.Differences = append(r.Differences, fmt.Sprintf("%s %s: %s, answered %s: %q %s", one.Table, one.Group, one.Expect, a.Decision, one.Command, a.Text))
	}
}

// Table returns the measurement as Markdown.
func (r *Result) Table() string {
	var out strings.Builder
	out.WriteString("\n### Commands before they run\n\nEach command is a session of its own that asks the hook endpoint, in a repository full of a person's uncommitted work; nothing is executed. ")
	out.WriteString("A command counts as spoken of where it is denied, warned of or kept in a snapshot first.\n\n| table | destructive | denied | warned or kept | recall | harmless | alarms | rate |\n|---|---|---|---|---|---|---|---|\n")
	for _, f := range r.Tables {
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %.3f | %d | %d | %.3f |\n", f.Table, f.Destructive, f.Denied, f.Warned, f.Recall(), f.Harmless, f.FalseAlarms, f.Alarms())
	}
	return out.String()
}
