package vitals

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"golang.org/x/sync/errgroup"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/topology"
)

const (
	// patience bounds one request. A leader is elected in less, as a rule; one that is
	// not means that writes fail now.
	patience = 2 * time.Second
	// silence is how long a leader may hear nothing of a replica: the broker's raft
	// sends a heartbeat every second.
	silence = 4 * time.Second
	// skew is by how much this machine's clock may differ from the broker's.
	skew = 2 * time.Second
)

// Stream is one stream as it was found.
type Stream struct {
	Name     string
	Leader   bool
	Replicas int // as the stream is configured
	Current  int // of them, the leader included
	Bytes    uint64
	MaxBytes int64 // -1: no limit
	// LastWrite is when the stream last accepted a message, by the broker's clock.
	LastWrite time.Time
	Faults    []Fault
}

// Found is the result of a look.
type Found struct {
	Streams []Stream
	// ClockAhead is by how much this machine's clock is ahead of the broker's; Clock is
	// false where no stream answered.
	ClockAhead time.Duration
	Clock      bool
	Faults     []Fault // of the system, not of one stream
}

// All returns all faults, those of streams first.
func (f Found) All() []Fault {
	var all []Fault
	for _, s := range f.Streams {
		all = append(all, s.Faults...)
	}
	return append(all, f.Faults...)
}

// wanted is what a stream must be like.
type wanted struct {
	name        string
	replicas    int
	storage     jetstream.StorageType
	compression *jetstream.StoreCompression // nil: any
	subjects    []string
}

// want returns what the topology says about streams, of all without names. Buckets are
// named as their streams are.
func want(t topology.Topology, names []string) []wanted {
	var all []wanted
	for _, c := range t.Streams() {
		all = append(all, wanted{c.Name, c.Replicas, c.Storage, &c.Compression, c.Subjects})
	}
	for _, c := range t.Buckets() {
		all = append(all, wanted{"KV_" + c.Bucket, c.Replicas, c.Storage, nil, []string{"$KV." + c.Bucket + ".>"}})
	}
	if len(names) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(w wanted) bool { return !slices.Contains(names, w.name) })
}

// Look looks up streams of a topology, all without names. It changes nothing and never
// takes longer than two requests may.
func Look(ctx context.Context, js jetstream.JetStream, t topology.Topology, names ...string) Found {
	list := want(t, names)
	found := Found{Streams: make([]Stream, len(list))}
	clocks := make([]*time.Duration, len(list))
	var group errgroup.Group
	group.SetLimit(4)
	for i, w := range list {
		group.Go(func() error {
			found.Streams[i], clocks[i] = look(ctx, js, w)
			return nil
		})
	}
	_ = group.Wait()
	for _, ahead := range clocks {
		if ahead != nil && (!found.Clock || ahead.Abs() < found.ClockAhead.Abs()) {
			found.ClockAhead, found.Clock = *ahead, true
		}
	}
	if f := clockFault(found.ClockAhead); f != nil {
		found.Faults = append(found.Faults, *f)
	}
	if version := js.Conn().ConnectedServerVersion(); version != "" && !AtomicBatches(version) {
		found.Faults = append(found.Faults, Fault{OldServer, "", fmt.Sprintf("nats-server %s has no atomic batches; 2.12 or newer is needed", version)})
	}
	return found
}

// clockFault says that the clocks differ by more than they may; nil if they do not.
func clockFault(ahead time.Duration) *Fault {
	if ahead.Abs() <= skew {
		return nil
	}
	how := "ahead of"
	if ahead < 0 {
		how = "behind"
	}
	return &Fault{
		ClockOff, "",
		fmt.Sprintf("this machine's clock is %s %s the broker's: timers, ages and working hours are off by that", ahead.Abs().Round(time.Millisecond), how),
	}
}

// AtomicBatches reports whether a server version is 2.12 or newer.
func AtomicBatches(version string) bool {
	var major, minor int
	if n, _ := fmt.Sscanf(version, "%d.%d", &major, &minor); n < 2 {
		return false
	}
	return major > 2 || major == 2 && minor >= 12
}

