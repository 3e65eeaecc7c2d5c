package preflight_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
)

// module is Python code of about n bytes.
func module(n int) string {
	const function = `def load_order(order_id, session=None):
    """Load one order with its lines."""
    session = session or get_session()
    order = session.query(Order).filter(Order.id == order_id).one_or_none()
    if order is None:
        raise NotFound("order %s" % order_id)
    return {"id": order.id, "lines": [line.as_dict() for line in order.lines]}


`
	return strings.Repeat(function, n/len(function)+1)[:n]
}

// BenchmarkCheck is the time of one answer (DP-24: p99 under 5 ms).
func BenchmarkCheck(b *testing.B) {
	c := checker(b, "")
	for _, bench := range []struct {
		name, tool string
		input      map[string]any
	}{
		{"read", "Read", map[string]any{"file_path": "/repo/app/orders.py"}},
		{"shell", "Bash", map[string]any{"command": "cd app && go test ./... | tail -20"}},
		{"edit-1k", "Edit", map[string]any{"file_path": "/repo/app/orders.py", "old_string": module(500), "new_string": module(1000)}},
		{"write-4k", "Write", map[string]any{"file_path": "/repo/app/orders.py", "content": module(4 << 10)}},
		{"write-32k", "Write", map[string]any{"file_path": "/repo/app/orders.py", "content": module(32 << 10)}},
		{"write-256k", "Write", map[string]any{"file_path": "/repo/app/orders.py", "content": module(240 << 10)}},
	} {
		raw, err := json.Marshal(bench.input)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.Check(preflight.Call{Session: "s1", Name: bench.tool, Input: raw, Workspace: "/repo"})
			}
		})
	}
}
