package advised

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
)

// Sample says which questions about signals are drawn to compare forms: only signals that readers judged,
// right and wrong ones alike, whatever the form.
type Sample struct {
	Size int
	Seed string
}

// judgements in the order in which they are drawn.
var judgements = []moments.Judgement{moments.Wrong, moments.Slight, moments.Right}

// mostOfAKind is how many signals of one judgement and kind are drawn at most.
const mostOfAKind = 12

// draw returns the drawn signals. Judgements take turns, and within each the kinds of findings, so that a
// kind that is frequent does not stand for all; within a kind the seed decides.
func (s Sample) draw(asked []*opinion.Question, read map[string]moments.Reading) map[string]bool {
	left := map[moments.Judgement]map[string][]string{}
	for _, q := range asked {
		j, kind := read[q.Signal].Judgement, read[q.Signal].Kind
		if q.Signal == "" || j == "" {
			continue
		}
		if left[j] == nil {
			left[j] = map[string][]string{}
		}
		if !slices.Contains(left[j][kind], q.Signal) {
			left[j][kind] = append(left[j][kind], q.Signal)
		}
	}
	for _, kinds := range left {
		for kind, signals := range kinds {
			slices.SortFunc(signals, func(a, b string) int { return slices.Compare(s.lot(a), s.lot(b)) })
			kinds[kind] = signals[:min(len(signals), mostOfAKind)]
		}
	}
	out, drawn := map[string]bool{}, map[moments.Judgement]int{}
	for before := -1; len(out) < s.Size && before < len(out); {
		before = len(out)
		for _, j := range judgements {
			if len(left[j]) == 0 || len(out) == s.Size {
				continue
			}
			kinds := slices.Sorted(maps.Keys(left[j]))
			kind := kinds[drawn[j]%len(kinds)]
			signals := left[j][kind]
			out[signals[0]] = true
			drawn[j]++
			if left[j][kind] = signals[1:]; len(signals) == 1 {
				delete(left[j], kind)
			}
		}
	}
	return out
}

func (s Sample) lot(signal string) []byte {
	sum := sha256.Sum256([]byte(s.Seed + "\x00" + signal))
	return sum[:]
}

// drawn returns which signals of a folder of data are drawn, with what readers say of them; all that is
// needed is what the rules alone say.
func (s Sample) drawn(core *machines.Core, data string) (map[string]moments.Reading, error) {
	config, err := formOf("")
	if err != nil {
		return nil, err
	}
	p, err := play(core, config, data, answers{})
	if err != nil {
		return nil, err
	}
	marked, err := moments.Load(data)
	if err != nil {
		return nil, fmt.Errorf("draw questions: %w", err)
	}
	judged, err := moments.Judged()
	if err != nil {
		return nil, err
	}
	read := marked.Readings(p.recorder, judged)
	signals := s.draw(p.both(), read)
	maps.DeleteFunc(read, func(signal string, _ moments.Reading) bool { return !signals[signal] })
	return read, nil
}
