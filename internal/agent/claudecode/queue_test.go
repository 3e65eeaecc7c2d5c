package claudecode

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// step is one line of the queue's log and what it says.
type step struct{ kind, text, said string }

// What a person typed while the agent worked is said once, when the agent is given
// it (SW-3a).
func TestQueue(t *testing.T) {
	for name, c := range map[string]struct {
		steps  []step
		opened []string
	}{
		"removed":                 {[]step{{"enqueue", "a", ""}, {"enqueue", "b", ""}, {"remove", "", "a"}, {"remove", "", "b"}}, nil},
		"attached as well":        {[]step{{"enqueue", "a", ""}, {"remove", "", "a"}, {"attachment", "a", ""}}, nil},
		"attached first":          {[]step{{"enqueue", "a", ""}, {"attachment", "a", "a"}, {"remove", "", ""}}, nil},
		"attached alone":          {[]step{{"attachment", "a", "a"}}, nil},
		"said twice":              {[]step{{"enqueue", "a", ""}, {"enqueue", "a", ""}, {"remove", "", "a"}, {"attachment", "a", ""}, {"remove", "", "a"}, {"attachment", "a", ""}}, nil},
		"taken back":              {[]step{{"enqueue", "a", ""}, {"popAll", "a", ""}, {"remove", "", ""}}, nil},
		"a notification between":  {[]step{{"enqueue", "", ""}, {"enqueue", "a", ""}, {"remove", "", ""}, {"remove", "", "a"}}, nil},
		"opens a response":        {[]step{{"enqueue", "a", ""}, {"dequeue", "", ""}}, []string{"a"}},
		"and the line repeats it": {[]step{{"enqueue", "a", ""}, {"dequeue", "", ""}, {"prompt", "a", ""}}, nil},
		"interrupted":             {[]step{{"enqueue", "a", ""}, {"dequeue", "", ""}, {"interrupt", "", ""}}, nil},
		"a repeated part":         {[]step{{"enqueue", "a", ""}, {"enqueue", "b", ""}, {"dequeue", "", ""}, {"dequeue", "", ""}, {"prompt", "a\nb", ""}}, nil},
		"more removed than typed": {[]step{{"remove", "", ""}, {"dequeue", "", ""}}, nil},
	} {
		q := newQueue()
		for _, s := range c.steps {
			switch s.kind {
			case "attachment":
				require.Equal(t, s.said, q.attachment(s.text), name)
			case "prompt":
				q.prompted(s.text, false)
			case "interrupt":
				q.prompted("", true)
			default:
				require.Equal(t, s.said, q.operation(s.kind, s.text), name)
			}
		}
		opened := q.opened()
		require.Len(t, opened, len(c.opened), name)
		for i := range opened {
			require.Equal(t, c.opened[i], opened[i], name)
		}
	}
}
