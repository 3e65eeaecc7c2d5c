package refetch

import (
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/detect"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// kindGit is Git's output about the work: a diff, a log.
const kindGit sessionevents.AccessKind = "git"

// gitReads returns the retrieval of a command that only shows what Git knows, whose
// result depends on every file.
func (d *instance) gitReads(p *detect.Pass, s *sessionevents.Segment) []retrieval {
	command, sub := d.gitCommand(s)
	if !slices.Contains(d.config.GitReads, sub) {
		return nil
	}
	return []retrieval{{
		Kind: kindGit, Query: command, Turn: p.Turn.Turn, Hash: s.Result.Hash, Input: s.Tool.InputHash, Tool: s.Tool.Canonical,
		Short: s.Result.Bytes < d.config.ShortBytes,
	}}
}

// gitCommand returns the command of a call that runs only Git, without the folder it runs
// in, and its subcommand; "" for any other call.
func (d *instance) gitCommand(s *sessionevents.Segment) (command, sub string) {
	if s.Tool == nil || s.Tool.Canonical != sessionevents.ToolShell || !slices.Equal(s.Tool.Effects, []string{"git"}) {
		return "", ""
	}
	words := strings.Fields(s.Tool.Command)
	if len(words) > 3 && words[0] == "cd" && words[2] == "&&" {
		words = words[3:]
	}
	if len(words) < 2 || words[0] != "git" || slices.ContainsFunc(words, leavesPipe) {
		return "", ""
	}
	at := slices.IndexFunc(words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") })
	if at < 0 {
		return "", ""
	}
	return strings.Join(words, " "), words[1+at]
}

// onlyShows reports whether a call of Git changes nothing.
func (d *instance) onlyShows(s *sessionevents.Segment) bool {
	_, sub := d.gitCommand(s)
	return slices.Contains(d.config.GitReads, sub) || slices.Contains(d.config.GitShows, sub)
}

// leavesPipe reports whether a word ends a command that only reads and filters.
func leavesPipe(word string) bool {
	return word == "&&" || word == "||" || strings.HasSuffix(word, ";") || strings.HasPrefix(word, ">") || word == "&"
}
