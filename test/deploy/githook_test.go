package deploy

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/githook"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// EV-10: the hooks of a repository tell facts as the infrastructure's user; as a
// publisher they are refused, and say so.
func TestFactsTakeTheInfrastructuresUser(t *testing.T) {
	url := start(t)
	fact := func(sha string) []events.Event {
		return []events.Event{{
			Source: "/scaffoldwatch/git-hook", Type: runevents.TypeGitCommit, Subject: "r1", PartitionKey: "r1",
			Data: &runevents.GitCommit{Actor: runevents.Actor{Kind: runevents.ActorInfra, ID: "git-hook"}, SHA: sha, Branch: "wave1-agent-A"},
		}}
	}
	as := func(user string) config.Config {
		c := config.Default()
		c.NATS.URL, c.NATS.User, c.NATS.Password = url, user, user
		return c
	}
	waiting, err := githook.SendFacts(t.Context(), as("infra"), filepath.Join(t.TempDir(), "spool"), fact("a1"), time.Minute)
	require.NoError(t, err)
	require.Zero(t, waiting)

	js, err := nats.JetStream(dial(t, url, "admin"))
	require.NoError(t, err)
	stream, err := js.Stream(t.Context(), string(events.StreamInput))
	require.NoError(t, err)
	require.EqualValues(t, 1, stream.CachedInfo().State.Msgs)

	spool := filepath.Join(t.TempDir(), "spool")
	waiting, err = githook.SendFacts(t.Context(), as("publisher"), spool, fact("a2"), time.Second)
	require.True(t, err != nil || waiting == 1, "it is not stored")
	stream, err = js.Stream(t.Context(), string(events.StreamInput))
	require.NoError(t, err)
	require.EqualValues(t, 1, stream.CachedInfo().State.Msgs)
	_, err = os.Stat(spool)
	require.NoError(t, err)
}