// look looks up one stream; ahead is by how much this machine's clock is ahead, nil if
// that cannot be told.
func look(ctx context.Context, js jetstream.JetStream, w wanted) (s Stream, ahead *time.Duration) {
	s = Stream{Name: w.name, Replicas: w.replicas, MaxBytes: -1}
	info, before, err := lookUp(ctx, js, w.name)
	if err != nil {
		f := unanswered(w.name, "look up "+w.name, err)
		if f.Kind == StreamMissing {
			f.Text = fmt.Sprintf("the stream %s does not exist%s; `scaffoldwatch streams init` makes it", w.name, owner(ctx, js, w))
		}
		s.Faults = append(s.Faults, f)
		return s, nil
	}
	if took := time.Since(before); took < skew/2 {
		d := before.Add(took / 2).Sub(info.TimeStamp)
		ahead = &d
	}
	c := info.Config
	s.Leader, s.Replicas, s.Current = true, c.Replicas, 1
	s.Bytes, s.MaxBytes, s.LastWrite = info.State.Bytes, c.MaxBytes, info.State.LastTime
	s.Faults = append(s.Faults, s.reach(info)...)
	s.Faults = append(s.Faults, differs(w, info)...)
	return s, ahead
}

// lookUp asks twice where nobody answers: an election lasts about that long.
func lookUp(
	ctx context.Context, js jetstream.JetStream, name string,
) (info *jetstream.StreamInfo, before time.Time, err error) {
	for range 2 {
		asked, cancel := context.WithTimeout(ctx, patience)
		before = time.Now()
		last := js.Conn().LastError()
		var stream jetstream.Stream
		if stream, err = js.Stream(asked, name); err == nil {
			info = stream.CachedInfo()
		}
		cancel()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			break
		}
		if denied := deniedSince(js.Conn(), last, `"$JS.API.STREAM.INFO.`); denied != nil {
			return nil, before, denied // what is denied gets no answer
		}
	}
	return info, before, err
}

// Reached returns how many replicas of a stream its leader hears, itself included, and how many a write needs. It is
// none without a leader: a server that was left alone answers then, with what it holds.
func Reached(info *jetstream.StreamInfo) (reached, majority int) {
	majority = info.Config.Replicas/2 + 1
	switch {
	case info.Cluster == nil:
		return majority, majority
	case info.Cluster.Leader == "":
		return 0, majority
	}
	reached = 1
	for _, r := range info.Cluster.Replicas {
		if alive(r) {
			reached++
		}
	}
	return reached, majority
}

func alive(r *jetstream.PeerInfo) bool { return !r.Offline && r.Active < silence }

// reach counts the replicas that the leader reaches.
func (s *Stream) reach(info *jetstream.StreamInfo) (faults []Fault) {
	if info.Cluster == nil {
		return nil
	}
	if info.Cluster.Leader == "" {
		s.Leader, s.Current = false, 0
	}
	var behind []string
	for _, r := range info.Cluster.Replicas {
		if alive(r) && r.Current {
			s.Current++
			continue
		}
		behind = append(behind, described(r))
	}
	reached, majority := Reached(info)
	switch {
	case !s.Leader:
		return []Fault{{NoLeader, s.Name, s.Name + " has no leader: nothing can be written to it or read from it"}}
	case reached < majority:
		return []Fault{{NoQuorum, s.Name, fmt.Sprintf("%s has %d of %d replicas in reach, and a write needs %d: %s", s.Name, reached, s.Replicas, majority, strings.Join(behind, ", "))}}
	case len(behind) > 0:
		faults = append(faults, Fault{ReplicaBehind, s.Name, fmt.Sprintf("%s has %d of %d replicas current: %s", s.Name, s.Current, s.Replicas, strings.Join(behind, ", "))})
	}
	return faults
}

