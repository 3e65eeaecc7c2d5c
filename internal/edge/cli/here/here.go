// Package here implements `scaffoldwatch` without a command: the state of this folder in a few lines, and
// what to do next (CO-9a).
package here

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/install"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/system"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli/transcript"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

const (
	// maxLooked limits how many transcripts are opened to find one of this folder.
	maxLooked = 60
	// patience is how long to wait for a running system to answer.
	patience = 500 * time.Millisecond
	// margin is the width of the columns to the left of a text.
	margin = 12
)

// Command prints the state of this folder.
type Command struct{}

// Run prints the state. What cannot be determined is left out: this is the first thing people see.
func (Command) Run(r *cli.Call) error {
	folder, err := os.Getwd()
	if err != nil {
		return fmt.Errorf("find this folder: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s%s\n\n", r.Theme.Title.Render("scaffoldwatch"), r.Theme.Faint.Render(" "+buildinfo.Version()+" in "+folder))
	row := func(name, text string) { fmt.Fprintf(&b, "  %-8s %s\n", name, text) }
	at := httpAddress(r)
	running := answers(r, at)
	if running {
		row("running", "yes, at http://"+at)
	} else {
		row("running", "no")
	}
	guarded, bare := hooked()
	for i, line := range agentLines(guarded, bare) {
		if i == 0 {
			row("agents", line)
		} else {
			row("", line)
		}
	}
	path, session := lastHere(r, folder)
	if session != nil {
		for i, line := range lines(*session, r.Theme.Width-margin) {
			if i == 0 {
				row("last", line)
			} else {
				row("", line)
			}
		}
	} else {
		row("last", "no session of an agent in this folder was found")
	}
	b.WriteString("\nNext:\n")
	next := func(command, what string) { fmt.Fprintf(&b, "  scaffoldwatch %-11s %s\n", command, what) }
	switch {
	case session != nil:
		next("done FILE", "what it claimed, and what shows it; FILE is")
		fmt.Fprintf(&b, "  %-25s %s\n", "", path)
	default:
		next("scan", "what your agents' latest sessions held")
	}
	if len(bare) > 0 || len(guarded) == 0 {
		next("install", "guard this machine from what agents would destroy")
	}
	if running {
		next("watch", "decisions as they are made")
	} else {
		next("up", "watch agents while they work")
	}
	next("help", "all commands")
	_, err = io.WriteString(r.Stdout, b.String())
	return err
}

// hooked returns the agents with settings on this machine, split by whether our hooks are in them.
func hooked() (guarded, bare []string) {
	for _, name := range agents.Settings().Names() {
		found, err := system.Installed(name)
		switch {
		case err == nil && found.Plugin != "":
			guarded = append(guarded, name)
		case err != nil || !found.Exists: // `doctor` says what is wrong with it
		case found.Command != "":
			guarded = append(guarded, name)
		default:
			bare = append(bare, name)
		}
	}
	return guarded, bare
}

func agentLines(guarded, bare []string) (lines []string) {
	if len(guarded) > 0 {
		lines = append(lines, strings.Join(guarded, ", ")+": guarded")
	}
	if len(bare) > 0 {
		lines = append(lines, strings.Join(bare, ", ")+": without our hooks")
	}
	return lines
}

// httpAddress returns the configured address of a running system.
func httpAddress(r *cli.Call) string {
	settings, err := config.Load(config.Sources{Defaults: map[string]string{"http.address": install.DefaultAddress}, File: r.Config, Environ: os.Environ()})
	if err != nil || settings.HTTP.Address == "" {
		return install.DefaultAddress
	}
	return settings.HTTP.Address
}

// answers reports whether a system runs at an address, ready or not.
func answers(ctx context.Context, at string) bool {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+at+"/readyz", http.NoBody)
	if err != nil {
		return false
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	return answer.StatusCode == http.StatusOK || answer.StatusCode == http.StatusServiceUnavailable
}

// lastHere reads the last session of an agent in this folder or below it.
func lastHere(r *cli.Call, folder string) (string, *sessionreport.Model) {
	home, err := os.UserHomeDir()
	if err != nil {
		return "", nil
	}
	list, err := transcripts.Latest(home, os.Getenv)
	if err != nil {
		return "", nil
	}
	for _, known := range list[:min(maxLooked, len(list))] {
		opened := known.Opening()
		if opened == nil || !within(opened.Workspace, folder) {
			continue
		}
		quiet := *r
		quiet.Stderr = io.Discard
		sessions, err := (&transcript.Scan{Paths: []string{known.Path}}).Sessions(&quiet)
		if err != nil || len(sessions) == 0 {
			return "", nil
		}
		return known.Path, &sessions[0]
	}
	return "", nil
}

// within reports whether a workspace is a folder or below it.
func within(workspace, folder string) bool {
	if workspace == "" {
		return false
	}
	relative, err := filepath.Rel(folder, workspace)
	return err == nil && relative != ".." && !strings.HasPrefix(relative, ".."+string(filepath.Separator))
}

// lines returns a summary of a session in at most five lines.
func lines(m sessionreport.Model, width int) []string {
	name := naming.Title("", m.Session.Task)
	if name == "" {
		name = "a session"
	}
	if a := m.Session.Agent; a != nil && a.Kind != "" {
		name += ", " + a.Kind
	}
	out := []string{fmt.Sprintf("%s, %s, %s", name, text.Count(m.Turns, "turn"), m.Session.Last.Local().Format("2 Jan 15:04"))}
	if m.Done != nil {
		if s := sessionreport.ClaimsInWords(m.Done.Verdicts); s != "" {
			out = append(out, "claims of done: "+s)
		}
	}
	for i, said := range m.Interrupts {
		if i == 2 {
			out = append(out, fmt.Sprintf("and %d more", len(m.Interrupts)-i))
			break
		}
		out = append(out, terminal.Shorten(fmt.Sprintf("%s, turn %d: %s", said.Detector, said.Turn, page.Plain(said.Message)), max(width, 30)))
	}
	if len(m.Interrupts) == 0 {
		out = append(out, "nothing to say about it")
	}
	return out
}
