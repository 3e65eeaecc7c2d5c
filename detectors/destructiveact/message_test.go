package destructiveact

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/destruct"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// A command too long to be quoted is named by what it destroys, where the guard gives a reason only (JD-40).
func TestReasonAlone(t *testing.T) {
	act := &destruct.Act{
		Kind: destruct.Files, Rule: "remove", Command: "rm -f " + strings.Repeat("config/settings-of-the-tool.json ", 8),
	}
	j := &judgement{segment: &sessionevents.Segment{}}
	f := j.finding(&loss{
		act: act, what: "the file", of: []string{"b.json"}, why: "its state is not known", told: ": its state is not known",
	})
	require.Equal(t, "This rm command destroys the file (b.json): its state is not known. "+
		"Restore it if you can, else tell the person.", f.Message)
	require.Equal(t, "The act was not asked for; its state is not known.", f.Reason)
}
