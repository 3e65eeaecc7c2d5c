package chain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/buildinfo"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/commit"
	natsprogress "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/progress"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	natsread "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/read"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// age is that of the streams in these tests.
const age = 6 * time.Second

// work publishes turns of some sessions for a while, and waits until the stages, which must
// run, have read all that they wrote.
func (s *system) work(d time.Duration, sessions ...string) {
	s.t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		s.turns++
		s.forgotten++
		s.publish(sessions[s.turns%len(sessions)], fmt.Sprintf("t%d", s.turns))
	}
	for _, stage := range stages { // in the order of the pipeline
		require.Eventually(s.t, func() bool {
			progress, err := natsprogress.Look(s.t.Context(), s.opened[stage], stage)
			return err == nil && !slices.ContainsFunc(progress, func(p natsprogress.Partition) bool { return p.Waiting > 0 })
		}, 5*time.Minute, 20*time.Millisecond, stage)
	}
	s.settled()
}

// settled waits until the stages have committed what follows from what they read: nothing was
// stored between two looks.
func (s *system) settled() {
	s.t.Helper()
	last := uint64(0)
	require.Eventually(s.t, func() bool {
		now := uint64(0)
		for _, name := range chain.Streams {
			stream, err := natsread.LookUp(s.t.Context(), s.opened["dispatcher"], name)
			if err != nil {
				return false
			}
			now += stream.Last
		}
		same := now == last
		last = now
		return same
	}, time.Minute, 200*time.Millisecond)
}

// workUntil goes on in turns of a while until a condition holds.
func (s *system) workUntil(d time.Duration, holds func(*copied) bool) *copied {
	s.t.Helper()
	for end := time.Now().Add(5 * time.Minute); ; {
		s.work(d, everybody...)
		c := s.copy()
		if holds(c) {
			return c
		}
		require.True(s.t, time.Now().Before(end), "the condition does not hold after five minutes")
	}
}

var everybody = []string{"s1", "s2", "s3", "s4", "s5", "s6", "s0"}

func retaining(t *testing.T, signed bool, keep time.Duration) *system {
	t.Helper()
	layout := kept(keep)
	layout.InputAge = keep
	return newSystemOf(t, signed, layout)
}

// eachPartition calls check with every partition that was reported.
func eachPartition(r *chain.Report, check func(chain.StreamReport, chain.PartitionReport)) {
	for _, s := range r.Streams {
		for _, p := range s.Partitions {
			check(s, p)
		}
	}
}

// begunLater requires a signed beginning in each partition.
func begunLater(t *testing.T, r *chain.Report) {
	t.Helper()
	found := 0
	eachPartition(r, func(s chain.StreamReport, p chain.PartitionReport) {
		found++
		require.Positive(t, p.Begins, "%s %d", s.Name, p.Partition)
		require.NotNil(t, p.Beginning, "%s %d", s.Name, p.Partition)
		require.Len(t, p.Beginning.Previous, 64)
		require.LessOrEqual(t, p.Beginning.Fence, p.Head.Sequence)
	})
	require.Equal(t, len(chain.Streams)*partitions, found)
	require.Contains(t, fmt.Sprint(r.Limits), "aged out")
	require.NotContains(t, fmt.Sprint(r.Limits), "no signed beginning")
}

// What the broker removes by its age leaves a chain with another beginning: signed, with the
// digest of what was before (AU-42).
func TestRetentionStaysProvable(t *testing.T) {
	for _, signed := range []bool{true, false} {
		t.Run(fmt.Sprintf("signed %v", signed), func(t *testing.T) {
			t.Parallel()
			s := retaining(t, signed, age)
			o := s.options()
			from := live{s.opened["dispatcher"]}
			stop := s.start()
			s.work(time.Second, everybody...)
			o.Anchors = append(o.Anchors, chain.NewAnchor(requireClean(t, from, o), time.Now()))
			s.work(age, everybody...)

			t.Log("aged out beside a live system")
			r := requireClean(t, from, o)
			begunLater(t, r)
			require.Positive(t, r.Anchors.Aged, "the anchor is from before the age-out")

			t.Log("two instances of each stage")
			second := s.start()
			s.work(age/2, everybody...)
			begunLater(t, requireClean(t, from, o))
			second()

			t.Log("partitions without work")
			s.work(age, "s1")
			begunLater(t, requireClean(t, from, o))
			time.Sleep(age)
			begunLater(t, requireClean(t, from, o))

			t.Log("restarted")
			stop()
			s.broker.Restart()
			time.Sleep(age / 8)
			stop = s.start()
			s.work(age/4, everybody...)
			begunLater(t, requireClean(t, from, o))
			o.Anchors = append(o.Anchors, chain.NewAnchor(requireClean(t, from, o), time.Now()))
			s.work(age/4, everybody...)
			begunLater(t, requireClean(t, from, o))
			if !signed {
				require.Contains(t, fmt.Sprint(requireClean(t, from, o).Limits), "consistent, not authentic")
			}
			stop()
		})
	}
}

