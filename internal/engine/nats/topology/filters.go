package topology

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events/subjects"
)

// HeaderOperation is the broker's mark of a key of a bucket that was deleted.
const HeaderOperation = "KV-Operation"

// ControlPrefix and RulesPrefix begin the subjects of the keys of two buckets.
const (
	ControlPrefix = "$KV." + BucketControl + "."
	RulesPrefix   = "$KV." + BucketRules + "."
)

// InputFilter returns the filter of the messages of a group in INPUT; the group may be "*".
func InputFilter(partition int, group string) string {
	return "*.*." + strconv.Itoa(partition) + "." + group + ".*"
}

// OutputFilters returns the filters of the events that a stage writes in a
// partition of a stream.
func OutputFilters(stream events.Stream, partition int) (filters []string) {
	p := strconv.Itoa(partition)
	for _, class := range subjects.Classes(stream) {
		filters = append(filters, class+"."+p+".*.*")
	}
	return append(filters, Forwarded(stream)+".*.*."+p+".*.*")
}

// GroupFilters returns the filters of a group's events in a derived stream: the
// stream's own types and forwarded ones.
func GroupFilters(partition int, group string) []string {
	p := strconv.Itoa(partition)
	return []string{"*.*." + p + "." + group + ".*", "*.*.*." + p + "." + group + ".*"}
}

// SkipSubject returns where a stage records which inputs of a group it skipped.
func SkipSubject(name string, partition int, group string) string {
	return "skip." + name + "." + strconv.Itoa(partition) + "." + group
}

// Forwarded returns the first token of the subjects of forwarded events.
func Forwarded(stream events.Stream) string { return strings.ToLower(string(stream)) }

// GroupOf returns the group in an event's subject.
func GroupOf(subject string) string {
	tokens := strings.Split(subject, ".")
	if len(tokens) < 2 {
		return ""
	}
	return tokens[len(tokens)-2]
}
