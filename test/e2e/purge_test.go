package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/publish"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// The words of the run that is erased, of another one, and of a session without a run that is also erased.
// No word is part of an id, because ids stay in the tombstone.
const (
	erasedWord = "quagmirewort"
	keptWord   = "kestrelbloom"
	aloneWord  = "thistlemarrow"
)

// spoken returns a session whose words are in its request, plan, files, commands and output. It is
// interrupted for its stuck loop and its unrequested feature.
func spoken(session, run, word string, at time.Time) []events.Event {
	agent := sessionevents.Agent{ID: "maker", Kind: "claude-code"}
	event := func(typ events.Type, id string, data any) events.Event {
		at = at.Add(time.Second)
		return events.Event{ID: session + "-" + id, Source: "/test", Type: typ, Subject: session, PartitionKey: run, Time: at, Data: data}
	}
	list := []events.Event{event(sessionevents.TypeSessionOpened, "opened", &sessionevents.SessionOpened{
		Session: session, Run: run, Agent: &agent, Workspace: "/srv/" + word, Task: "Export the " + word + " list as CSV",
	})}
	for n := 1; n <= 12; n++ {
		failed := true
		input := fmt.Sprintf(`{"command":"go test ./%s/..."}`, word)
		t := &sessionevents.Turn{Session: session, TurnID: fmt.Sprintf("t%02d", n), Run: run, Agent: agent, Format: "blocks", Blocks: []sessionevents.Block{
			{Type: sessionevents.BlockText, Text: fmt.Sprintf("I'll also add a dashboard for %s with charts, although nobody asked for it.", word)},
			{Type: sessionevents.BlockToolCall, ID: "e", Name: "Write", Input: json.RawMessage(fmt.Sprintf(`{"file_path":"/srv/app/%s_%d.py","content":"def %s():\n    return eval(input())\n"}`, word, n, word))},
			{Type: sessionevents.BlockToolResult, ID: "e", Output: "File created successfully"},
			{Type: sessionevents.BlockToolCall, ID: "c", Name: "Bash", Input: json.RawMessage(input)},
			{Type: sessionevents.BlockToolResult, ID: "c", Output: "FAIL " + word + ": no such package", IsError: &failed},
		}}
		if n == 1 {
			t.Blocks = slices.Insert(t.Blocks, 0, sessionevents.Block{Type: sessionevents.BlockUser, Text: "Export the " + word + " list as CSV."})
		}
		list = append(list, event(sessionevents.TypeTurnRaw, t.TurnID, t))
	}
	return append(list, event(sessionevents.TypeSessionClosed, "closed", &sessionevents.SessionClosed{Session: session, Reason: word + " done"}))
}

// stopped returns a run with its own sessions that keeps failing until it is stopped.
func stopped(run, word string, at time.Time) (list []events.Event) {
	orchestrator := runevents.Actor{Kind: "orchestrator", ID: "loop"}
	add := func(typ events.Type, data any) {
		at = at.Add(time.Second)
		list = append(list, events.Event{ID: fmt.Sprintf("%s-%d", run, len(list)), Source: "/test", Type: typ, Subject: run, Time: at, Data: data})
	}
	add(runevents.TypeRunStarted, &runevents.RunStarted{Actor: orchestrator, Kind: "build", Goal: "Export the " + word + " list"})
	for _, letter := range []string{"a", "b"} {
		list = append(list, spoken(run+"-"+letter, run, word, at)...)
	}
	for range 3 {
		add(runevents.TypeAgentCompleted, &runevents.AgentCompleted{Actor: orchestrator, AgentID: "maker", Outcome: "failure", Output: "the " + word + " list is empty"})
	}
	return list
}

// holding returns the files that contain a word, as they are or unpacked.
func (i *installed) holding(word string) (names []string) {
	i.t.Helper()
	unpack, err := zstd.NewReader(nil)
	require.NoError(i.t, err)
	defer unpack.Close()
	eachFile(i.t, i.home, func(path string, data []byte) {
		if plain, err := unpack.DecodeAll(data, nil); err == nil {
			data = append(data, plain...)
		}
		if bytes.Contains(data, []byte(word)) {
			name, _ := filepath.Rel(i.home, path)
			names = append(names, name)
		}
	})
	return names
}