// The broker removes the oldest messages also while they are read: the checkpoint of a batch
// can be gone when its first messages were read before.
func TestABatchThatAgesOutWhileItIsReadIsNotForged(t *testing.T) {
	s := newSystemOf(t, true, kept(time.Hour))
	s.feed(40)
	whole := s.copy()
	for _, name := range chain.Streams {
		list := whole.messages[name]
		batches := whole.batches(name, busy)
		require.Greater(t, len(batches), 3)
		for _, which := range []int{0, 2, len(batches) - 1} {
			t.Run(fmt.Sprintf("%s, batch %d", name, which), func(t *testing.T) {
				b := batches[which]
				require.Positive(t, b.end-b.first)
				read := list[:b.end]
				if which == 2 {
					read = list[b.first:b.end]
				}
				c := whole.clone()
				c.messages[name] = append(slices.Clone(read), list[b.end+1:]...)
				of := c.streams[name]
				of.MaxAge = time.Hour
				of.Created = of.Created.Add(-2 * of.MaxAge)
				of.Now = list[b.end].Time.Add(of.MaxAge)
				c.streams[name] = of
				requireClean(t, c, s.options())
				of.Now = list[b.first].Time.Add(of.MaxAge / 2)
				c.streams[name] = of
				require.False(t, verify(t, c, s.options()).Verified, "half as old, it was removed")
			})
		}
	}
}

// Whoever writes to the broker's disk can date a message, but not before those in front of it:
// a forged event does not count as one whose batch aged out.
func TestAForgedEventWithAnOldDateIsFound(t *testing.T) {
	s := newSystemOf(t, true, kept(time.Hour))
	s.feed(40)
	for _, name := range chain.Streams {
		c := &scene{copied: s.copy(), t: t}
		m := *c.at(c.nth(name, busy, 0), 0)
		m.Data = []byte(`{"forged":true}`)
		sequence := c.add(name, m)
		list := c.messages[name]
		list[len(list)-1].Time = m.Time.Add(-2 * time.Hour)
		of := c.streams[name]
		of.MaxAge, of.Created = time.Hour, of.Created.Add(-24*time.Hour)
		c.streams[name] = of
		r := verify(t, c.copied, s.options())
		require.Len(t, r.Findings, 1, "%s: %v", name, r.Findings)
		require.Equal(t, place{chain.ForgedEvent, name, busy, sequence}, placeOf(r.Findings[0]))
	}
}

// observed counts what a broker's stages report.
type observed struct {
	sync.Mutex
	reasons map[string]int
}

func (o *observed) Skipped(_ string, _ int, reason string, _ uint64) {
	o.Lock()
	defer o.Unlock()
	o.reasons[reason]++
}

// A head that is cut before its age is found: at once, with an anchor, after the stages
// have gone on, and also if the stream's age was changed for it.
func TestACutHeadIsNotAgedOut(t *testing.T) {
	for _, how := range []string{"purged", "by a shorter age"} {
		for _, signed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, signed %v", how, signed), func(t *testing.T) {
				t.Parallel()
				// On a busy machine what was cut can reach its age before it is looked at, and no
				// longer proves anything: a longer age leaves more time for that.
				for kept := age; !cutHead(t, how, signed, kept); kept *= 2 {
					require.Less(t, kept, 16*age, "what was cut ages out before it is looked at")
				}
			})
		}
	}
}

