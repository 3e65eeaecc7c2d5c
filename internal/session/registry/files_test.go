package registry

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func fileTurn(number int, segments ...sessionevents.Segment) *sessionevents.TurnSegmented {
	for i := range segments {
		segments[i].Index = i
	}
	return &sessionevents.TurnSegmented{Session: "s", Turn: number, Segments: segments}
}

func edited(path string, op sessionevents.DiffOperation) sessionevents.Segment {
	return sessionevents.Segment{
		Kind: sessionevents.SegmentDiff, Path: path, Diff: &sessionevents.Diff{Op: op},
		Accesses: []sessionevents.Access{{Kind: sessionevents.AccessWrite, Target: path}},
	}
}

func TestFilesAlike(t *testing.T) { // A1: a file-name overlap counts like a symbol's
	r := New(config(t))
	r.Open(&sessionevents.SessionOpened{Session: "s", Codebase: &sessionevents.Codebase{Files: []string{"legacy/rate-limiter.js", "src/index.js"}}})
	fold := func(turn *sessionevents.TurnSegmented) { r.Commit(r.Digest(turn)) }
	fold(fileTurn(1, sessionevents.Segment{
		Kind: sessionevents.SegmentTool, Path: "app/rate_limiter.py",
		Accesses: []sessionevents.Access{{Kind: sessionevents.AccessRead, Target: "app/rate_limiter.py"}},
	}))
	fold(fileTurn(2, edited("lib/RateLimiter.ts", sessionevents.DiffCreate), edited("old/rate_limiter.go", sessionevents.DiffCreate)))
	want := []File{
		{Path: "lib/RateLimiter.ts", Turn: 2, Written: true},
		{Path: "old/rate_limiter.go", Turn: 2, Written: true},
		{Path: "app/rate_limiter.py", Turn: 1},
		{Path: "legacy/rate-limiter.js"},
	}
	require.Equal(t, want, r.FilesAlike("new/rate_limiter.rb"))
	require.Empty(t, r.FilesAlike("new/limits.rb"))
	require.Empty(t, r.FilesAlike("__.py"))

	fold(fileTurn(3, edited("old/rate_limiter.go", sessionevents.DiffDelete)))
	require.Equal(t, append(want[:1:1], want[2:]...), r.FilesAlike("new/rate_limiter.rb"), "a removed file is none")
	again, err := Decode(config(t), []byte(encode(t, r)))
	require.NoError(t, err)
	require.Equal(t, r.FilesAlike("rate_limiter"), again.FilesAlike("rate_limiter"))

	fold(fileTurn(4, edited("old/rate_limiter.go", sessionevents.DiffCreate)))
	require.Contains(t, r.FilesAlike("rate_limiter"), File{Path: "old/rate_limiter.go", Turn: 2, Written: true}, "it is there again")
}

func TestRemovedFolders(t *testing.T) { // SW-10: what was removed does not stand
	r := New(config(t))
	write := edited("src/gone/money.ts", sessionevents.DiffCreate)
	write.Language, write.Symbols = "typescript", []sessionevents.Symbol{{Name: "formatCurrency", Kind: "function"}}
	beside := edited("src/gone2/money.ts", sessionevents.DiffCreate)
	beside.Language, beside.Symbols = "typescript", []sessionevents.Symbol{{Name: "formatPrice", Kind: "function"}}
	for _, turn := range []*sessionevents.TurnSegmented{fileTurn(1, write, beside), fileTurn(2, edited("src/gone", sessionevents.DiffDelete))} {
		r.Commit(r.Digest(turn))
	}
	require.Equal(t, 2, r.BuiltNamed("formatCurrency")[0].Gone)
	require.Zero(t, r.BuiltNamed("formatPrice")[0].Gone)
}
