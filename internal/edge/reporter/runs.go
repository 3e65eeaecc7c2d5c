package reporter

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runlist"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
)

// listRuns responds with a page of the runs, latest first:
// ?state=halted&project=shop&waiting=true&limit=100&after=….
func (r *reporter) listRuns(w http.ResponseWriter, q *http.Request) {
	var filter runlist.Filter
	if err := readFilter(q.URL.Query(), &filter); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	sendPage(r.source, w, q, listing[runlist.Run]{
		list: func(m *readmodel.Model, p readmodel.Page) ([]runlist.Run, error) {
			return m.Runs(q.Context(), filter, p)
		},
		count: func(m *readmodel.Model) (int, error) { return m.CountRuns(q.Context(), filter) },
		place: func(one runlist.Run) readmodel.Cursor { return readmodel.Cursor{Last: one.Last, ID: one.ID} },
	})
}

func readFilter(query url.Values, f *runlist.Filter) error {
	f.State, f.Project = query.Get("state"), query.Get("project")
	if f.State != "" && !slices.Contains(runlist.Standings(), f.State) {
		return fmt.Errorf("state must be one of %s", strings.Join(runlist.Standings(), ", "))
	}
	if text := query.Get("waiting"); text != "" {
		waiting, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("waiting must be true or false")
		}
		f.Waiting = waiting
	}
	return nil
}

// sendRunReport responds with JSON, or in the format of ?format= (RW-42).
func (r *reporter) sendRunReport(w http.ResponseWriter, q *http.Request) {
	send(r.source, w, q, func(ctx context.Context, broker *nats.Broker, id string) (runreport.Model, error) {
		return decisions.ReadRunReport(ctx, broker, id, r.reading.Alone())
	}, func(m runreport.Model) doc.Report { return runreport.Report(m, time.Local) })
}
