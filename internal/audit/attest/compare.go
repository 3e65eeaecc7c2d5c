package attest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/chain"
	"github.com/scaffoldwatch/scaffoldwatch/internal/audit/record"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// Compare derives the verdict again from the record and returns every difference. It ignores when and by
// which build the verdict was made and how long the chain was then; it does check that the attested heads
// are still in the chain.
func Compare(ctx context.Context, a *Attestation, from record.Source, o Options) ([]Fault, error) {
	request := Request{}
	for _, c := range a.Verdict.Commits {
		asked := GitCommit{SHA: c.SHA, Time: c.Time}
		for _, f := range c.Files {
			asked.Files = append(asked.Files, f.Path)
		}
		request.Commits = append(request.Commits, asked)
	}
	for _, s := range a.Verdict.Sessions {
		request.Sessions = append(request.Sessions, s.ID)
	}
	for _, r := range a.Verdict.Runs {
		if !slices.Contains(request.Sessions, r.ID) {
			request.Runs = append(request.Runs, r.ID)
		}
	}
	derived, err := Build(ctx, from, request, o)
	if errors.Is(err, ErrNothing) {
		return []Fault{{Place: "predicate", What: err.Error()}}, nil
	}
	if err != nil {
		return nil, err
	}
	was, is := *a.Verdict, *derived
	faults := headFaults(was.Heads, is.Heads, o.Excerpt)
	for _, v := range []*Verdict{&was, &is} {
		v.Made, v.Build, v.Heads, v.Unknown = derived.Made, "", nil, nil
	}
	x, err := plain(was)
	if err != nil {
		return nil, err
	}
	y, err := plain(is)
	if err != nil {
		return nil, err
	}
	return append(differences("predicate", x, y, nil), faults...), nil
}

// headFaults looks up the attested heads among the checkpoints of the source. An excerpt may end before a
// head.
func headFaults(was, is []chain.Head, excerpt bool) (faults []Fault) {
	type at struct {
		stream    events.Stream
		partition int
		sequence  uint64
	}
	digests, last := map[at]string{}, map[at]uint64{}
	for _, h := range is {
		digests[at{h.Stream, h.Partition, h.Sequence}] = h.Digest
		end := at{h.Stream, h.Partition, 0}
		last[end] = max(last[end], h.Sequence)
	}
	for i, h := range was {
		place := fmt.Sprintf("predicate.heads[%d]", i)
		digest, there := digests[at{h.Stream, h.Partition, h.Sequence}]
		end, known := last[at{h.Stream, h.Partition, 0}]
		switch {
		case there && digest != h.Digest:
			faults = append(faults, Fault{Place: place + ".digest", What: "a different checkpoint is there", Expected: h.Digest, Found: digest})
		case known && end < h.Sequence && !excerpt:
			faults = append(faults, Fault{Place: place + ".sequence", What: "the recorded chain ends before it", Expected: fmt.Sprint(h.Sequence), Found: fmt.Sprint(end)})
		}
	}
	return faults
}

func plain(v Verdict) (any, error) {
	form, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the verdict: %w", err)
	}
	var out any
	return out, json.Unmarshal(form, &out)
}

// maxFaults limits how many differences are listed.
const maxFaults = 20

// differences walks two JSON values in parallel and lists the places where they differ.
func differences(place string, was, is any, list []Fault) []Fault {
	if len(list) >= maxFaults {
		return list
	}
	switch x := was.(type) {
	case map[string]any:
		if y, same := is.(map[string]any); same {
			keys := maps.Clone(x)
			maps.Copy(keys, y)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				list = differences(place+"."+key, x[key], y[key], list)
			}
			return list
		}
	case []any:
		if y, same := is.([]any); same {
			for i := range min(len(x), len(y)) {
				list = differences(fmt.Sprintf("%s[%d]", place, i), x[i], y[i], list)
			}
			if len(x) != len(y) {
				list = append(list, Fault{Place: place, What: "the number of entries differs", Expected: fmt.Sprint(len(x)), Found: fmt.Sprint(len(y))})
			}
			return list
		}
	}
	a, b := encoded(was), encoded(is)
	if a != b {
		list = append(list, Fault{Place: place, What: "differs from the record", Expected: a, Found: b})
	}
	return list
}

func encoded(v any) string {
	if v == nil {
		return "none"
	}
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return text.Cut(string(out), 120)
}
