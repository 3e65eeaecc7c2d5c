package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// compare returns an error for the first field in which two messages differ.
func (c *comparison) compare(recorded, derived Message) error {
	was, is := headers(recorded), headers(derived)
	for _, name := range []string{"ce-rulesversion", "ce-confighash"} {
		if was[name] != is[name] {
			return fmt.Errorf("%w: event %d of partition %d has %s %q, this replay %q",
				ErrOtherRules, c.index, c.partition, strings.TrimPrefix(name, "ce-"), was[name], is[name])
		}
	}
	field, a, b := firstDifference(recorded, derived, was, is)
	if field == "" {
		return nil
	}
	return &Difference{
		Partition: c.partition, Index: c.index, ID: was["ce-id"], Field: field,
		Recorded: text.Short(a, maxValue), Derived: text.Short(b, maxValue),
	}
}

func firstDifference(recorded, derived Message, was, is map[string]string) (field, a, b string) {
	if recorded.Subject != derived.Subject {
		return "subject", recorded.Subject, derived.Subject
	}
	names := slices.Sorted(maps.Keys(was))
	names = append(names, slices.Sorted(maps.Keys(is))...)
	for _, name := range names {
		if was[name] != is[name] {
			return "header " + name, was[name], is[name]
		}
	}
	if bytes.Equal(recorded.Data, derived.Data) {
		return "", "", ""
	}
	if first, all := Fields(recorded.Data, derived.Data); all > 0 {
		return first[0].Path, first[0].Recorded, first[0].Derived
	}
	return "data", string(recorded.Data), string(derived.Data) // differs in form only
}

// identical reports whether two messages are the same to the byte and in the form that a sink
// writes. If not, they may still be the same event in another form.
func identical(recorded, derived Message) bool {
	if recorded.Subject != derived.Subject || !bytes.Equal(recorded.Data, derived.Data) {
		return false
	}
	for name, values := range derived.Header {
		if !slices.Equal(recorded.Header[name], values) {
			return false
		}
	}
	for name := range recorded.Header {
		if _, known := derived.Header[name]; !known && len(name) > 2 && strings.EqualFold(name[:3], "ce-") {
			return false
		}
	}
	return true
}

// headers returns the CloudEvents headers in lower case, without what the broker adds.
func headers(m Message) map[string]string {
	kept := map[string]string{}
	for name, values := range m.Header {
		if lower := strings.ToLower(name); strings.HasPrefix(lower, "ce-") && len(values) > 0 {
			kept[lower] = values[0]
		}
	}
	return kept
}

func encoded(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(out)
}

// maxValue is how many characters of a value a difference shows.
const maxValue = 121
