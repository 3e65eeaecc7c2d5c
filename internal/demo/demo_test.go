package demo

import (
	"io/fs"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestFleet(t *testing.T) {
	fleet, err := Sessions(time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC))
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(fleet), 4)
	for _, list := range fleet {
		require.Equal(t, events.Type(sessionevents.TypeSessionOpened), list[0].Type)
		require.Equal(t, events.Type(sessionevents.TypeSessionClosed), list[len(list)-1].Type)
		require.True(t, events.ValidID(list[0].Subject))
		seen := map[string]bool{}
		for i, e := range list {
			require.False(t, seen[e.ID], "id %s twice", e.ID)
			seen[e.ID] = true
			require.True(t, i == 0 || e.Time.After(list[i-1].Time))
		}
	}
}

func TestFilesHoldNoSecret(t *testing.T) {
	paths, err := fs.Glob(files, "fleet/*.yaml")
	require.NoError(t, err)
	planted := 0
	for _, path := range paths {
		data, err := files.ReadFile(path)
		require.NoError(t, err)
		if filled := PlantSecrets(string(data)); filled != string(data) {
			planted++
		}
	}
	require.Equal(t, 1, planted)
}
