package rules

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// outside describes why a value violates its field's `range:"0..1"` (numbers, both ends
// included, either may be omitted) or `allow:"a|b"` tag (text); "" if it does not. For a
// list or map the tag applies to each element.
func outside(v reflect.Value, tag reflect.StructTag) string {
	if allowed := tag.Get("allow"); allowed != "" && v.Kind() == reflect.String {
		if words := strings.Split(allowed, "|"); !slices.Contains(words, v.String()) {
			return fmt.Sprintf("%q is not allowed; %s", v.String(), Choices(v.String(), words))
		}
	}
	span := tag.Get("range")
	if span == "" {
		return ""
	}
	number, ok := asFloat(v)
	if !ok {
		return ""
	}
	low, high, _ := strings.Cut(span, "..")
	if below(number, low) || below(-number, negated(high)) {
		return fmt.Sprintf("%v is out of range, allowed is %s", v.Interface(), rangeText(low, high))
	}
	return ""
}

func asFloat(v reflect.Value) (float64, bool) {
	switch {
	case v.CanInt():
		return float64(v.Int()), true
	case v.CanUint():
		return float64(v.Uint()), true
	case v.CanFloat():
		return v.Float(), true
	}
	return 0, false
}

// below reports whether number < limit; a NaN is below every limit, and nothing is below
// a missing one.
func below(number float64, limit string) bool {
	if limit == "" {
		return false
	}
	l, err := strconv.ParseFloat(limit, 64)
	return err != nil || !(number >= l)
}

func negated(limit string) string {
	if limit == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(limit, "-"); ok {
		return rest
	}
	return "-" + limit
}

func rangeText(low, high string) string {
	switch {
	case low == "":
		return "at most " + high
	case high == "":
		return "at least " + low
	}
	return low + " to " + high
}
