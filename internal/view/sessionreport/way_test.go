package sessionreport

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

var flow = []sessionevents.FlowStep{
	{Role: sessionevents.FlowSource, Line: 3, Code: `name = request.args["<b>"]`},
	{Role: sessionevents.FlowThrough, Line: 5, Code: "sql = text + name"},
	{Role: sessionevents.FlowSink, Line: 7, Code: "db.execute(sql)"},
}

// A report names the lines on which a value reached its sink, and the page shows them.
func TestWay(t *testing.T) {
	require.Equal(t, " (source in line 3, step in line 5)", way(flow))
	require.Empty(t, way(nil))
	require.Empty(
		t,
		way([]sessionevents.FlowStep{{Role: sessionevents.FlowSource, Line: 7}, {Role: sessionevents.FlowSink, Line: 7}}),
	)
	require.Empty(
		t, way([]sessionevents.FlowStep{{Role: sessionevents.FlowSource}, {Role: sessionevents.FlowSink}}),
		"lines are not known",
	)

	f := Finding{
		Signal: "s", Turn: 1, Detector: "B2", Class: sessionevents.ClassB, Message: "B2.", End: endLogged, Times: 1,
		Evidence: []sessionevents.Evidence{
			{Kind: sessionevents.SegmentDiff, Path: "a.py", Line: 7, Quote: "db.execute(sql)", Flow: flow},
		},
	}
	page := rendered(t, Model{Session: Session{ID: "a"}, Logged: []Finding{f}})
	require.Contains(t, page, "<li>source, line 3: <code>name = request.args[&#34;&lt;b&gt;&#34;]</code></li>")
	require.Contains(t, page, "<li>sink, line 7: <code>db.execute(sql)</code></li>")
	m := Model{Said: []Finding{f}}
	require.Contains(t, m.quoted(Fired{Signals: []string{"s"}}), "(source in line 3, step in line 5)")
}
