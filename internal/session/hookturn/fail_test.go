package hookturn

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func failed(pieces ...Piece) Call {
	return Call{Pieces: pieces, Border: BorderTurn, Failed: "api_error"}
}

// RW-35: a response that failed is a turn, whatever of it had come.
func TestFailedResponse(t *testing.T) {
	for name, c := range map[string]struct {
		calls []Call
		want  string
	}{
		"nothing was said":         {[]Call{failed()}, " =api_error"},
		"only a person spoke":      {[]Call{call(BorderNone, user("go")), failed()}, "u:go =api_error"},
		"in the middle of prose":   {[]Call{call(BorderNone, user("go"), prose("I")), failed()}, "u:go t:I =api_error"},
		"behind a batch":           {[]Call{call(BorderNone, began("a")), call(BorderBatch, done("a")), failed()}, "c:a r:a =tool_use |  =api_error"},
		"behind untold borders":    {[]Call{call(BorderNone, began("a"), done("a")), failed()}, "c:a r:a =tool_use |  =api_error"},
		"while a tool runs":        {[]Call{call(BorderNone, prose("I"), began("a")), failed()}, "t:I c:a =api_error"},
		"twice, as it was retried": {[]Call{failed(), failed()}, " =api_error |  =api_error"},
		"and then it worked":       {[]Call{failed(), call(BorderTurn, last("Done."))}, " =api_error | t:Done. =end_turn"},
	} {
		t.Run(name, func(t *testing.T) {
			state := &State{}
			var turns []Turn
			for _, c := range c.calls {
				turns = append(turns, state.Fold(c, masks{})...)
			}
			require.Equal(t, c.want, show(turns))
		})
	}
}
