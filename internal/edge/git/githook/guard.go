package githook

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// AllowVariable lets the orchestrator commit to main while worktrees exist (WP-4).
const AllowVariable = "SAW_ALLOW_MAIN_COMMIT"

// AgentVariable may name the wave agent that works in a shell, by its letter or as wave1-agent-B, where the
// folder does not show it.
const AgentVariable = "SAW_AGENT"

// guard refuses a commit to main while worktrees exist (WP-4, layer 0). It needs no broker. If it cannot find
// out whether worktrees exist, it says so and refuses as well.
func (r *Repository) guard(ctx context.Context, i *Installation, c Call) ([]events.Event, bool, error) {
	if branch := r.Branch(ctx, c.Dir); branch != i.Main {
		return nil, false, nil
	}
	main, linked, err := r.Worktrees(ctx)
	if err != nil {
		fmt.Fprintf(c.Err, "scaffoldwatch: this commit to %s is blocked: %v\n", i.Main, err)
		return nil, true, err
	}
	waves := i.waves(linked)
	if len(waves) == 0 || c.Getenv(AllowVariable) == "1" || r.merging(ctx, c.Dir) {
		return nil, false, nil
	}
	author := r.author(ctx, c.Dir)
	wave, letter := c.agent(author)
	fmt.Fprint(c.Err, refusal(i.Main, main, waves, wave, letter))
	files, err := r.git(ctx, c.Dir, "diff", "--cached", "--name-only", "--no-renames", "-z")
	return []events.Event{fact(i.Run, "", &runevents.GitCommit{
		Actor: actor, Branch: i.Main, Main: true, Author: author, Letter: letter, Files: list(files), Blocked: true,
	})}, true, err
}

// merging reports whether the commit concludes a merge, which the merge gate judges.
func (r *Repository) merging(ctx context.Context, dir string) bool {
	path, err := line(r.git(ctx, dir, "rev-parse", "--git-path", "MERGE_HEAD"))
	if err != nil {
		return false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	_, err = os.Stat(path)
	return err == nil
}

func (r *Repository) author(ctx context.Context, dir string) string {
	identity, err := line(r.git(ctx, dir, "var", "GIT_AUTHOR_IDENT"))
	if err != nil {
		return ""
	}
	name, _, _ := strings.Cut(identity, " <")
	return name
}

// agent returns the wave agent that made a call, taken from its folder, its
// environment or the author's name.
func (c Call) agent(author string) (wave int, letter string) {
	for _, name := range []string{c.Dir, c.Getenv(AgentVariable), author} {
		if wave, letter = placeOf(name); letter != "" {
			return wave, letter
		}
		if len(name) == 1 && name >= "A" && name <= "Z" {
			return 0, name
		}
	}
	return 0, ""
}

// refusal says what to do instead; its reader is an agent.
func refusal(branch, main string, waves []Worktree, wave int, letter string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "scaffoldwatch: this commit to %s is blocked.\n", branch)
	fmt.Fprintf(&b, "Worktrees of a wave exist; each agent commits in its own one, never on %s (WP-4).\n\nWorktrees:\n", branch)
	own := -1
	for n, w := range waves {
		mine := ""
		if letter != "" && w.Letter == letter && (wave == 0 || wave == w.Wave) {
			own, mine = n, "   <- yours"
		}
		fmt.Fprintf(&b, "  %s   (branch %s)%s\n", w.Path, w.Branch, mine)
	}
	if own >= 0 {
		path := absolute(main, waves[own].Path)
		fmt.Fprintf(&b, "\nMove your changes there and commit them there:\n  git stash -u && cd %s && git stash pop && git commit\n", quoted(path))
	} else {
		b.WriteString("\nGo to the worktree that your task names, and commit there.\n")
	}
	fmt.Fprintf(&b, "The orchestrator's own commits (scaffold, after the merge, lint) need %s=1.\n", AllowVariable)
	return b.String()
}