// places returns the parts of an installation to which the files belong.
func places(names []string) (all []string) {
	for _, name := range names {
		parts := strings.Split(filepath.ToSlash(name), "/")
		if at := slices.Index(parts, "msgs"); at > 0 {
			parts = parts[at-1 : at] // of the broker, each stream
		} else if parts[0] == "data" {
			parts = parts[:2]
		} else {
			parts = parts[:1]
		}
		all = append(all, strings.Join(parts, "/"))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// interrupted runs a purge and kills it as soon as so returns true.
func (i *installed) interrupted(where string, so func() bool, args ...string) {
	i.t.Helper()
	c := i.command(args...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	require.NoError(i.t, c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	for !so() {
		select {
		case err := <-ended:
			i.t.Fatalf("the purge ended before %s: %v\n%s", where, err, &out)
		default:
		}
	}
	require.NoError(i.t, c.Process.Kill(), where)
	require.Error(i.t, <-ended, "it is killed, not done")
}

// killedAt are the places in which a purge is killed, each of a run of its own.
var killedAt = []struct {
	name  string
	so    func(i *installed, b *nats.Broker, run string, before map[string]uint64) bool
	lost  bool   // the system is killed too, and its read model is lost
	says  string // by `verify` and `doctor --audit` until it is finished
	again string // by the same purge, run again
}{
	{
		name: "announced", so: func(i *installed, b *nats.Broker, _ string, before map[string]uint64) bool {
			return i.stored(b, "INPUT") > before["INPUT"]
		}, says: `nightly-announced: "mara" announced its purge .* nothing is erased; .*scaffoldwatch purge nightly-announced`,
		again: "erased nightly-announced",
	},
	{name: "tombstone", so: func(i *installed, b *nats.Broker, run string, _ map[string]uint64) bool {
		return i.tombstones(b, run) >= 2
	}, lost: true},
	{
		name: "INPUT", so: fewer("INPUT"), says: `nightly-input: not erased yet by "mara" .*SEGMENTS`,
		again: "An earlier purge of it was interrupted.",
	},
	{name: "SEGMENTS", so: fewer("SEGMENTS"), lost: true},
	{
		name: "SIGNALS", so: fewer("SIGNALS"), says: `nightly-signals: not erased yet by "mara" .*SIGNALS`,
		again: "An earlier purge of it was interrupted.",
	},
	{name: "DECISIONS", so: fewer("DECISIONS"), lost: true},
}

// fewer reports whether messages of a stream are erased.
func fewer(stream string) func(i *installed, b *nats.Broker, run string, before map[string]uint64) bool {
	return func(i *installed, b *nats.Broker, _ string, before map[string]uint64) bool {
		return i.stored(b, stream)+3 < before[stream]
	}
}

// What is erased is found nowhere: not in the streams, the read model, reports, pending notifications,
// logs, or a later backup, although the purge, and the system itself, were killed at every step of it
// (AU-40).
func TestAPurgeThatIsKilledLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("kills many processes")
	}
	t.Setenv("E2E_OPS", "http://127.0.0.1:1/nobody") // messages are pending
	i := install(t)
	require.NoError(t, os.WriteFile(i.file("notify.yaml"), []byte("channels:\n  - {id: ops, kind: slack, url: $E2E_OPS}\noperator: {channels: [ops], group_wait: 100ms, group_interval: 1s}\n"), 0o600))
	settings, err := os.ReadFile(i.file("config.yaml"))
	require.NoError(t, err)
	settings = fmt.Appendf(settings, "notify: {file: %s}\nreports: {directory: %s}\nlog: {level: debug}\n", i.file("notify.yaml"), i.file("reports"))
	require.NoError(t, os.WriteFile(i.file("config.yaml"), settings, 0o600))
	broker := i.start(i.file("data"))
	at := time.Now().Add(-time.Hour)
	send, err := publish.New(broker.Conn())
	require.NoError(t, err)
	lists := [][]events.Event{stopped("weekly", keptWord, at), spoken("alone", "", aloneWord, at)}
	for _, step := range killedAt {
		lists = append(lists, stopped("nightly-"+strings.ToLower(step.name), erasedWord, at))
	}
	for _, list := range lists {
		for _, e := range list {
			require.NoError(t, send.Send(t.Context(), e))
		}
	}
	require.NoError(t, send.Close())
	i.decided(broker, 3+2*len(killedAt))
	i.must("backup", i.file("before"), "--operator", i.key("operator"))
	everywhere := []string{"DECISIONS", "INPUT", "SEGMENTS", "SIGNALS", "before", "data/notify.json", "data/reports.db", "reports"}
	for _, word := range []string{erasedWord, keptWord} {
		require.Eventually(t, func() bool {
			found := places(i.holding(word))
			return !slices.ContainsFunc(everywhere, func(place string) bool {
				return !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, place) })
			})
		}, patience, 500*time.Millisecond, "the control: a search that finds nothing before finds nothing afterwards; %v", places(i.holding(word)))
	}
	t.Log("before:", places(i.holding(erasedWord)))

	for _, step := range killedAt {
		run := "nightly-" + strings.ToLower(step.name)
		purge := []string{"purge", run, "--why", "request 4711", "--by", "mara", "--operator", i.key("operator"), "--yes"}
		before := map[string]uint64{}
		for _, stream := range []string{"INPUT", "SEGMENTS", "SIGNALS", "DECISIONS"} {
			before[stream] = i.stored(broker, stream)
		}
		i.interrupted(step.name, func() bool { return step.so(i, broker, run, before) }, purge...)
		out := i.must("verify")
		require.Contains(t, out, "verified:")
		t.Log(step.name, before, lastLine(out))
		if !step.lost {
			require.Eventually(t, func() bool { // the stages may not have read the announcement yet
				return regexp.MustCompile(step.says).MatchString(i.must("verify"))
			}, patience, 200*time.Millisecond)
			require.Regexp(t, step.says, i.fails("doctor", "--audit"))
			require.Contains(t, i.must(purge...), step.again)
			require.Contains(t, i.must(purge...), "nothing of it is left", "as often as one likes")
			continue
		}
		i.settled(broker) // a broker that is killed while it erases a message keeps it: docs/audit.md
		broker.Conn().Close()
		i.kill()
		for _, file := range []string{"", "-wal", "-shm"} { // the read model is rebuilt
			_ = os.Remove(i.file("data/reports.db" + file))
		}
		broker = i.start(i.file("data")) // and nobody runs the purge again
		require.Eventually(t, func() bool {
			out = i.must("verify")
			return strings.Contains(out, run+": erased by") && !strings.Contains(out, "not erased yet")
		}, patience, 200*time.Millisecond, "up finishes it from the record alone")
	}
	require.NotContains(t, i.must("purge", "alone", "--why", "request 4712", "--by", "mara", "--operator", i.key("operator"), "--yes"), "interrupted")
	i.must("backup", i.file("after"), "--operator", i.key("operator"))
	for _, word := range []string{erasedWord, aloneWord} {
		for deadline := time.Now().Add(patience); !slices.Equal(places(i.holding(word)), []string{"before"}) && time.Now().Before(deadline); {
			time.Sleep(200 * time.Millisecond)
		}
		require.Equal(t, []string{"before"}, places(i.holding(word)), "only the backup from before holds it")
	}
	kept := places(i.holding(keptWord))
	for _, place := range append(everywhere, "after") {
		require.True(t, slices.ContainsFunc(kept, func(f string) bool { return strings.HasPrefix(f, place) }), "the other run is kept: %s in %v", place, kept)
	}
	i.uncontrolled(broker, "nightly")
	require.Contains(t, i.must("doctor", "--audit"), "chain intact")
	out := i.must("verify")
	require.Equal(t, len(killedAt)+1, strings.Count(out, "chain intact"), out)
	require.Contains(t, i.must("replay"), ", 0 differ")
	i.must("backup", i.file("before"), "--operator", i.key("operator"))
	require.Empty(t, i.holding(erasedWord), "a backup into the same directory removes it there")
}

