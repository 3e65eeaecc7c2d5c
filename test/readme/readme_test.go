package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/demo"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

func documented(t *testing.T) []Command {
	t.Helper()
	commands, err := Commands(filepath.Join("..", ".."))
	require.NoError(t, err)
	require.Greater(t, len(commands), 10)
	return commands
}

func TestMakeTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join("..", "..", "Makefile"))
	require.NoError(t, err)
	seen := 0
	for _, c := range documented(t) {
		if c.Args[0] != "make" {
			continue
		}
		for _, target := range c.Args[1:] {
			if strings.Contains(target, "=") {
				continue
			}
			seen++
			require.Regexp(t, regexp.MustCompile(`(?m)^`+regexp.QuoteMeta(target)+`:`), string(makefile), "%s", c)
		}
	}
	require.GreaterOrEqual(t, seen, 2)
}

func TestServicesNamedInTheDocumentationExist(t *testing.T) {
	for _, c := range documented(t) {
		if slices.Contains([]string{"ingest", "evaluator", "dispatcher", "reporter"}, c.Args[0]) {
			require.FileExists(t, filepath.Join("..", "..", "cmd", c.Args[0], "main.go"), "%s", c)
		}
	}
}

func TestDemoShowsInterruptsBreaksAndReports(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a whole system")
	}
	d := newDesk(t)
	out, code := d.shell("scaffoldwatch up --demo")
	require.Equal(t, 0, code, out)
	require.Contains(t, out, "⚡ INTERRUPT, turn 3: credential in code, B1")
	require.Regexp(t, `⚡ INTERRUPT, turn \d: feature nobody asked for, D2`, out)
	require.Contains(t, out, "red-build           ✗ denied: git clean -fd && go vet ./...")
	require.Contains(t, out, `plan.md of session "release-plan"`)
	require.Contains(t, out, "red-build: 1 turn, 1 call denied", "what was denied is not said again")
	require.Contains(t, out, "→ CORRECT, for agent maker-1: maker, rogue")
	require.Contains(t, out, "■ HALTED: agent failures")
	require.Contains(t, out, "▲ NEEDS YOU: agent failures")
	require.Contains(t, out, "✗ DENIED: merge of wave 1")
	require.Contains(t, out, "SCAFFOLD-WATCH SESSION REPORT")
	for run, stands := range map[string]string{"flaky-tests": "halted +agent failures", "catalog-split": "halted +isolation failure", "invoice-dates": `done +\d{4}-`, "mail-templates": `done +\d{4}-`} {
		require.Regexp(t, `(?m)^`+run+` +`+stands, out)
	}
	require.NotRegexp(t, `mail-templates +[■▲✗→!]`, out, "the clean wave is silent")
	require.NotContains(t, out, "sk_live")
}

// TestDocumentedCommandsRun runs every documented statement that consists only of scaffoldwatch and whose
// files the desk has, against a system of its own.
func TestDocumentedCommandsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a whole system")
	}
	d := newDesk(t)
	up := d.start("up", "--data", filepath.Join(t.TempDir(), "data"), "--listen", d.address(), "--http", "none")
	d.await("the system", func() bool {
		_, code := d.shell("scaffoldwatch streams init")
		return code == 0
	})
	out, code := d.shell("scaffoldwatch publish ~/.claude/projects/shop/")
	require.Equal(t, 0, code, out)
	d.await("the last session", func() bool {
		out, _ := d.shell("scaffoldwatch sessions")
		return strings.Count(out, "closed") == 9
	})
	ran := map[string]int{}
	for _, c := range documented(t) {
		if name := d.try(c); name != "" {
			ran[name]++
		}
	}
	d.follow()
	d.stop(up)
	require.Contains(t, up.output(), "⚡ INTERRUPT, turn 3: credential in code, B1")
	for _, name := range []string{"scan", "publish", "report", "sessions", "watch", "streams", "dead", "doctor", "rules", "completion", "version", "ack", "mute", "mutes"} {
		require.Positive(t, ran[name], "no documented %q command could be run; ran: %v", name, ran)
	}
}

// try runs a statement if possible, and returns its subcommand.
func (d *desk) try(c Command) string {
	d.t.Helper()
	if c.Args[0] != "scaffoldwatch" || len(c.Args) < 2 || !strings.HasPrefix(c.Text, "scaffoldwatch ") {
		return ""
	}
	text := strings.NewReplacer(" [SESSION]", " payments-webhook", " SESSION", " payments-webhook").Replace(c.Text)
	name := subcommand(c.Args[1:])
	switch {
	case strings.Contains(text, "|"): // the other program may be missing
		return ""
	case slices.Contains([]string{"up", "install", "uninstall", "hook", "drive", "git-hook", "rescue"}, name), strings.Contains(text, "--follow"):
		return "" // needs a system, an agent or a repository of its own; see follow
	case slices.Contains([]string{"attest", "purge"}, name):
		return "" // needs a repository and a key of its own, or a person's confirmation
	case strings.Contains(text, "dead show"), strings.Contains(text, "dead retry"), strings.Contains(text, "dead ack"):
		return "" // there are no dead letters here
	case strings.Contains(text, "--server"), !d.has(c.Args):
		return ""
	case name == "watch":
		d.watch(c.Args[1:])
		return name
	}
	out, code := d.shell(text)
	want := 0
	if strings.Contains(text, "--fail-on") {
		want = 3
	}
	if name == "try" { // its exit code is the verdict
		require.Contains(d.t, []int{0, 3, 4}, code, "%s\n%s", c, out)
		return name
	}
	require.Equal(d.t, want, code, "%s\n%s", c, out)
	return name
}

