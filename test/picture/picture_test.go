package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	l := parse("\x1b[1mtitle\x1b[0m plain \x1b[1;38;5;210mbad\x1b[0m\x1b[2K")
	require.Equal(t, line{{"title", style{bold: true}}, {" plain ", style{}}, {"bad", style{true, "210"}}}, l)
	require.Equal(t, "title plain bad", l.text())
	require.Equal(t, "cut", parse("cut\x1b[38;5").text())
}

func TestPictureIsWellFormedAndKeepsWhatSomebodyHasToHear(t *testing.T) {
	var text strings.Builder
	quiet := func() { text.WriteString(strings.Repeat("session  · turn\n", 20)) }
	for _, entry := range []string{
		"session  \x1b[1;38;5;210m⚡ INTERRUPT B1, turn 3\x1b[0m\r\n          a <message> & more\n",
		"session  ⚡ INTERRUPT B1, turn 9\n          the second of its kind\n",
		"session  – C1 logged at 0.5\n",
		"maker    → CORRECT, step 1: maker/rogue\n          Write a test.\n",
		"loop     ■ BREAK, halted at once: agent failures\n          3 in a row.\n          - 1: an answer\n",
		"wave     ✓ gate launch of wave 1: allowed\n",
		"wave     ✗ gate merge of wave 1: DENIED by WP-1\n          B is empty.\n",
	} {
		quiet()
		text.WriteString(entry)
	}
	quiet()
	text.WriteString("SCAFFOLD-WATCH SESSION REPORT\n")
	text.WriteString(strings.Repeat("report\n", 50))
	text.WriteString("run   state   open break\nloop  halted  agent_failures\n")
	var out bytes.Buffer
	require.NoError(t, run(strings.NewReader(text.String()), &out, "a title", 100, 46))
	require.Contains(t, out.String(), `viewBox="0 0 880 512"`, "100 columns and 24 rows")
	for _, want := range []string{"INTERRUPT B1, turn 3", "a &lt;message&gt; &amp; more", "CORRECT", "Write a test.", "BREAK", "3 in a row.", "DENIED", "⋮", "SESSION REPORT", "agent_failures", "a title"} {
		require.Contains(t, out.String(), want)
	}
	for _, left := range []string{"the second of its kind", "logged", "allowed", "an answer"} {
		require.NotContains(t, out.String(), left)
	}
	var short bytes.Buffer
	require.NoError(t, run(strings.NewReader(text.String()), &short, "a title", 100, 10))
	require.Contains(t, short.String(), `viewBox="0 0 880 246"`, "10 rows")
	decoder := xml.NewDecoder(&out)
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		require.NoError(t, err)
	}
	require.Error(t, run(strings.NewReader(""), io.Discard, "", 100, 30))
}