// cutHead cuts SIGNALS in a system that keeps its events for a while, and requires that it is
// found. It reports false if what was cut would have aged out by then.
func cutHead(t *testing.T, how string, signed bool, keep time.Duration) bool {
	t.Helper()
	s := retaining(t, signed, keep)
	seen := &observed{reasons: map[string]int{}}
	for stage, b := range s.opened {
		s.opened[stage] = b.Observed(seen)
	}
	o := s.options()
	stop := s.start()
	s.work(keep+keep/4, everybody...)
	begunLater(t, requireClean(t, s.copy(), o))
	before := requireClean(t, live{s.opened["dispatcher"]}, o)
	stop()
	whole := s.copy()

	if how == "purged" {
		stream, err := s.opened["dispatcher"].JetStream().Stream(t.Context(), string(signals))
		require.NoError(t, err)
		require.NoError(t, stream.Purge(t.Context(), jetstream.WithPurgeSequence(before.Streams[1].Last-5)))
	} else {
		s.shorten(signals, keep/4)
	}
	cut := s.copy()
	stop = s.start()
	s.work(age/8, everybody...)
	later := s.copy()
	stop()
	if !provable(whole, cut, later.streams[signals].Now.Add(keep/4-keep)) {
		return false
	}
	requireCut(t, verify(t, cut, o), before)
	requireCut(t, verify(t, later, o), before)
	o.Anchors = []chain.Anchor{chain.NewAnchor(before, time.Now())}
	requireCut(t, verify(t, cut, o), before)
	requireCut(t, verify(t, later, o), before)
	require.Positive(t, seen.reasons[proof.ReasonCut], "the stage signs no beginning after the cut, and says so: %v", seen.reasons)
	require.Zero(t, seen.reasons[proof.ReasonErased])
	return true
}

// provable reports whether each partition of SIGNALS has a checkpoint left, and lost one that is younger than a
// time: nothing else shows that it was removed before its age. The time leaves room for milestones, which a busy
// stage signs less often.
func provable(whole, cut *copied, after time.Time) bool {
	checkpoint := func(p int) func(proof.Message) bool {
		return func(m proof.Message) bool { of, is := proof.Partition(m.Subject); return is && of == p }
	}
	for p := range partitions {
		left := slices.IndexFunc(cut.messages[signals], checkpoint(p))
		if left < 0 {
			return false
		}
		first := cut.messages[signals][left].Sequence
		if !slices.ContainsFunc(whole.messages[signals], func(m proof.Message) bool {
			return checkpoint(p)(m) && m.Sequence < first && m.Time.After(after)
		}) {
			return false
		}
	}
	return true
}

// shorten gives a stream a shorter age until the broker has removed what is older, and then its
// own again.
func (s *system) shorten(name events.Stream, to time.Duration) {
	s.t.Helper()
	js := s.opened["dispatcher"].JetStream()
	stream, err := js.Stream(s.t.Context(), string(name))
	require.NoError(s.t, err)
	own := stream.CachedInfo().Config
	shorter := own
	shorter.MaxAge, shorter.Duplicates = to, min(own.Duplicates, to)
	_, err = js.UpdateStream(s.t.Context(), shorter)
	require.NoError(s.t, err)
	require.Eventually(s.t, func() bool {
		info, err := stream.Info(s.t.Context())
		return err == nil && (info.State.Msgs == 0 || info.TimeStamp.Sub(info.State.FirstTime) < to*3/2)
	}, time.Minute, 20*time.Millisecond)
	own.Duplicates = shorter.Duplicates
	_, err = js.UpdateStream(s.t.Context(), own)
	require.NoError(s.t, err)
}

// requireCut requires a cut head in each partition of SIGNALS, at a place that was there
// before, and nothing else.
func requireCut(t *testing.T, r, before *chain.Report) {
	t.Helper()
	require.False(t, r.Verified)
	cut := map[int]bool{}
	for _, f := range r.Findings {
		require.Equal(t, string(signals), f.Stream, "%s", f)
		require.Contains(t, []chain.Kind{chain.HeadCut, chain.ErasedEvent, chain.PartitionGone}, f.Kind, "%s", f)
		cut[f.Partition] = true
		if f.Kind == chain.HeadCut {
			p := before.Streams[1].Partitions[f.Partition]
			require.Greater(t, f.Sequence, p.Begins)
			require.Contains(t, f.String(), "before")
		}
	}
	require.Len(t, cut, partitions, "%s", lines(r.Findings))
}

