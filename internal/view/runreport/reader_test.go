package runreport_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
)

// CO-9b: a person reads what happened and what to do in words and in their own time; what is handed on is in
// UTC.
func TestForAPerson(t *testing.T) {
	m := modelOf(t, decisions(t, "rw42_open"))
	report := runreport.Report(m, time.FixedZone("CET", 3600))
	form := func(name string) string {
		var out bytes.Buffer
		require.NoError(t, report.Write(&out, name, doc.Screen{Width: 80}))
		return out.String()
	}
	text := form("text")
	for _, want := range []string{
		"2 Jan 2026 16:04 to 16:04 CET", "16:04:12 halted: agent failures",
		"scaffoldwatch resume shop --why '…'",
	} {
		require.Contains(t, text, want)
	}
	happened, waits, halted := bytes.Index([]byte(text), []byte("What happened")), bytes.Index([]byte(text),
		[]byte("What waits for a person")), bytes.Index([]byte(text), []byte("What halted it"))
	require.True(t, 0 < happened && happened < waits && waits < halted, text)
	require.NotRegexp(t, `agent_failures|[a-z2-7]{26}|input-\d|\b0\b|UTC`, text, "no code, id or zero")
	require.Contains(t, form("html"), "16:04 CET")
	for _, handedOn := range []string{form("md"), form("json")} {
		require.NotContains(t, handedOn, "16:04")
		require.Contains(t, handedOn, "15:04")
	}
}
