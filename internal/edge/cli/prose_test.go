package cli_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
)

// On a terminal prose breaks at spaces; elsewhere a line is a line.
func TestProse(t *testing.T) {
	const text = "SIGNALS    96 events, 33 batches in 8 partitions, from one to another\nnot proven: that nothing was left out, as nobody signed\n  indented: as long as it is, it stays as it is, whatever\nshort\n"
	for interactive, want := range map[bool]string{
		false: text,
		true: "SIGNALS    96 events, 33 batches in 8\n           partitions, from one to\n           another\n" +
			"not proven: that nothing was left out,\n  as nobody signed\n  indented: as long as it is, it stays as it is, whatever\nshort\n",
	} {
		var out bytes.Buffer
		call := &cli.Call{Stdout: &out, Theme: terminal.Theme{Interactive: interactive, Width: 40}}
		_, err := fmt.Fprint(call.Prose(), text)
		require.NoError(t, err)
		require.Equal(t, want, out.String())
	}
}
