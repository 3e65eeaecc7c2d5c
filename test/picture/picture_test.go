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

func TestPictureIsWellFormedAndKeepsTheInterrupts(t *testing.T) {
	var text strings.Builder
	for range 50 {
		text.WriteString("session  · turn\n")
	}
	text.WriteString("session  \x1b[1;38;5;210m⚡ INTERRUPT\x1b[0m\r\n          a <message> & more\n")
	for range 50 {
		text.WriteString("session  · turn\n")
	}
	text.WriteString("SCAFFOLD-WATCH SESSION REPORT\n")
	for range 50 {
		text.WriteString("report\n")
	}
	var out bytes.Buffer
	require.NoError(t, run(strings.NewReader(text.String()), &out, "a title", 100, 30))
	require.Contains(t, out.String(), `viewBox="0 0 880 626"`, "100 columns and 30 rows")
	for _, want := range []string{"INTERRUPT", "a &lt;message&gt; &amp; more", "⋮", "SESSION REPORT", "a title"} {
		require.Contains(t, out.String(), want)
	}
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
