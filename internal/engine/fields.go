package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// FieldDifference is one field in which two events differ.
type FieldDifference struct {
	Path string `json:"path"` // "data.signals[2].urgency"
	// Recorded and Derived are the values, shortened; "none" where one has no such field.
	Recorded string `json:"recorded"`
	Derived  string `json:"derived"`
}

// maxFields bounds the differing fields that are listed.
const maxFields = 12

// Fields returns the first fields in which the data of two events differ, and how many do. It
// returns none for data that is not JSON.
func Fields(recorded, derived []byte) (first []FieldDifference, all int) {
	var x, y any
	if json.Unmarshal(recorded, &x) != nil || json.Unmarshal(derived, &y) != nil {
		return nil, 0
	}
	eachDifference("data", x, y, func(d FieldDifference) {
		if all++; all <= maxFields {
			first = append(first, d)
		}
	})
	return first, all
}

// absent is the value of a field that only the other event has.
type absent struct{}

// eachDifference walks two JSON values.
func eachDifference(path string, x, y any, each func(FieldDifference)) {
	switch a := x.(type) {
	case map[string]any:
		if b, is := y.(map[string]any); is {
			keys := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
			slices.Sort(keys)
			for _, key := range slices.Compact(keys) {
				eachDifference(path+"."+key, member(a, key), member(b, key), each)
			}
			return
		}
	case []any:
		if b, is := y.([]any); is {
			for i := range max(len(a), len(b)) {
				eachDifference(fmt.Sprintf("%s[%d]", path, i), element(a, i), element(b, i), each)
			}
			return
		}
	}
	if a, b := shown(x), shown(y); a != b {
		each(FieldDifference{Path: path, Recorded: text.Short(a, maxValue), Derived: text.Short(b, maxValue)})
	}
}

func member(of map[string]any, key string) any {
	if v, has := of[key]; has {
		return v
	}
	return absent{}
}

func element(of []any, i int) any {
	if i < len(of) {
		return of[i]
	}
	return absent{}
}

func shown(v any) string {
	if _, is := v.(absent); is {
		return "none"
	}
	return encoded(v)
}