// A record that is forged, copied, edited or false is found.
func TestAFalseBeginningIsFound(t *testing.T) {
	s := retaining(t, true, age)
	stop := s.start()
	last := func(c *copied, partition int) (at int) {
		subject := proof.RecordSubject("ingest", fmt.Sprint(partition))
		for i, m := range c.messages[segments] {
			if m.Subject == subject {
				at = i
			}
		}
		return at
	}
	s.work(age, everybody...)
	// Each partition states its beginning, and the last statement is about what was copied: on a slow machine it
	// ages out between the statement and the copy, or while one copies.
	whole := s.workUntil(age/4, func(c *copied) bool {
		return !slices.ContainsFunc([]int{0, 1, 2}, func(partition int) bool {
			at := last(c, partition)
			return at == 0 || proof.ReadRecord(c.messages[segments][at].Data).Begins.Sequence < c.messages[segments][0].Sequence
		})
	})
	stop()
	requireClean(t, whole, s.options())
	// signed adds a record, changed by a function, in a batch of the stage's key.
	signed := func(s *scene, key nkeys.KeyPair, change func(*proof.Record)) (record, end uint64) {
		m := s.messages[segments][last(s.copied, busy)]
		r := proof.ReadRecord(m.Data)
		r.Milestones = nil
		change(r)
		var err error
		m.Data, err = json.Marshal(r)
		require.NoError(s.t, err)
		c := s.seal(segments, busy, key, []proof.Message{m})
		return s.add(segments, m), s.add(segments, c)
	}
	for name, do := range map[string]func(s *scene) place{
		"a record without a batch": func(s *scene) place {
			return place{chain.ForgedEvent, segments, busy, s.add(segments, s.messages[segments][last(s.copied, busy)])}
		},
		"a record of another partition": func(s *scene) place {
			m := s.messages[segments][last(s.copied, (busy+1)%partitions)]
			return place{chain.ForgedEvent, segments, (busy + 1) % partitions, s.add(segments, m)}
		},
		"a record copied with its checkpoint": func(s *scene) place {
			at := last(s.copied, busy)
			s.add(segments, s.messages[segments][at])
			end := slices.IndexFunc(s.messages[segments][at:], func(m proof.Message) bool { p, is := proof.Partition(m.Subject); return is && p == busy })
			return place{chain.CopiedCheckpoint, segments, busy, s.add(segments, s.messages[segments][at+end])}
		},
		"an edited record": func(s *scene) place {
			m := &s.messages[segments][last(s.copied, busy)]
			m.Data[len(m.Data)/2] ^= 1
			return place{chain.EditedEvent, segments, busy, m.Sequence}
		},
		"a removed record": func(s *scene) place {
			at := last(s.copied, busy)
			sequence := s.messages[segments][at].Sequence
			s.remove(segments, func(m proof.Message) bool { return m.Sequence == sequence })
			return place{chain.ErasedEvent, segments, busy, sequence}
		},
		"a record signed by a stranger": func(s *scene) place {
			_, end := signed(s, newKey(s.t), func(r *proof.Record) { r.Begins.Sequence = s.streams[segments].Last })
			return place{chain.ForgedCheckpoint, segments, busy, end}
		},
		"a record of the stage that names another checkpoint": func(s *scene) place {
			at, _ := signed(s, s.keys["ingest"], func(r *proof.Record) { r.Begins.Digest = proof.Digest(nil) })
			return place{chain.WrongBeginning, segments, busy, at}
		},
		"a record of the stage that begins earlier": func(s *scene) place {
			at, _ := signed(s, s.keys["ingest"], func(r *proof.Record) { r.Begins.Sequence-- })
			return place{chain.WrongBeginning, segments, busy, at}
		},
		"a beginning that binds another history": func(s *scene) place {
			first := s.batches(segments, busy)[0].end
			for s.messages[segments][first].Sequence < s.streams[segments].First {
				first++
			}
			m := s.messages[segments][first]
			signed(s, s.keys["ingest"], func(r *proof.Record) {
				s.remove(segments, func(other proof.Message) bool { return other.Sequence < r.Begins.Sequence })
				r.Begins.Previous = proof.Digest(nil)
				m.Sequence = r.Begins.Sequence
			})
			return place{chain.WrongBeginning, segments, busy, m.Sequence}
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := &scene{copied: whole.clone(), t: t, keys: s.keys, options: s.options()}
			want := do(c)
			r := verify(t, c.copied, c.options)
			require.False(t, r.Verified)
			require.True(t, slices.ContainsFunc(r.Findings, func(f chain.Finding) bool { return placeOf(f) == want }), "want %s, found:\n%s", want, lines(r.Findings))
		})
	}
}

