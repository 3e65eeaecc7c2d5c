package chain_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// place is what a finding has to name.
type place struct {
	kind      chain.Kind
	stream    events.Stream
	partition int
	sequence  uint64
}

func (p place) String() string {
	return fmt.Sprintf("%s %s %d %d", p.kind, p.stream, p.partition, p.sequence)
}

func placeOf(f chain.Finding) place {
	return place{f.Kind, events.Stream(f.Stream), f.Partition, f.Sequence}
}

// attack is one way to tamper with a recorded system.
type attack struct {
	name string
	// do changes the copy and returns what has to be found, the first of the list at least.
	do func(*scene) []place
	// more is how many other findings a reader gets at most, as consequences.
	more int
}

// scene is what an attack works on.
type scene struct {
	*copied
	t       *testing.T
	keys    map[string]nkeys.KeyPair
	options chain.Options
	older   *copied // the system some time before
	anchors []chain.Anchor
}

// nth returns the n-th batch with events of a partition of a stream.
func (s *scene) nth(name events.Stream, partition, n int) batch {
	s.t.Helper()
	list := slices.DeleteFunc(s.batches(name, partition), func(b batch) bool { return b.first == b.end })
	require.Greater(s.t, len(list), n)
	return list[n]
}

func (s *scene) at(b batch, i int) *proof.Message { return &s.messages[b.stream][b.first+i] }

// seal makes a checkpoint after the last message of a partition, signed with a key.
func (s *scene) seal(name events.Stream, partition int, key nkeys.KeyPair, outputs []proof.Message) proof.Message {
	s.t.Helper()
	all := s.batches(name, partition)
	last := s.messages[name][all[len(all)-1].end]
	var c proof.Checkpoint
	require.NoError(s.t, json.Unmarshal(last.Data, &c))
	c.Fence, c.Previous, c.Count, c.Outputs, c.Marks, c.Successor = last.Sequence, proof.Head(last.Data), len(outputs), len(outputs), nil, ""
	var hashes [][32]byte
	for _, m := range outputs {
		hash := m.Hash()
		hashes = append(hashes, hash)
		c.Marks = append(c.Marks, hash[:proof.MarkSize]...)
	}
	c.Digest = proof.Digest(hashes)
	data, err := c.Seal(key)
	require.NoError(s.t, err)
	return proof.Message{Subject: last.Subject, Header: nats.Header{}, Data: data}
}

// edit changes a checkpoint, and signs it again if a key is given.
func (s *scene) edit(b batch, key nkeys.KeyPair, change func(*proof.Checkpoint)) {
	s.t.Helper()
	m := &s.messages[b.stream][b.end]
	var c proof.Checkpoint
	require.NoError(s.t, json.Unmarshal(m.Data, &c))
	change(&c)
	if key != nil {
		data, err := c.Seal(key)
		require.NoError(s.t, err)
		m.Data = data
		return
	}
	data, err := json.Marshal(c)
	require.NoError(s.t, err)
	m.Data = data
}

// swap exchanges two neighbouring runs of messages, written again in that order.
func (s *scene) swap(name events.Stream, first, middle, end int) {
	list := s.messages[name]
	sequences := make([]uint64, 0, end-first)
	for _, m := range list[first:end] {
		sequences = append(sequences, m.Sequence)
	}
	swapped := append(slices.Clone(list[middle:end]), list[first:middle]...)
	for i := range swapped {
		swapped[i].Sequence = sequences[i]
		list[first+i] = swapped[i]
	}
}

var (
	segments, signals, decisions = events.StreamSegments, events.StreamSignals, events.StreamDecisions
	busy                         = subjects.Partition("s1", partitions)
)

