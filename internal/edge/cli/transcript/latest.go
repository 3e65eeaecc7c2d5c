package transcript

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/transcripts"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/overview"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// fewSessions is how many sessions are printed in full; more get an overview.
const fewSessions = 4

// errNoSessions is returned if no agent has kept a transcript.
var errNoSessions = errors.New("no agent's transcripts were found in your home directory")

// find sets the paths to the latest transcripts of the agents on this machine if the user named none
// (CO-2), prints which, and returns how many there are.
func (c *Scan) find(r *cli.Call) (found int, err error) {
	if len(c.Paths) > 0 {
		return 0, nil
	}
	if c.Last < 0 {
		return 0, cli.Usage(fmt.Errorf("--last %d: must be 0 or more", c.Last))
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return 0, fmt.Errorf("find your home directory: %w", err)
	}
	all, err := transcripts.Latest(home, os.Getenv)
	if err != nil {
		return 0, err
	}
	if len(all) == 0 {
		return 0, cli.Usage(fmt.Errorf("%w (looked for %s); `scaffoldwatch scan PATH` reads other files, `scaffoldwatch up --demo` shows a sample", errNoSessions, agentNames()))
	}
	read := all
	if c.Last > 0 {
		read = all[:min(c.Last, len(all))]
	}
	var agents []string
	for _, k := range read {
		c.Paths = append(c.Paths, k.With()...)
		if !slices.Contains(agents, k.Agent) {
			agents = append(agents, k.Agent)
		}
	}
	which := "all"
	if len(read) < len(all) {
		which = "the latest " + fmt.Sprint(len(read)) + " of"
	}
	fmt.Fprintf(r.Stderr, "reading %s %s of %s; nothing leaves this machine\n", which, text.Count(len(all), "transcript"), strings.Join(agents, ", "))
	return len(all), nil
}

// agentNames returns the agents whose transcript folders are known.
func agentNames() string {
	places, err := transcripts.Places()
	if err != nil {
		return "none"
	}
	var names []string
	for _, p := range places {
		names = append(names, p.Agent)
	}
	return strings.Join(names, ", ")
}

// files maps sessions to their files.
type files struct {
	found int // transcripts on this machine, 0 if the user named paths
	of    map[string]string
}

// note records the file that opened a session.
func (f *files) note(e events.Event, name string) {
	if _, opened := e.Data.(*sessionevents.SessionOpened); opened && f.of[e.Subject] == "" {
		f.of[e.Subject] = name
	}
}

// overview prints what was found in many sessions, the runs, and what to do next.
func (f *files) overview(out io.Writer, theme terminal.Theme, sessions []sessionreport.Model, texts *runTexts, runs *runreport.Set) error {
	err := overview.Render(out, sessions, overview.Options{
		Width: theme.Width, Style: cli.TextStyle{Theme: theme}, Zone: time.Local, Found: f.found,
		Place: func(session string) string { return terminal.Clean(f.of[session]) },
	})
	if err != nil {
		return err
	}
	if err := texts.print(out, true, false, runs); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "\nNext:\n%s%s%s", next("scan FILE", "a session in full; --output html makes a page"),
		next("done FILE", "what was claimed, and what shows it"),
		next("install", "be told while an agent works, and guard your work"))
	return err
}

func next(command, what string) string {
	return fmt.Sprintf("  scaffoldwatch %-11s %s\n", command, what)
}
