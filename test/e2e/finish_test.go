package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// The report of a session that nobody closes is written when its primary signals that it is done, and again at
// its end; a session that only talks, or goes on, has none (DP-30).
func TestReportWhenThePrimaryIsDone(t *testing.T) {
	var reports string
	s := start(t, func(c *config.Config) { c.HTTP.Address, reports = "127.0.0.1:0", c.Reports.Directory })
	said := func(text string) sessionevents.Block {
		return sessionevents.Block{Type: sessionevents.BlockText, Text: text}
	}
	asked := sessionevents.Block{Type: sessionevents.BlockUser, Text: "Take the discount off in cart.go."}
	edit := []sessionevents.Block{
		{
			Type: sessionevents.BlockToolCall, ID: "c1", Name: "Edit",
			Input: []byte(`{"file_path":"cart.go","old_string":"return price - discount","new_string":"return price"}`),
		},
		{Type: sessionevents.BlockToolResult, ID: "c1", Output: "The file cart.go has been updated."},
	}
	done := said("I have removed the discount from cart.go.")
	talk := said("The discount is subtracted in one place. It is done for every price.")
	var list []events.Event
	turn := func(session, id string, blocks ...sessionevents.Block) {
		list = append(list, events.Event{
			ID: session + id, Source: "/e2e", Type: sessionevents.TypeTurnRaw, Subject: session, Time: time.Unix(0, 0).UTC(),
			Data: &sessionevents.Turn{Session: session, TurnID: id, Format: "blocks", Blocks: blocks},
		})
	}
	turn("talks", "1", asked, talk)
	turn("works", "1", append([]sessionevents.Block{asked}, edit...)...)
	turn("ends", "1", append([]sessionevents.Block{asked}, edit...)...)
	turn("ends", "2", done)
	s.publish(list)

	written := func(session string) string {
		text, _ := os.ReadFile(filepath.Join(reports, session+".md")) //nolint:errcheck // there is none yet
		return string(text)
	}
	require.Eventually(t, func() bool {
		return strings.Contains(written("ends"), "live (done, as it signalled in turn 2)")
	}, patience, 50*time.Millisecond)
	list = nil
	turn("works", "2", done)
	s.publish(list)
	require.Eventually(t, func() bool { return written("works") != "" }, patience, 50*time.Millisecond)
	require.Eventually(t, func() bool {
		_, body := fetch(t, "http://"+s.HTTP()+"/v1/sessions")
		var listed []decisions.SessionSummary
		talked := func(d decisions.SessionSummary) bool { return d.Session == "talks" && d.Turns == 1 }
		return json.Unmarshal([]byte(body), &listed) == nil && slices.ContainsFunc(listed, talked)
	}, patience, 50*time.Millisecond)
	require.Empty(t, written("talks"), "the reporter has read it, and writes before it lists")

	s.publish([]events.Event{{
		ID: "end", Source: "/e2e", Type: sessionevents.TypeSessionClosed, Subject: "ends", Time: time.Unix(0, 0).UTC(),
		Data: &sessionevents.SessionClosed{Session: "ends", Reason: "completed"},
	}})
	require.Eventually(t, func() bool {
		return strings.Contains(written("ends"), "closed (completed)")
	}, patience, 50*time.Millisecond)
}
