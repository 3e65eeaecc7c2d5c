package notice

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestPurgeForgetsAGroup(t *testing.T) {
	s := NewState(time.Unix(0, 0))
	about := func(run string) Notice { return Notice{Subject: run, Run: run, Title: "marker-" + run} }
	s.Runs["r1"], s.Runs["r2"] = &Run{Goal: "marker-r1"}, &Run{Goal: "marker-r2"}
	s.Groups["a"] = &Group{Run: "r1", Waiting: []Notice{about("r1")}}
	s.Groups["b"] = &Group{Gathers: gathersDigest, Waiting: []Notice{about("r1"), about("r2")}}
	s.Outbox = []*Message{{Key: "1", Run: "r1", Notices: []Notice{about("r1")}}, {Key: "2", Run: "r2", Notices: []Notice{about("r2")}}}
	s.Past = []Past{{Title: "marker-r1"}}
	s.purge("r1")
	data, err := json.Marshal(s)
	require.NoError(t, err)
	require.NotContains(t, string(data), "marker-r1")
	require.Contains(t, string(data), "marker-r2")
	require.Len(t, s.Outbox, 1)
	require.Len(t, s.Groups, 1)
	require.Len(t, s.Groups["b"].Waiting, 1)
}