func described(r *jetstream.PeerInfo) string {
	switch {
	case r.Offline:
		return r.Name + " is offline"
	case r.Active >= silence:
		return fmt.Sprintf("%s is silent for %s", r.Name, r.Active.Round(time.Second))
	}
	return fmt.Sprintf("%s lacks %d entries", r.Name, r.Lag)
}

// differs says in what a stream is not as it must be.
func differs(w wanted, info *jetstream.StreamInfo) (faults []Fault) {
	c := info.Config
	fault := func(kind Kind, format string, args ...any) {
		faults = append(faults, Fault{kind, w.name, fmt.Sprintf(format, args...)})
	}
	ours := slices.ContainsFunc(w.subjects, func(s string) bool { return slices.Contains(c.Subjects, s) })
	switch {
	case !ours || c.Retention != jetstream.LimitsPolicy || c.Storage != w.storage || c.Mirror != nil:
		fault(ForeignStream, "%s is a stream of something else: its subjects, its retention or its storage are not those of scaffoldwatch; `scaffoldwatch streams init` lists what differs", w.name)
		return faults
	case c.Sealed:
		fault(ReadOnly, "%s is sealed: it accepts nothing, for ever", w.name)
	default:
		if kind, text := room(&c, &info.State); kind != "" {
			fault(kind, "%s %s", w.name, text)
		}
	}
	if c.MaxConsumers > 0 && info.State.Consumers >= c.MaxConsumers {
		fault(ConsumerLimit, "%s has %d consumers, as many as it admits: nobody else can read it", w.name, info.State.Consumers)
	}
	if c.Replicas != w.replicas {
		fault(WrongReplicas, "%s has %d replicas, streams.replicas is %d; `scaffoldwatch streams init --apply` adds replicas", w.name, c.Replicas, w.replicas)
	}
	if w.compression != nil && c.Compression != *w.compression {
		fault(WrongCompression, "%s has compression %s, wanted %s; `scaffoldwatch streams init --apply` changes it", w.name, c.Compression, *w.compression)
	}
	return faults
}

// room says that a stream is at its limit in bytes or messages, or near it. An intake,
// which is one for a window of time, is none (`doctor` names those).
func room(c *jetstream.StreamConfig, state *jetstream.StreamState) (kind Kind, text string) {
	maxMessages := c.MaxMsgs
	if topology.IsIntake(c.Name) {
		maxMessages = -1
	}
	full := c.MaxBytes > 0 && state.Bytes >= uint64(c.MaxBytes)-min(uint64(c.MaxBytes)/100, 64<<10) ||
		maxMessages > 0 && state.Msgs >= uint64(maxMessages)
	var limits []string
	if c.MaxBytes > 0 {
		limits = append(limits, fmt.Sprintf("%d of %d bytes", state.Bytes, c.MaxBytes))
	}
	if maxMessages > 0 {
		limits = append(limits, fmt.Sprintf("%d of %d messages", state.Msgs, maxMessages))
	}
	held := "holds " + strings.Join(limits, " and ")
	switch {
	case full && c.Discard == jetstream.DiscardNew:
		return StreamFull, held + " and accepts no more until older messages expire; raise its limit"
	case Filled(state.Bytes, c.MaxBytes, state.Msgs, maxMessages) <= NearlyFull:
		return "", ""
	case c.Discard == jetstream.DiscardNew:
		return StreamNearlyFull, held + "; at its limit it accepts no more until older messages expire"
	}
	return StreamNearlyFull, held + "; at its limit it drops the oldest"
}

// owner names the stream that has the subjects of a missing one.
func owner(ctx context.Context, js jetstream.JetStream, w wanted) string {
	for _, subject := range w.subjects {
		asked, cancel := context.WithTimeout(ctx, patience)
		name, err := js.StreamNameBySubject(asked, subject)
		cancel()
		if err == nil && name != w.name {
			return fmt.Sprintf(", and the stream %s has its subject %s", name, subject)
		}
		if err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return "" // the names are an administrator's to list
		}
	}
	return ""
}
