package readmodel_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// A turn that its publisher dates ahead counts as of when it was stored, so that it
// does not stay first in lists for years.
func TestTurnsDatedAhead(t *testing.T) {
	w := newWriter()
	w.turn("future", 1)
	w.turn("today", 1)
	stored := w.records[0].Event.Time
	w.records[0].Event.Time = time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)
	w.records[0].Stored, w.records[1].Stored = stored, stored.Add(time.Hour)
	w.records[1].Event.Time = stored.Add(time.Minute)
	list, err := modelOf(t, w).SessionsPage(context.Background(), readmodel.Page{})
	require.NoError(t, err)
	require.Equal(t, "today", list[0].Session)
	require.Equal(t, stored.UTC(), list[1].Last.UTC())
}
