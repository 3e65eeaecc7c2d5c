package sarif

import (
	"encoding/json"
	"fmt"
	"io"

	format "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/sessionreport"
)

// Kept is the largest number of results to write; code scanning accepts 25,000 per run and keeps 5,000, so
// it would drop the rest silently.
const Kept = 5000

// Schema is the official schema that the output refers to.
const Schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// homepage describes the tool and its rules.
const homepage = "https://github.com/scaffoldwatch/scaffoldwatch"

// Options hold what the reports do not contain.
type Options struct {
	Version string // version of this program
	Rules   []Rule // the detectors that ran, in order
}

// Render writes the reports as one run, most urgent results first.
func Render(w io.Writer, o Options, models ...sessionreport.Model) error {
	log, err := json.MarshalIndent(build(o, models), "", "  ")
	if err != nil {
		return fmt.Errorf("write reports as SARIF: %w", err)
	}
	if _, err := w.Write(append(log, '\n')); err != nil {
		return fmt.Errorf("write reports as SARIF: %w", err)
	}
	return nil
}

func build(o Options, models []sessionreport.Model) *format.Report {
	found := collect(models)
	left := max(len(found)-Kept, 0)
	found = found[:len(found)-left]
	known := newCatalogue(o.Rules, found)
	run := format.NewRun()
	run.Tool = format.NewTool()
	run.Tool.Driver = known.driver(o.Version)
	run.Taxonomies = known.taxonomies()
	run.ColumnKind = pointer("unicodeCodePoints")
	run.OriginalUriBaseIds = map[string]format.ArtifactLocation{root: {
		Index: -1, Description: format.NewTextMessage("The folder that the agent worked in."),
	}}
	run.Invocations = []*format.Invocation{invocation(models, left)}
	for _, f := range found {
		run.Results = append(run.Results, known.result(f))
	}
	log := format.NewReport()
	log.Schema = Schema
	return log.AddRun(run)
}

// invocation lists what was not watched and what was left out, so that silence means something here too
// (DP-33).
func invocation(models []sessionreport.Model, left int) *format.Invocation {
	i := format.NewInvocation()
	i.ExecutionSuccessful = pointer(true)
	note := func(text string) {
		n := format.NewNotification()
		n.Message = format.NewTextMessage(text)
		i.ToolExecutionNotifications = append(i.ToolExecutionNotifications, n)
	}
	for _, m := range models {
		switch c := m.Coverage; {
		case c.Received == 0:
			note(fmt.Sprintf("Session %s was not watched: no turn was received.", m.Session.ID))
		case c.NotWatched > 0:
			note(fmt.Sprintf("Session %s was not watched in %d of %d turns.", m.Session.ID, c.NotWatched, c.Received+c.Skipped))
		case c.RefusedEvents > 0:
			note(fmt.Sprintf("Session %s was not completely watched: %d events were rejected.", m.Session.ID, c.RefusedEvents))
		}
	}
	if left > 0 {
		note(fmt.Sprintf("%d less urgent results are left out; %d are kept.", left, Kept))
	}
	return i
}

func pointer[T any](value T) *T { return &value }