// What is purged may also be in groups of its own: a session whose events named their run only later, or a subagent's.
// A run that the session joined is another matter: it is erased only if that is asked for.
func TestAPurgeErasesWhatOtherGroupsHold(t *testing.T) {
	if testing.Short() {
		t.Skip("starts services")
	}
	i := install(t)
	broker := i.start(i.file("data"))
	at := time.Now().Add(-time.Hour)
	lists := [][]events.Event{
		stopped("nightly", erasedWord, at), spoken("nightly-a", "", erasedWord, at), // without its run
		spoken("nightly-b-agent-scout", "", erasedWord, at), spoken("alone-agent-scout", "", aloneWord, at),
		spoken("alone", "", aloneWord, at), spoken("alone", "joined", aloneWord, at), stopped("weekly", keptWord, at),
	}
	send, err := publish.New(broker.Conn())
	require.NoError(t, err)
	for n, list := range lists {
		for _, e := range list {
			e.ID += fmt.Sprintf("-%d", n)
			require.NoError(t, send.Send(t.Context(), e))
		}
	}
	require.NoError(t, send.Close())
	i.decided(broker, 9)
	purge := func(id string, flags ...string) []string {
		return append([]string{"purge", id, "--why", "request 4713", "--by", "mara", "--operator", i.key("operator"), "--yes"}, flags...)
	}
	require.Contains(t, i.must(purge("nightly", "--dry-run")...), "; nightly-a: ")
	out := i.must(purge("nightly")...)
	require.Regexp(t, `erased nightly: .*; nightly-a: .*; nightly-b-agent-scout: `, out)
	require.Empty(t, i.recorded(broker, erasedWord), out)
	require.Contains(t, i.must(purge("nightly")...), "nothing of it is left")

	require.Contains(t, i.fails(purge("alone")...), "session alone is also part of run joined")
	require.NotEmpty(t, i.recorded(broker, aloneWord), "nothing is erased by halves")
	require.Regexp(t, `erased alone: .*; alone-agent-scout: .*; joined: `, i.must(purge("alone", "--linked")...))
	require.Empty(t, i.recorded(broker, aloneWord))
	require.NotEmpty(t, i.recorded(broker, keptWord))
	require.Contains(t, i.must("verify"), "verified:")
}

