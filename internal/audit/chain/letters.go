package chain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/engine"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats/proof"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// maxSkips limits how many skips wait for their letters.
const maxSkips = 1 << 20

// skipped is an input that a stage skipped, as its batch proves. The dead letter was stored before the
// batch.
type skipped struct {
	partition int
	at        uint64 // sequence of the skip in the stage's stream
	input     uint64 // sequence of the input in its source
	group     string
	stored    time.Time
}

// skip records a proven skip of a stage. Its dead letter has a subject of its own.
func (p *partition) skip(w waiting) {
	var of engine.Skip
	if json.Unmarshal(w.data, &of) != nil || len(p.stream.skips) == maxSkips {
		return
	}
	subject := subjects.DeadLetterSubject(p.stream.stage, p.number, of.Group, strconv.FormatUint(of.Sequence, 10))
	if p.stream.skips == nil {
		p.stream.skips = map[string]skipped{}
	}
	p.stream.skips[subject] = skipped{partition: p.number, at: w.sequence, input: of.Sequence, group: of.Group, stored: w.stored}
}

// isSkip reports whether a message is a skip rather than a record of the chain.
func isSkip(subject string) bool {
	return strings.HasPrefix(subject, "skip.") && !proof.IsRecord(subject)
}

// letters looks up the dead letter of each input that a batch skipped. The content of a letter is not
// covered by any checkpoint.
func (v *verification) letters(ctx context.Context, from Source) error {
	missing := map[events.Stream]map[string]skipped{}
	left := 0
	for _, name := range Streams {
		if s := v.streams[name]; len(s.skips) > 0 {
			missing[name] = maps.Clone(s.skips)
			left += len(s.skips)
		}
	}
	if left == 0 {
		return nil
	}
	dead, err := from.Stream(ctx, events.StreamDeadLetter)
	if err != nil {
		return fmt.Errorf("look up the dead letters: %w", err)
	}
	var oldest time.Time // oldest letter kept
	if !dead.Missing {
		err = from.Each(ctx, events.StreamDeadLetter, dead.Last, func(m proof.Message) error {
			if oldest.IsZero() {
				oldest = m.Time
			}
			for _, of := range missing {
				delete(of, m.Subject)
			}
			return nil
		})
	}
	if err != nil {
		return fmt.Errorf("read the dead letters: %w", err)
	}
	for _, name := range Streams {
		v.lostLetters(name, dead, missing[name], oldest)
	}
	return nil
}

// lostLetters reports letters of a stage that are gone before they could age out.
func (v *verification) lostLetters(name events.Stream, dead proof.Stream, missing map[string]skipped, oldest time.Time) {
	order := slices.SortedFunc(maps.Keys(missing), func(a, b string) int {
		return int(int64(missing[a].at) - int64(missing[b].at))
	})
	for _, subject := range order {
		of := missing[subject]
		if forgot(dead, of.stored, oldest) {
			continue
		}
		digest := sha256.Sum256([]byte(subject))
		v.add(Finding{
			Kind: LetterGone, Stream: string(events.StreamDeadLetter), Partition: of.partition, Digest: hex.EncodeToString(digest[:]),
			What: fmt.Sprintf("the dead letter of input %d of %s, which the %s skipped (the skip at %s %d), was removed",
				of.input, clip(of.group), subjects.StageOf(name), name, of.at),
		})
	}
}

// letterSlack is how much later than its letter a batch may be: a fold and its commit.
const letterSlack = time.Minute

// forgot reports whether a stream's own limits can have removed the letter of a batch: its age, or its
// size, which keeps the newest.
func forgot(s proof.Stream, stored, oldest time.Time) bool {
	if s.MaxAge > 0 && !stored.After(s.Now.Add(slack(s.MaxAge)+letterSlack-s.MaxAge)) {
		return true
	}
	return s.MaxBytes > 0 && !oldest.IsZero() && stored.Before(oldest.Add(letterSlack))
}
