package e2e

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/backup"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/natstest"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/proofs"
	"github.com/scaffoldwatch/scaffoldwatch/test/workload"
)

// installed is `scaffoldwatch` as a person runs it: processes of its own, in a home of its own.
type installed struct {
	t       *testing.T
	program string
	home    string
	address string
	up      *exec.Cmd
}

func install(t *testing.T) *installed {
	t.Helper()
	i := &installed{t: t, program: filepath.Join(programs(t), "scaffoldwatch"), home: t.TempDir(), address: natstest.FreeAddresses(t, 1)[0]}
	t.Cleanup(i.kill)
	public := strings.TrimSpace(i.must("keys", "new", i.file("key.seed")))
	settings := fmt.Sprintf("security: {signing_seed: %s, trusted_keys: [%s]}\nstreams: {partitions: 4}\n", i.file("key.seed"), public)
	require.NoError(t, os.WriteFile(i.file("config.yaml"), []byte(settings), 0o600))
	return i
}

func (i *installed) file(name string) string { return filepath.Join(i.home, name) }

// command returns a process that is killed if the test ends before it.
func (i *installed) command(args ...string) *exec.Cmd {
	c := exec.CommandContext(i.t.Context(), i.program, args...)
	c.Env = append(os.Environ(), "HOME="+i.home, "XDG_CONFIG_HOME="+i.file("config"), "SCAFFOLDWATCH_NATS_URL=nats://"+i.address)
	if _, err := os.Stat(i.file("config.yaml")); err == nil {
		c.Env = append(c.Env, "SCAFFOLDWATCH_CONFIG="+i.file("config.yaml"))
	}
	return c
}

// must runs a command that succeeds and returns what it printed.
func (i *installed) must(args ...string) string {
	i.t.Helper()
	out, err := i.command(args...).CombinedOutput()
	require.NoError(i.t, err, "scaffoldwatch %s\n%s", strings.Join(args, " "), out)
	return string(out)
}

