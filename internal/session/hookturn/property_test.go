package hookturn

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// anyCalls are hook calls in any order, twice, or not at all.
func anyCalls(t *rapid.T) []Call {
	id := rapid.SampledFrom([]string{"a", "b", "c", "d", ""})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Call {
		n := rapid.IntRange(0, 1<<20).Draw(t, "n")
		switch rapid.IntRange(0, 8).Draw(t, "kind") {
		case 0:
			return call(0, user(fmt.Sprint("ask ", n)))
		case 1:
			return call(0, prose(fmt.Sprint("say ", n)))
		case 2, 3:
			return call(0, began(id.Draw(t, "call")))
		case 4:
			return call(rapid.SampledFrom([]Border{BorderNone, BorderCall}).Draw(t, "border"), done(id.Draw(t, "result")))
		case 5:
			return call(BorderBatch, listed(id.Draw(t, "first")), listed(id.Draw(t, "second")))
		case 6:
			return call(BorderTurn, last(fmt.Sprint("end ", n)))
		case 7:
			return Call{Compacts: true}
		default:
			return call(BorderTurn)
		}
	}), 0, 40).Draw(t, "calls")
}

// Whatever order hooks come in: nothing panics, every text and every call and
// result that was told is in exactly one turn, in order, and a state that was
// stored and read between any two calls gives the same turns (SW-1, SW-1a).
func TestNothingIsLostInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := anyCalls(t)
		whole, stored := &State{}, &State{}
		var turns, again []Turn
		for _, c := range calls {
			turns = append(turns, whole.Fold(c, masks{})...)
			data, err := json.Marshal(stored)
			require.NoError(t, err)
			stored = &State{}
			require.NoError(t, json.Unmarshal(data, stored))
			again = append(again, stored.Fold(c, masks{})...)
		}
		turns = append(turns, whole.Flush(masks{})...)
		again = append(again, stored.Flush(masks{})...)
		require.Equal(t, show(turns), show(again), "a restart between two hooks changes the turns")
		require.True(t, whole.Empty())
		requireTold(t, calls, turns)
	})
}

// requireTold compares the texts and ids of calls and results with those told.
func requireTold(t *rapid.T, calls []Call, turns []Turn) {
	var texts []string
	told := map[string]int{} // "call a" → times
	for _, turn := range turns {
		require.NotEmpty(t, turn.Blocks)
		for _, b := range turn.Blocks {
			switch b.Type {
			case sessionevents.BlockUser, sessionevents.BlockText:
				texts = append(texts, b.Text)
			default:
				told[string(b.Type)+" "+b.ID]++
			}
		}
	}
	for _, c := range calls {
		for _, p := range c.Pieces {
			switch b := p.Block; {
			case b.Type == sessionevents.BlockUser, b.Type == sessionevents.BlockText:
				require.NotEmpty(t, texts, "%q is lost", b.Text)
				i := slices.Index(texts, b.Text)
				if i < 0 && p.Closing {
					continue // it was shown before
				}
				require.Zero(t, i, "%q is lost or out of order", b.Text)
				texts = slices.Delete(texts, i, i+1)
			case b.ID != "":
				require.Equal(t, 1, told[string(b.Type)+" "+b.ID], "%s %s", b.Type, b.ID)
			}
		}
	}
	require.Empty(t, texts, "said more often than told")
}