// recorded returns the subjects of the messages of all streams that contain a word.
func (i *installed) recorded(b *nats.Broker, word string) (subjects []string) {
	i.t.Helper()
	for _, name := range []string{"INPUT", "SEGMENTS", "SIGNALS", "DECISIONS", "DEADLETTER", "TIMERS"} {
		stream, err := b.JetStream().Stream(i.t.Context(), name)
		require.NoError(i.t, err)
		state := stream.CachedInfo().State
		for sequence := max(state.FirstSeq, 1); sequence <= state.LastSeq; sequence++ {
			m, err := stream.GetMsg(i.t.Context(), sequence)
			if errors.Is(err, jetstream.ErrMsgNotFound) {
				continue
			}
			require.NoError(i.t, err)
			if bytes.Contains(m.Data, []byte(word)) {
				subjects = append(subjects, name+" "+m.Subject)
			}
		}
	}
	return subjects
}

// uncontrolled waits until a run has no control state left, while the services run.
func (i *installed) uncontrolled(b *nats.Broker, run string) {
	i.t.Helper()
	bucket, err := b.JetStream().KeyValue(i.t.Context(), "CONTROL")
	require.NoError(i.t, err)
	require.Eventually(i.t, func() bool {
		keys, err := bucket.Keys(i.t.Context())
		return errors.Is(err, jetstream.ErrNoKeysFound) || err == nil && !slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(key, run) })
	}, patience, 50*time.Millisecond)
}

// stored returns the number of messages in a stream.
func (i *installed) stored(b *nats.Broker, name string) uint64 {
	stream, err := b.JetStream().Stream(i.t.Context(), name)
	require.NoError(i.t, err)
	return stream.CachedInfo().State.Msgs
}

// settled waits until a broker has done what a killed process requested last.
func (i *installed) settled(b *nats.Broker) {
	for last := -1; ; time.Sleep(100 * time.Millisecond) {
		sum := 0
		for _, stream := range []string{"INPUT", "SEGMENTS", "SIGNALS", "DECISIONS"} {
			sum += int(i.stored(b, stream))
		}
		if sum == last {
			return
		}
		last = sum
	}
}

// tombstones returns the number of announcements and tombstones in DECISIONS.
func (i *installed) tombstones(b *nats.Broker, run string) (n uint64) {
	e := events.Event{Type: runevents.TypeContentPurged, Subject: run, PartitionKey: run}
	subject, err := subjects.StoredSubject(events.StreamDecisions, e, 4)
	require.NoError(i.t, err)
	stream, err := b.JetStream().Stream(i.t.Context(), "DECISIONS")
	require.NoError(i.t, err)
	info, err := stream.Info(i.t.Context(), jetstream.WithSubjectFilter(subject))
	require.NoError(i.t, err)
	return info.State.Subjects[subject]
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
