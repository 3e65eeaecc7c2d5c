package patterncontradiction

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/registry"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// The state of a long session is bounded (SW-10).
func TestStateIsBounded(t *testing.T) {
	d, err := compile(rules.Default())
	require.NoError(t, err)
	config, err := registry.Load(rules.Default())
	require.NoError(t, err)
	r := registry.New(config)
	m := &memory{}
	for n := 1; n <= 3000; n++ {
		family := d.libraries.Families[n%len(d.libraries.Families)]
		member := family.Members[n%len(family.Members)]
		file := fmt.Sprintf("src/part%d/handlers/file_%d_handler.py", n%97, n)
		read := sessionevents.Segment{
			Index: 0, Kind: sessionevents.SegmentTool, Path: file, Language: member.Language, Imports: append(member.Imports, fmt.Sprintf("app.errors%d.errors", n)),
			Accesses: []sessionevents.Access{{Kind: sessionevents.AccessRead, Target: file}},
			Symbols:  []sessionevents.Symbol{{Name: fmt.Sprintf("File%dHandler", n), Kind: "class", Bases: []string{fmt.Sprintf("Base%d", n)}}},
		}
		write := sessionevents.Segment{Index: 1, Kind: sessionevents.SegmentDiff, Path: fmt.Sprintf("src/new%d.py", n), Diff: &sessionevents.Diff{Op: sessionevents.DiffCreate}}
		turn := &sessionevents.TurnSegmented{Turn: n, Segments: []sessionevents.Segment{read, write}}
		d.Run(&detect.Pass{Turn: turn, Before: r, Additions: r.Digest(turn), State: m})
	}
	data, err := json.Marshal(m)
	require.NoError(t, err)
	require.Less(t, len(data), 12<<10)
	require.Len(t, m.Uses, d.Limits.Uses)
	require.Len(t, m.Groups, d.Limits.Groups)
	require.Len(t, m.Made, d.Limits.Made)
	t.Logf("%d bytes after 3,000 turns that each read another library and folder", len(data))
}

// Rules read the same whatever the text (fuzz): no panic, no rule without content.
func FuzzRulesIn(f *testing.F) {
	d, err := compile(rules.Default())
	require.NoError(f, err)
	f.Add("Never call fetch directly; use apiClient.", "import { a } from 'b'\nfetch(x)")
	f.Add("Only change `src/a.go`, please. Keep b.py unchanged.", "def fetch(x):")
	f.Add("No new files. Use \xff instead of `", "$")
	f.Add("Use 0 insteAd of `", "0")
	f.Fuzz(func(t *testing.T, text, code string) {
		for _, r := range d.rulesIn(text, &rule{origin: fromUser}) {
			require.NotEmpty(t, r.text)
			for _, of := range r.targets {
				require.NotEmpty(t, of.name())
				at := findCall(code, of.name(), "javascript")
				require.Less(t, at, len(code)+1)
			}
		}
		d.conventionRules(&sessionevents.Convention{Rule: text, Wrapper: code})
		at := findCall(code, text, "ruby")
		require.LessOrEqual(t, at+len(text), len(code)+len(text))
	})
}