// killed runs a command that is killed after a while, and reports whether it was faster.
func (i *installed) killed(after time.Duration, args ...string) (ended bool) {
	i.t.Helper()
	c := i.command(args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	require.NoError(i.t, c.Start())
	timer := time.AfterFunc(after, func() { _ = c.Process.Kill() })
	defer timer.Stop()
	err := c.Wait()
	if err != nil && c.ProcessState.ExitCode() >= 0 { // it ended by itself
		i.t.Fatalf("scaffoldwatch %s: %v\n%s", strings.Join(args, " "), err, &out)
	}
	return err == nil
}

// timed returns how long something takes here and now.
func (i *installed) timed(do func()) time.Duration {
	began := time.Now()
	do()
	return time.Since(began)
}

// start runs `up` on a data directory.
func (i *installed) start(data string) *nats.Broker { return i.startAnswering(data, "none") }

// startAnswering returns start with an address for hooks.
func (i *installed) startAnswering(data, http string) *nats.Broker {
	i.t.Helper()
	i.up = i.command("up", "--data", data, "--listen", i.address, "--http", http, "--lazy-sync", "-q")
	log, err := os.Create(i.file("up.log"))
	require.NoError(i.t, err)
	i.up.Stdout, i.up.Stderr = log, log
	require.NoError(i.t, i.up.Start())
	require.NoError(i.t, log.Close())
	var nc *nats.Conn
	require.Eventually(i.t, func() bool {
		ctx, cancel := context.WithTimeout(i.t.Context(), time.Second)
		defer cancel()
		var err error
		nc, err = nats.Connect(ctx, nats.ConnectOptions{URL: "nats://" + i.address, Name: "cli_admin", Creds: i.key("admin")})
		return err == nil
	}, patience, 100*time.Millisecond)
	i.t.Cleanup(nc.Close)
	broker, err := nats.Open(nc, topology.Topology{Partitions: 4}, nats.Keys{}, nil)
	require.NoError(i.t, err)
	require.Eventually(i.t, func() bool { // the last that is created
		_, err := broker.JetStream().Stream(i.t.Context(), "KV_"+topology.BucketRules)
		return err == nil
	}, patience, 20*time.Millisecond)
	return broker
}

func (i *installed) key(role string) string {
	return filepath.Join(i.file("config"), "scaffoldwatch", "credentials", role+".nk")
}

// kill ends `up` as a loss of the machine does.
func (i *installed) kill() {
	if i.up != nil {
		_ = i.up.Process.Kill()
		_ = i.up.Wait()
		i.up = nil
	}
}

// decided waits until so many sessions are decided on to their end, and returns the decisions.
func (i *installed) decided(broker *nats.Broker, sessions int) map[string][]events.Event {
	i.t.Helper()
	var got map[string][]events.Event
	require.Eventually(i.t, func() bool {
		closed := 0
		got = map[string][]events.Event{}
		err := read.All(i.t.Context(), broker, allDecisions, func(a read.Accepted) error {
			e := a.Input.Event
			got[e.Group()] = append(got[e.Group()], e)
			if e.Type == sessionevents.TypeSessionClosed {
				closed++
			}
			return nil
		})
		return err == nil && closed >= sessions
	}, patience, 500*time.Millisecond)
	return got
}

// inTurn returns the events of sessions as they come in: some of each.
func inTurn(sessions [][]events.Event) (all []events.Event) {
	for n := 0; ; n++ {
		some := false
		for _, list := range sessions {
			if n < len(list) {
				all, some = append(all, list[n]), true
			}
		}
		if !some {
			return all
		}
	}
}

// A system is backed up while 100 turns a second come in, the backup killed again and again;
// then the system is lost. What is restored, killed again and again too, decides the rest as
// the model does: nothing twice, nothing missing, and what was decided before in the same words.
func TestBackupAndRestoreUnderLoadWithKills(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	i := install(t)
	mix := workload.Mix(41, proofs.Size(6, 40), proofs.Size(60, 150))
	mix.MedianBytes, mix.P90Bytes = 1500, 6000
	mix.Secret, mix.Reread, mix.Creep = 0.15, 0.4, 0.25
	work := workload.Make(mix).Sessions
	list := inTurn(work)
	broker := i.start(i.file("data"))
	send, err := publish.New(broker.Conn())
	require.NoError(t, err)
	began, published, backedUp := time.Now(), make(chan error, 1), make(chan struct{})
	held := len(list) - len(list)/10 // so that something is decided after the last backup, however long backups take
	go func() {
		for n, e := range list {
			if n == held {
				<-backedUp
			}
			time.Sleep(time.Until(began.Add(time.Duration(n) * 10 * time.Millisecond))) // 100/s
			if err := send.Send(t.Context(), e); err != nil {
				published <- err
				return
			}
		}
		published <- nil
	}()
	dir, kills := i.file("backup"), 0
	takes := i.timed(func() { i.must("backup", dir, "--operator", i.key("operator")) })
	for try := 0; try < proofs.Size(4, 40) || kills == 0; try++ {
		if after := 1 + rand.N(takes); i.killed(after, "backup", dir, "--operator", i.key("operator")) {
			takes = after // it was done sooner: only what is new is copied
		} else {
			kills++
		}
		b, err := backup.Open(dir, nil)
		require.NoError(t, err, "try %d", try)
		report, err := b.Verify(t.Context(), backup.Reading{})
		require.NoError(t, err, "try %d", try)
		require.True(t, report.Verified, report.Findings)
	}
	t.Log(i.must("backup", dir, "--operator", i.key("operator")))
	close(backedUp)
	require.NoError(t, <-published)
	t.Logf("%d events in %s, backup killed %d times", len(list), time.Since(began).Round(time.Millisecond), kills)
	require.NoError(t, send.Close())
	before := i.decided(broker, len(work))
	i.must("anchor", "--out", i.file("last.anchor"))
	broker.Conn().Close()
	i.kill()

	restored, kills := i.file("restored"), 0
	takes = i.timed(func() { i.must("restore", dir, "--data", i.file("other"), "--operator", i.key("operator")) })
	for try := 0; try < proofs.Size(3, 30) || kills == 0; try++ {
		if after := 1 + rand.N(takes); i.killed(after, "restore", dir, "--data", restored, "--operator", i.key("operator")) {
			takes = after
			require.NoError(t, os.RemoveAll(restored))
			continue
		}
		kills++
		if _, err := os.Stat(restored); err == nil { // killed after it was moved to its place, which is the last step
			i.start(restored).Conn().Close()
			require.Contains(t, i.must("verify"), "verified:", "it is not at its place before it is complete")
			i.kill()
			require.NoError(t, os.RemoveAll(restored))
		}
	}
	out := i.must("restore", dir, "--data", restored, "--operator", i.key("operator"), "--anchor", i.file("last.anchor"))
	require.Regexp(t, `DECISIONS: messages \d+ to \d+ came after the backup`, out)
	broker = i.start(restored)
	send, err = publish.New(broker.Conn())
	require.NoError(t, err)
	for _, e := range list { // publishers send again
		require.NoError(t, send.Send(t.Context(), e))
	}
	require.NoError(t, send.Close())
	after := i.decided(broker, len(work))
	core, differences, compared := newCore(t), 0, 0
	for _, session := range work {
		group := session[0].Group()
		chain := core.Chain()
		var want []events.Event
		for _, e := range session {
			e.PartitionKey = e.Group() // as the publisher sends it
			want = append(want, chain.Feed(e)...)
		}
		for _, have := range [][]events.Event{before[group], after[group]} {
			compared += len(have)
			if got, model := words(t, have), words(t, want); !slices.Equal(got, model) {
				differences++
				t.Errorf("%s: %d decisions, the model has %d; the first that differs:\n%s", group, len(got), len(model), firstDifference(got, model))
			}
		}
	}
	t.Logf("restore killed %d times; %d decisions compared, %d sessions differ", kills, compared, differences)
	require.Contains(t, i.must("verify"), "verified:")
	require.Contains(t, i.must("replay"), ", 0 differ")
}

func firstDifference(got, want []string) string {
	for n := range max(len(got), len(want)) {
		switch {
		case n >= len(got):
			return fmt.Sprintf("%d is missing: %.400s", n, want[n])
		case n >= len(want):
			return fmt.Sprintf("%d is one too many: %.400s", n, got[n])
		case got[n] != want[n]:
			return fmt.Sprintf("%d: %.600s\nmodel: %.600s", n, got[n], want[n])
		}
	}
	return ""
}

// words returns events as written, without timers, whose time is the broker's.
func words(t *testing.T, list []events.Event) (all []string) {
	t.Helper()
	for _, e := range list {
		if e.Type == events.TypeTimerSet {
			continue
		}
		data, err := events.MarshalStructured(e)
		require.NoError(t, err)
		all = append(all, string(data))
	}
	return all
}
