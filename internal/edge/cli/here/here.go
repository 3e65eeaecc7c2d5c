// Package here implements `scaffoldwatch` without a command: the state of this folder in a few lines, and
// what to do next (CO-9a).
package here

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
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
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/page"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

const (
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
	used := hooked()
	for i, line := range used.lines(r.Theme.Width - margin) {
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
	if len(used.bare) > 0 || len(used.guarded)+len(used.untrusted) == 0 {
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

// agentsHere are the agents that are used on this machine, by whether they run our hooks.
type agentsHere struct{ guarded, untrusted, bare []string }

func hooked() (h agentsHere) {
	for _, name := range agents.Settings().Names() {
		found, err := system.Installed(name)
		switch {
		case err == nil && found.Plugin != "":
			h.guarded = append(h.guarded, name)
		case err != nil || !found.Exists && !found.Used: // `doctor` says what is wrong with it
		case found.Command == "":
			h.bare = append(h.bare, name)
		default:
			if untrusted, err := system.Unapproved(name, &found); err != nil || len(untrusted) > 0 {
				h.untrusted = append(h.untrusted, name)
				continue
			}
			h.guarded = append(h.guarded, name)
		}
	}
	return h
}

func (h agentsHere) lines(width int) (lines []string) {
	for _, is := range []struct {
		names []string
		what  string
	}{
		{h.guarded, "guarded"},
		{h.untrusted, "not guarded yet: start it and trust our hooks"},
		{h.bare, "without our hooks"},
	} {
		if len(is.names) > 0 {
			lines = append(lines, fold(strings.Join(is.names, ", ")+": "+is.what, width)...)
		}
	}
	return lines
}

// fold breaks a line between words, so that it fits the terminal (CO-9b).
func fold(line string, width int) []string {
	return strings.Split(terminal.Wrap(line, max(width, 30), 0), "\n")
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
func lastHere(r *cli.Call, folder string) (path string, session *sessionreport.Model) {
	if path = transcript.LastIn(folder); path == "" {
		return "", nil
	}
	quiet := *r
	quiet.Stderr = io.Discard
	sessions, err := (&transcript.Scan{Paths: []string{path}}).Sessions(&quiet)
	if err != nil || len(sessions) == 0 {
		return "", nil
	}
	return path, &sessions[0]
}

// lines returns a summary of a session in a few lines, which fit the width.
func lines(m sessionreport.Model, width int) []string {
	name := naming.Title("", m.Session.Task)
	if name == "" {
		name = "a session"
	}
	if a := m.Session.Agent; a != nil && a.Kind != "" {
		name += ", " + a.Kind
	}
	last := m.Session.Last.Local().Format("2 Jan 15:04")
	out := fold(fmt.Sprintf("%s, %s, %s", name, text.Count(m.Turns, "turn"), last), width)
	if m.Done != nil {
		if s := sessionreport.ClaimsInWords(m.Done.Verdicts); s != "" {
			out = append(out, fold("claims of done: "+s, width)...)
		}
	}
	for i, said := range m.Interrupts {
		if i == 2 {
			out = append(out, fmt.Sprintf("and %d more", len(m.Interrupts)-i))
			break
		}
		out = append(out, terminal.Shorten(fmt.Sprintf("turn %d: %s", said.Turn, page.Plain(said.Message)), max(width, 30)))
	}
	if len(m.Interrupts) == 0 {
		out = append(out, "nothing to say about it")
	}
	return out
}