// attacks on one event, in each stream.
func eventAttacks() (all []attack) {
	for _, name := range chain.Streams {
		for what, edit := range map[string]func(*proof.Message){
			"a byte of the data": func(m *proof.Message) { m.Data[len(m.Data)/2] ^= 1 },
			"the last byte":      func(m *proof.Message) { m.Data = m.Data[:len(m.Data)-1] },
			"a header":           func(m *proof.Message) { m.Header.Set("ce-id", "other") },
			"an added header":    func(m *proof.Message) { m.Header.Set("ce-extra", "x") },
			"a removed header":   func(m *proof.Message) { delete(m.Header, "ce-rulesversion") },
			"the subject":        func(m *proof.Message) { m.Subject = strings.Replace(m.Subject, ".s", ".x", 1) },
		} {
			all = append(all, attack{name: fmt.Sprintf("%s: edit %s of an event", name, what), do: func(s *scene) []place {
				m := s.at(s.nth(name, busy, 1), 0)
				edit(m)
				return []place{{chain.EditedEvent, name, busy, m.Sequence}}
			}})
		}
		all = append(all, attack{name: fmt.Sprintf("%s: remove an event", name), do: func(s *scene) []place {
			sequence := s.at(s.nth(name, busy, 1), 0).Sequence
			s.remove(name, func(m proof.Message) bool { return m.Sequence == sequence })
			return []place{{chain.ErasedEvent, name, busy, sequence}}
		}}, attack{name: fmt.Sprintf("%s: swap two events of a batch", name), more: 1, do: func(s *scene) []place {
			for _, b := range s.batches(name, busy) {
				if b.end-b.first >= 2 {
					s.swap(name, b.first, b.first+1, b.first+2)
					return []place{{chain.MovedEvent, name, busy, s.at(b, 0).Sequence}}
				}
			}
			s.t.Fatal("no batch of two events")
			return nil
		}}, attack{name: fmt.Sprintf("%s: add an event without a batch", name), do: func(s *scene) []place {
			m := *s.at(s.nth(name, busy, 0), 0)
			return []place{{chain.ForgedEvent, name, busy, s.add(name, m)}}
		}}, attack{name: fmt.Sprintf("%s: add a message on a subject of no stage", name), do: func(s *scene) []place {
			return []place{{chain.ForgedEvent, name, chain.WholeStream, s.add(name, proof.Message{Subject: "x.99.g.s", Header: nats.Header{}})}}
		}})
	}
	return all
}

// attacks on checkpoints and batches.
func batchAttacks() (all []attack) {
	for _, name := range chain.Streams {
		stage := subjects.StageOf(name)
		for what, change := range map[string]func(*proof.Checkpoint){
			"position":  func(c *proof.Checkpoint) { c.Position.Sequence++ },
			"digest":    func(c *proof.Checkpoint) { c.Digest = strings.Repeat("0", 64) },
			"previous":  func(c *proof.Checkpoint) { c.Previous = strings.Repeat("0", 64) },
			"fence":     func(c *proof.Checkpoint) { c.Fence++ },
			"mark":      func(c *proof.Checkpoint) { c.Marks[0] ^= 1 },
			"signature": func(c *proof.Checkpoint) { c.Signature = c.Signature[1:] + "A" },
			"key":       func(c *proof.Checkpoint) { c.Key, c.Signature = "", "" },
		} {
			all = append(all, attack{name: fmt.Sprintf("%s: edit the %s of a checkpoint", name, what), more: 1, do: func(s *scene) []place {
				b := s.nth(name, busy, 1)
				s.edit(b, nil, change)
				return []place{{chain.EditedCheckpoint, name, busy, b.at}}
			}})
		}
		all = append(all, attack{name: fmt.Sprintf("%s: edit an event and its checkpoint with the stage's key", name), more: 1, do: func(s *scene) []place {
			b := s.nth(name, busy, 1)
			m := s.at(b, 0)
			m.Data = append(m.Data, ' ')
			hash := m.Hash()
			s.edit(b, s.keys[stage], func(c *proof.Checkpoint) { copy(c.Marks, hash[:proof.MarkSize]) })
			return []place{{chain.EditedCheckpoint, name, busy, b.at}}
		}}, attack{name: fmt.Sprintf("%s: break the form of a checkpoint", name), more: 1, do: func(s *scene) []place {
			b := s.nth(name, busy, 1)
			s.messages[name][b.end].Data[1] ^= 1
			return []place{{chain.EditedCheckpoint, name, busy, b.at}}
		}}, attack{name: fmt.Sprintf("%s: copy a checkpoint to the end", name), do: func(s *scene) []place {
			return []place{{chain.CopiedCheckpoint, name, busy, s.add(name, s.messages[name][s.nth(name, busy, 1).end])}}
		}}, attack{name: fmt.Sprintf("%s: copy a whole batch to the end", name), do: func(s *scene) []place {
			b, last := s.nth(name, busy, 1), uint64(0)
			for i := b.first; i <= b.end; i++ {
				last = s.add(name, s.messages[name][i])
			}
			return []place{{chain.CopiedCheckpoint, name, busy, last}}
		}}, attack{name: fmt.Sprintf("%s: remove a batch", name), do: func(s *scene) []place {
			b := s.nth(name, busy, 1)
			first, end := s.at(b, 0).Sequence, b.at
			s.remove(name, func(m proof.Message) bool { return m.Sequence >= first && m.Sequence <= end })
			return []place{{chain.DroppedBatch, name, busy, first}}
		}}, attack{name: fmt.Sprintf("%s: remove a checkpoint", name), do: func(s *scene) []place {
			b := s.nth(name, busy, 1)
			s.remove(name, func(m proof.Message) bool { return m.Sequence == b.at })
			return []place{{chain.DroppedBatch, name, busy, b.at}}
		}}, attack{name: fmt.Sprintf("%s: move a checkpoint to another subject", name), more: 4, do: func(s *scene) []place {
			b := s.nth(name, busy, 1)
			m := &s.messages[name][b.end]
			m.Subject = subjects.CheckpointSubject("other", busy)
			return []place{{chain.ForgedEvent, name, chain.WholeStream, m.Sequence}}
		}}, attack{name: fmt.Sprintf("%s: write the partition of a checkpoint's subject in another way", name), more: 4, do: func(s *scene) []place {
			b := s.nth(name, busy, 1)
			m := &s.messages[name][b.end]
			m.Subject = fmt.Sprintf("ckpt.%s.0%d", subjects.StageOf(name), busy)
			return []place{{chain.ForgedEvent, name, chain.WholeStream, m.Sequence}}
		}}, attack{name: fmt.Sprintf("%s: write the stream again without a batch", name), more: 3*partitions - 1, do: func(s *scene) []place {
			// Each other partition is renumbered, and in each the next stage names a head that is
			// elsewhere, or after the last one, or both: which of these depends on where batches fell.
			b := s.nth(name, busy, 1)
			s.cutOut(b)
			return []place{{chain.DroppedBatch, name, busy, b.at}}
		}}, attack{name: fmt.Sprintf("%s: swap two batches", name), more: 1 + 4*partitions, do: func(s *scene) []place {
			// Each partition between them is renumbered there and back, and named elsewhere.
			return []place{{chain.MovedBatch, name, busy, s.swapBatches(s.nth(name, busy, 1), s.nth(name, busy, 2))}}
		}})
	}
	return all
}

