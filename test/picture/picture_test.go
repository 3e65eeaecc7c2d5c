package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	l := parse("\x1b[1mtitle\x1b[0m plain \x1b[1;38;5;210mbad\x1b[0m\x1b[2K")
	require.Equal(t, line{{"title", style{bold: true}}, {" plain ", style{}}, {"bad", style{true, "210"}}}, l)
	require.Equal(t, "title plain bad", l.text())
	require.Equal(t, line{{"bad", style{true, "1"}}, {" ", style{}}, {"noted", style{colour: faint}}}, parse("\x1b[1;31mbad\x1b[m \x1b[2mnoted\x1b[m"))
	require.Equal(t, "cut", parse("cut\x1b[38;5").text())
}

func TestPictureIsWellFormedAndKeepsWhatSomebodyHasToHear(t *testing.T) {
	quiet := strings.Repeat("session  · turn\n", 20)
	entries := []string{
		"session  \x1b[1;38;5;210m⚡ INTERRUPT, turn 9: credential in code, B1\x1b[0m\r\n          the second of its kind by its text\n",
		"session  ⚡ INTERRUPT, turn 3: credential in code, B1\n          a <message> & more\n",
		"session  – noted, not said: a read again, C1\n",
		"maker    → CORRECT, for agent maker-1: maker, rogue\n          Write a test.\n",
		"loop     ■ HALTED: agent failures\n          3 in a row.\n          - 1: an answer\n",
		"wave     ■ HALTED: isolation failure\n",
		"wave     ✓ allowed: start of wave 1\n",
		"wave     ✗ DENIED: merge of wave 1\n          B is empty.\n          → scaffoldwatch recover wave\n",
	}
	shown := func(entries []string, rows int) string {
		var text, out strings.Builder
		text.WriteString("scaffoldwatch\na sample fleet\n")
		for _, entry := range entries {
			text.WriteString(quiet + entry)
		}
		text.WriteString("SCAFFOLD-WATCH SESSION REPORT\n" + strings.Repeat("report\n", 50))
		text.WriteString("run   state   halted by\nloop  halted  agent failures\n\nWith a system of your own\n")
		require.NoError(t, Draw(&out, text.String(), "a title", 100, rows))
		return out.String()
	}
	picture := shown(entries, 46)
	require.Contains(t, picture, `viewBox="0 0 880 `+strconv.Itoa(bar+(2+3+3+3+3+3)*cellHeight+margin), "100 columns, a heading and five parts")
	for _, want := range []string{
		"credential in code", "a &lt;message&gt; &amp; more", "CORRECT", "Write a test.", "agent failures", "3 in a row.", "DENIED", "⋮", "halted by", "a title",
	} {
		require.Contains(t, picture, want)
	}
	for _, left := range []string{"the second of its kind", "noted", "allowed", "an answer", "recover", "isolation failure", "REPORT", "With a system"} {
		require.NotContains(t, picture, left)
	}
	slices.Reverse(entries)
	require.Equal(t, picture, shown(entries, 46), "whatever came first")
	require.Contains(t, shown(entries, 10), `viewBox="0 0 880 246"`, "10 rows")
	decoder := xml.NewDecoder(strings.NewReader(picture))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.Error(t, Draw(io.Discard, "", "", 100, 30))
}
