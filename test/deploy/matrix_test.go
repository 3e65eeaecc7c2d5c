package deploy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	natsdead "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/dead"
	"github.com/scaffoldwatch/scaffoldwatch/internal/gen/contract"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

const (
	refused = "refused by the broker"
	dead    = "dead letter"
)

// outcome returns what must become of a run event that a user says on a class of subjects, whatever
// credential its header claims: the classes prove the role, and a type that needs another one is a claim on
// run.raw and a forgery elsewhere.
func outcome(user, class string, needs events.Role) string {
	owners := map[string][]string{
		events.ClassRunRaw:      {"publisher", "orchestrator", "dispatcher"},
		events.ClassRunFact:     {"infra"},
		events.ClassOperatorAct: {"operator"},
	}
	switch {
	case !slices.Contains(owners[class], user):
		return refused
	case class == events.ClassRunRaw:
		return string(events.RolePublisher)
	case class == events.ClassRunFact && needs == events.RoleInfra:
		return string(events.RoleInfra)
	case class == events.ClassOperatorAct && needs == events.RoleOperator:
		return string(events.RoleOperator)
	}
	return dead
}

// EV-10 as a matrix: every run event type, said by every user of nats.conf on every
// class of subjects that run events have, each with the header of the role that it
// would need. Facts come from the infrastructure alone; approvals, recoveries,
// answers, descoping and resumes from the operator alone.
func TestWhoMaySayWhat(t *testing.T) {
	url := start(t)
	examples := contract.Examples()
	want, got := map[string]string{}, map[string]string{}
	needs := map[events.Role]int{}
	for _, user := range users {
		if user == "admin" {
			continue // makes the streams; no agent has it
		}
		nc := dial(t, url, user)
		for _, d := range events.All() {
			if !d.RunEvent {
				continue
			}
			needs[d.Role]++
			for _, class := range []string{events.ClassRunRaw, events.ClassRunFact, events.ClassOperatorAct} {
				id := strings.ReplaceAll(fmt.Sprint(user, "-", class, "-", d.Type), ".", "_")
				want[id] = outcome(user, class, d.Role)
				if !tells(t, nc, class, id, examples[d.Type], d.Role) {
					got[id] = refused
				}
			}
		}
		nc.Close()
	}
	require.NotZero(t, needs[events.RoleInfra])
	require.NotZero(t, needs[events.RoleOperator])
	require.NotZero(t, needs[events.RolePublisher])
	require.Len(t, needs, 3, "a role that this matrix does not know")
	read(t, url, want, got)
	require.Equal(t, want, got)
}

// tells publishes an event about a run of its own and returns false if the broker refuses it.
func tells(t *testing.T, nc *nats.Conn, class, id string, e events.Event, claims events.Role) bool {
	t.Helper()
	e.ID, e.Subject, e.PartitionKey, e.Correlation = id, id, id, id
	header, body, err := events.EncodeBinary(e)
	require.NoError(t, err)
	header["ce-credential"] = []string{string(claims)}
	subject := class + "." + id + "." + id
	require.NoError(t, nc.PublishMsg(&nats.Msg{Subject: subject, Header: header, Data: body}))
	require.NoError(t, nc.Flush())
	last := nc.LastError()
	return last == nil || !strings.Contains(last.Error(), `"`+subject+`"`)
}

// read has ingest read what was stored, and notes what became of each event.
func read(t *testing.T, url string, want, got map[string]string) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	broker, reader := ingested(t, ctx, url)
	accepted, letters := 0, 0
	for _, what := range want {
		switch what {
		case refused:
		case dead:
			letters++
		default:
			accepted++
		}
	}
	for seen := 0; seen < accepted; {
		a, err := reader.Next(ctx)
		require.NoError(t, err, "%d of %d events came", seen, accepted)
		if d, _ := events.Lookup(a.Input.Event.Type); d.RunEvent {
			got[a.Input.Event.ID] = string(a.Input.Event.Credential)
			seen++
		}
	}
	var err error
	require.Eventually(t, func() bool {
		seen := 0
		err = natsdead.Letters(ctx, broker, func(l natsdead.Stored) error {
			got[l.ID] = dead
			seen++
			return nil
		})
		return err != nil || seen >= letters
	}, time.Minute, 20*time.Millisecond)
	require.NoError(t, err)
}