// A signed beginning binds the checkpoint before it, which is gone: an anchor of that one
// agrees with it or is of another history.
func TestASignedBeginningBindsWhatWasBefore(t *testing.T) {
	s := retaining(t, true, age)
	stop := s.start()
	s.work(age+age/4, everybody...)
	stop()
	whole := s.copy()
	p := requireClean(t, whole, s.options()).Streams[0].Partitions[busy]
	require.NotNil(t, p.Beginning)
	s.remove(whole, p)
	before := chain.Head{Stream: segments, Partition: busy, Sequence: p.Beginning.Fence, Digest: p.Beginning.Previous}
	o := s.options()
	o.Anchors = []chain.Anchor{{Time: time.Now(), Heads: []chain.Head{before}}}
	r := requireClean(t, whole, o)
	require.Equal(t, chain.AnchorCount{Heads: 1, Aged: 1, Bound: 1}, r.Anchors)
	require.Contains(t, r.Result(), "(1 aged out, 1 of these named by records of the chain)")
	o.Anchors[0].Heads[0].Digest = proof.Digest(nil)
	r = verify(t, whole, o)
	require.Len(t, r.Findings, 1, "%s", lines(r.Findings))
	require.Equal(t, place{chain.Rewritten, segments, busy, before.Sequence}, placeOf(r.Findings[0]))
}

// remove removes what is before a signed beginning, as the broker will.
func (s *system) remove(c *copied, p chain.PartitionReport) {
	c.remove(segments, func(m proof.Message) bool {
		of, is := proof.Partition(m.Subject)
		return is && of == p.Partition && m.Sequence < p.Beginning.Sequence
	})
}

// verify says which build wrote what, also of what a build before it wrote (AU-12).
func TestBuildsAreRecorded(t *testing.T) {
	s := newSystem(t, true)
	first, second := buildinfo.Build{Version: "v1.0.0", Revision: "aaaaaaaaaaaaaaaaaaaa"}, buildinfo.Build{Version: "v1.1.0", Revision: "bbbbbbbbbbbbbbbbbbbb", Modified: true}
	as := func(build buildinfo.Build) {
		for stage, b := range s.opened {
			s.opened[stage] = b.As(build)
		}
	}
	as(first)
	s.feed(20)
	as(first) // restarted
	s.feed(20)
	between := s.copy()
	as(second)
	s.feed(20)
	r := requireClean(t, live{s.opened["dispatcher"]}, s.options())
	eachPartition(r, func(stream chain.StreamReport, p chain.PartitionReport) {
		require.Len(t, p.Builds, 2, "%s %d", stream.Name, p.Partition)
		require.Equal(t, first, p.Builds[0].Build)
		require.Equal(t, second, p.Builds[1].Build)
		require.Greater(t, p.Builds[1].First, between.streams[stream.Name].Last)
		require.Equal(t, p.Head.Sequence, p.Builds[1].Last)
		require.Less(t, p.Builds[0].Last, p.Builds[1].First)
		stage := map[events.Stream]string{segments: "ingest", signals: "evaluator", decisions: "dispatcher"}[stream.Name]
		record, err := commit.Record(context.Background(), s.opened[stage], stage, p.Partition)
		require.NoError(t, err)
		require.Equal(t, second, record.Builds[len(record.Builds)-1].Build)
	})
	require.Contains(t, text(t, r), "written by v1.0.0 (aaaaaaaaaaaa) from ")
	require.Contains(t, text(t, r), "v1.1.0 (bbbbbbbbbbbb, modified) from ")
	t.Run("a record cannot be removed unseen", func(t *testing.T) {
		bare := s.copy()
		for _, name := range chain.Streams {
			bare.messages[name] = slices.DeleteFunc(bare.messages[name], func(m proof.Message) bool { return proof.IsRecord(m.Subject) })
		}
		found := verify(t, bare, s.options()).Findings
		require.NotEmpty(t, found)
		for _, f := range found {
			require.Equal(t, chain.ErasedEvent, f.Kind)
		}
	})
}

func text(t *testing.T, r *chain.Report) string {
	t.Helper()
	var b strings.Builder
	require.NoError(t, r.WriteText(&b, true))
	return b.String()
}