// swapBatches exchanges two batches, each with the gaps it has, and moves what is between
// them. It returns where the first one ends then.
func (s *scene) swapBatches(a, b batch) uint64 {
	list := s.messages[a.stream]
	firstA, firstB := list[a.first].Sequence, list[b.first].Sequence
	lengthA, lengthB := a.at-firstA+1, b.at-firstB+1
	var moved []proof.Message
	for _, part := range []struct {
		messages []proof.Message
		from, to uint64
	}{{list[b.first : b.end+1], firstB, firstA}, {list[a.end+1 : b.first], a.at + 1, firstA + lengthB}, {list[a.first : a.end+1], firstA, b.at - lengthA + 1}} {
		for _, m := range part.messages {
			m.Sequence += part.to - part.from
			moved = append(moved, m)
		}
	}
	copy(list[a.first:], moved)
	return b.at
}

// attacks that insert batches.
func forgeries() (all []attack) {
	forge := func(name events.Stream, key func(*scene) nkeys.KeyPair, kind chain.Kind) func(*scene) []place {
		return func(s *scene) []place {
			m := *s.at(s.nth(name, busy, 0), 0)
			m.Data = []byte(`{"forged":true}`)
			c := s.seal(name, busy, key(s), []proof.Message{m})
			s.add(name, m)
			return []place{{kind, name, busy, s.add(name, c)}}
		}
	}
	for _, name := range chain.Streams {
		stage := subjects.StageOf(name)
		all = append(all,
			attack{name: fmt.Sprintf("%s: add an unsigned batch", name), do: forge(name, func(*scene) nkeys.KeyPair { return nil }, chain.ForgedCheckpoint)},
			attack{name: fmt.Sprintf("%s: add a batch signed by a stranger", name), do: forge(name, func(s *scene) nkeys.KeyPair { return newKey(s.t) }, chain.ForgedCheckpoint)},
			attack{name: fmt.Sprintf("%s: add a batch signed by another stage", name), do: forge(name, func(s *scene) nkeys.KeyPair {
				for other, key := range s.keys {
					if other != stage {
						return key
					}
				}
				return nil
			}, chain.ForgedCheckpoint)},
			attack{name: fmt.Sprintf("%s: add a batch with a revoked key", name), do: forge(name, func(s *scene) nkeys.KeyPair {
				now := s.streams[name].Now
				s.options.Keys.Revoked = map[string]time.Time{public(s.t, s.keys[stage]): now.Add(-time.Nanosecond)}
				return s.keys[stage]
			}, chain.RevokedKey)},
			attack{name: fmt.Sprintf("%s: add a batch with a trusted key that nobody named", name), do: forge(name, func(s *scene) nkeys.KeyPair {
				key := newKey(s.t)
				s.options.Keys.Trusted = map[string][]string{stage: append(slices.Clone(s.options.Keys.Trusted[stage]), public(s.t, key))}
				return key
			}, chain.UnrecordedKey)},
			attack{name: fmt.Sprintf("%s: put an older checkpoint's position into a new one", name), more: 1, do: func(s *scene) []place {
				c := s.seal(name, busy, nil, nil)
				sequence := s.add(name, c)
				b := s.batches(name, busy)
				s.edit(b[len(b)-1], s.keys[stage], func(c *proof.Checkpoint) { c.Position.Sequence = 1 })
				return []place{{chain.WentBack, name, busy, sequence}}
			}},
			attack{name: fmt.Sprintf("%s: a second history after a checkpoint", name), do: func(s *scene) []place {
				c := s.seal(name, busy, nil, nil)
				first := s.nth(name, busy, 0)
				sequence := s.add(name, c)
				b := s.batches(name, busy)
				s.edit(b[len(b)-1], s.keys[stage], func(c *proof.Checkpoint) {
					c.Fence, c.Previous = first.at, proof.Head(s.messages[name][first.end].Data)
				})
				return []place{{chain.ForgedCheckpoint, name, busy, sequence}}
			}},
			attack{name: fmt.Sprintf("%s: an event of another partition in a signed batch", name), do: func(s *scene) []place {
				m := *s.at(s.nth(name, busy, 0), 0)
				m.Subject = strings.Replace(m.Subject, ".s", ".other-s", 1)
				for subjects.Partition(groupOf(m.Subject), partitions) == busy {
					m.Subject = strings.Replace(m.Subject, "other-", "other-other-", 1)
				}
				c := s.seal(name, busy, s.keys[stage], []proof.Message{m})
				sequence := s.add(name, m)
				s.add(name, c)
				return []place{{chain.WrongPartition, name, busy, sequence}}
			}},
			attack{name: fmt.Sprintf("%s: an event of another type in a signed batch", name), do: func(s *scene) []place {
				m := *s.at(s.nth(name, busy, 0), 0)
				m.Header = nats.Header{"ce-type": {"interrupt.fired"}}
				c := s.seal(name, busy, s.keys[stage], []proof.Message{m})
				sequence := s.add(name, m)
				s.add(name, c)
				return []place{{chain.WrongType, name, busy, sequence}}
			}},
		)
	}
	return all
}

