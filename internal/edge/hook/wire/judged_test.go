package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func TestJudged(t *testing.T) {
	judged := Judged{Deny: "no", Decided: &sessionevents.GuardDecided{Session: "s", Verdict: sessionevents.HookDeny}}
	for range 4000 {
		act := sessionevents.GuardAct{Act: "delete", Target: "/home/ann/shop/file"}
		judged.Decided.Acts = append(judged.Decided.Acts, act)
	}
	text, err := judged.Encode()
	require.NoError(t, err)
	require.LessOrEqual(t, len(text), maxJudged, "a service takes it")
	require.Len(t, judged.Decided.Acts, 4000, "the caller's is as it was")
	got, err := DecodeJudged(text)
	require.NoError(t, err)
	require.Equal(t, judged.Deny, got.Deny)
	require.NotEmpty(t, got.Decided.Acts)
	require.Equal(t, judged.Decided.Acts[:len(got.Decided.Acts)], got.Decided.Acts)

	for _, wrong := range []string{"?", "bm8=", strings.Repeat("A", maxJudged+1)} {
		_, err := DecodeJudged(wrong)
		require.ErrorContains(t, err, JudgedHeader)
	}
}