// subcommand returns the first word that is not a flag.
func subcommand(args []string) string {
	for i := 0; i < len(args); i++ {
		if args[i] == "--config" {
			i++
		} else if !strings.HasPrefix(args[i], "-") {
			return args[i]
		}
	}
	return strings.Join(args, " ")
}

// has reports whether every file that the arguments name exists.
func (d *desk) has(args []string) bool {
	for _, a := range args[1:] {
		path := strings.Replace(a, "~", d.folder, 1)
		if _, isType := events.Lookup(events.Type(a)); isType || strings.Contains(a, "=") {
			continue
		}
		if !strings.ContainsAny(a, "./") || strings.HasPrefix(a, "-") || a == "." {
			continue
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.folder, path)
		}
		if _, err := os.Stat(path); err != nil {
			return false
		}
	}
	return true
}

// watch runs a documented watch until it has printed something.
func (d *desk) watch(args []string) {
	d.t.Helper()
	p := d.start(args...)
	n := 0
	d.await("watch shows something", func() bool {
		if p.output() != "" {
			return true
		}
		n++ // until the watch is running, its sessions pass unseen
		d.session(fmt.Sprintf("watched-%d-%d", p.cmd.Process.Pid, n), func(turn *sessionevents.Turn) {
			if slices.Contains(args, "--needs-me") { // a session whose responses fail is halted (RW-35)
				turn.StopReason = "api_error"
			}
		})
		return false
	})
	d.stop(p)
}

// session publishes the cleanest session of the fleet under another name, its turns changed.
func (d *desk) session(id string, changes ...func(*sessionevents.Turn)) string {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), id+".jsonl")
	d.write(path, renamed(d, id, changes...))
	out, code := d.shell("scaffoldwatch publish " + path)
	require.Equal(d.t, 0, code, out)
	return path
}

func renamed(d *desk, id string, changes ...func(*sessionevents.Turn)) []events.Event {
	fleet, err := demo.Sessions(time.Date(2026, 1, 6, 9, 0, 0, 0, time.UTC))
	require.NoError(d.t, err)
	for _, list := range fleet {
		if list[0].Subject != "release-notes" {
			continue
		}
		for i := range list {
			list[i].ID, list[i].Subject = id+list[i].ID, id
			switch data := list[i].Data.(type) {
			case *sessionevents.SessionOpened:
				data.Session = id
			case *sessionevents.Turn:
				data.Session = id
				for _, change := range changes {
					change(data)
				}
			case *sessionevents.SessionClosed:
				data.Session = id
			}
		}
		return list
	}
	return nil
}

// follow tails a transcript that is still being written.
func (d *desk) follow() {
	d.t.Helper()
	path := filepath.Join(d.folder, "live.jsonl")
	list := renamed(d, "live")
	d.write(path, list[:2])
	p := d.start("publish", "--follow", path)
	d.await("the first turn", func() bool { return d.turns("live") == 1 })
	d.write(path+".rest", list[2:4])
	rest, err := os.ReadFile(path + ".rest")
	require.NoError(d.t, err)
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(d.t, err)
	_, err = file.Write(rest)
	require.NoError(d.t, err)
	require.NoError(d.t, file.Close())
	d.await("the turns that were appended", func() bool { return d.turns("live") == 3 })
	d.stop(p)
	require.Contains(d.t, p.output(), "published 3 turns of 1 session\n")
}

// turns returns the number of evaluated turns of a session.
func (d *desk) turns(session string) int {
	out, _ := d.shell("scaffoldwatch sessions --output json --limit 0")
	m := regexp.MustCompile(`"session": "` + session + `",\s+("agent": "[^"]*",\s+)?"turns": (\d+)`).FindStringSubmatch(out)
	if m == nil {
		return 0
	}
	var n int
	_, err := fmt.Sscan(m[2], &n)
	require.NoError(d.t, err)
	return n
}

// Every Go block of docs/client.md must be part of the examples of pkg/client, which are compiled and run.
func TestGoExamplesAreTheTestedOnes(t *testing.T) {
	source, err := os.ReadFile(filepath.Join("..", "..", "pkg", "client", "example_test.go"))
	require.NoError(t, err)
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	tested := squeeze(string(source))
	found, err := blocks(filepath.Join("..", "..", "docs", "client.md"), "go")
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for _, b := range found {
		for _, part := range strings.Split(b.text, "\n\n") {
			require.Contains(t, tested, squeeze(part), "docs/client.md:%d", b.line)
		}
	}
}