// pairs reports whether each stream has a batch of two messages in the busy partition.
func (c *copied) pairs() bool {
	for _, name := range chain.Streams {
		if !slices.ContainsFunc(c.batches(name, busy), func(b batch) bool { return b.end-b.first >= 2 }) {
			return false
		}
	}
	return true
}

func groupOf(subject string) string {
	tokens := strings.Split(subject, ".")
	return tokens[len(tokens)-2]
}

// attacks on whole partitions and streams.
func historyAttacks() (all []attack) {
	for _, name := range chain.Streams {
		all = append(all, attack{name: fmt.Sprintf("%s: remove the first messages", name), more: 3 * partitions, do: func(s *scene) []place {
			b := s.nth(name, busy, 1)
			s.remove(name, func(m proof.Message) bool { return m.Sequence <= b.at })
			return []place{{chain.HeadCut, name, busy, 1}}
		}}, attack{name: fmt.Sprintf("%s: remove the last messages", name), more: 2 * partitions, do: func(s *scene) []place {
			all := s.batches(name, busy)
			from := all[len(all)-2].at
			s.remove(name, func(m proof.Message) bool { return m.Sequence > from })
			return []place{{chain.TailCut, name, chain.WholeStream, from + 1}}
		}}, attack{name: fmt.Sprintf("%s: remove a partition", name), more: 3, do: func(s *scene) []place {
			s.remove(name, func(m proof.Message) bool {
				p, _ := proof.Partition(m.Subject)
				return p == busy || strings.Contains(m.Subject, fmt.Sprintf(".%d.", busy)) && (strings.HasPrefix(m.Subject, "snap.") || strings.HasPrefix(m.Subject, "skip."))
			})
			s.anchored()
			return []place{{chain.PartitionGone, name, busy, 0}}
		}}, attack{name: fmt.Sprintf("%s: remove the stream", name), do: func(s *scene) []place {
			s.streams[name] = proof.Stream{Name: name, Missing: true}
			return []place{{chain.StreamGone, name, chain.WholeStream, 0}}
		}}, attack{name: fmt.Sprintf("%s: create the stream again, empty", name), more: 3 * partitions, do: func(s *scene) []place {
			found := s.streams[name]
			s.streams[name] = proof.Stream{Name: name, Created: found.Now, Now: found.Now}
			s.messages[name] = nil
			s.anchored()
			return []place{{chain.Recreated, name, chain.WholeStream, 0}}
		}}, attack{name: fmt.Sprintf("%s: create the stream again with the same messages", name), do: func(s *scene) []place {
			found := s.streams[name]
			found.Created = found.Now
			s.streams[name] = found
			s.anchored()
			return []place{{chain.Recreated, name, chain.WholeStream, 0}}
		}}, attack{name: fmt.Sprintf("%s: restore an older backup", name), more: 3 * partitions, do: func(s *scene) []place {
			s.anchored()
			s.streams[name], s.messages[name] = s.older.streams[name], s.older.messages[name]
			return []place{{chain.Restored, name, chain.WholeStream, s.streams[name].Last + 1}}
		}})
	}
	return append(all, attack{name: "restore an older backup of all streams", more: 9 * partitions, do: func(s *scene) []place {
		s.anchored()
		s.copied = s.older
		var want []place
		for _, name := range chain.Streams {
			want = append(want, place{chain.Restored, name, chain.WholeStream, s.streams[name].Last + 1})
		}
		return want
	}}, attack{name: "INPUT: remove it and create it again", more: 1, do: func(s *scene) []place {
		found := s.streams[events.StreamInput]
		s.streams[events.StreamInput] = proof.Stream{Name: events.StreamInput, Created: found.Now, Now: found.Now}
		return []place{{chain.Recreated, events.StreamInput, chain.WholeStream, 0}}
	}})
}

// anchored makes today's heads known, as an anchor that was made before the attack.
func (s *scene) anchored() { s.options.Anchors = s.anchors }

func TestEveryAttackIsFoundAsWhatItIs(t *testing.T) {
	system := newSystem(t, true)
	system.feed(40)
	older := system.copy()
	system.feed(50)
	whole := system.copy()
	for !whole.pairs() { // how inputs fall into batches depends on the machine
		system.feed(20)
		whole = system.copy()
	}
	before := verify(t, whole, system.options())
	require.True(t, before.Verified, "%v", before.Findings)
	anchor := chain.NewAnchor(before, time.Now())

	attacks := slices.Concat(eventAttacks(), batchAttacks(), forgeries(), historyAttacks())
	require.GreaterOrEqual(t, len(attacks), 60)
	for _, a := range attacks {
		t.Run(a.name, func(t *testing.T) {
			s := &scene{copied: whole.clone(), t: t, keys: system.keys, options: system.options(), older: older.clone(), anchors: []chain.Anchor{anchor}}
			want := a.do(s)
			r := verify(t, s.copied, s.options)
			require.False(t, r.Verified)
			for _, w := range want {
				require.True(t, slices.ContainsFunc(r.Findings, func(f chain.Finding) bool {
					got := placeOf(f)
					return got == w || w.sequence == 0 && got.kind == w.kind && got.stream == w.stream && got.partition == w.partition
				}), "want %s, found:\n%s", w, lines(r.Findings))
			}
			require.LessOrEqual(t, len(r.Findings), len(want)+a.more, "found more than the attack:\n%s", lines(r.Findings))
		})
	}
}

// Each head of each anchor is compared: a false one beside a true one of the same place does not
// count as in place, in whichever order they are given.
func TestAnchorsThatContradictEachOther(t *testing.T) {
	system := newSystem(t, true)
	system.feed(40)
	whole, o := system.copy(), system.options()
	right := chain.NewAnchor(verify(t, whole, o), time.Now())
	wrong := right
	wrong.Heads = slices.Clone(right.Heads)
	wrong.Heads[0].Digest = strings.Repeat("0", 64)
	h := wrong.Heads[0]
	both := right
	both.Heads = append(slices.Clone(right.Heads), h)
	for _, o.Anchors = range [][]chain.Anchor{{wrong, right}, {right, wrong}, {both}} {
		r := verify(t, whole, o)
		require.Len(t, r.Findings, 1, lines(r.Findings))
		require.Equal(t, place{chain.Rewritten, h.Stream, h.Partition, h.Sequence}, placeOf(r.Findings[0]))
		require.NotEqual(t, r.Findings[0].Expected, r.Findings[0].Found)
	}
}

func lines(list []chain.Finding) string {
	var b strings.Builder
	for _, f := range list {
		fmt.Fprintln(&b, f)
	}
	return b.String()
}
