package assertion

import (
	"fmt"
	"strconv"
	"strings"
)

// kinds maps the words for kinds in rules/assertion.yaml.
var kinds = map[string]form{
	"equal": {Kind: Equal}, "unequal": {Kind: Unequal}, "close": {Kind: Close}, "snapshot": {Kind: Snapshot}, "length": {Kind: Length},
	"null": {Kind: Null}, "empty": {Kind: Empty}, "contains": {Kind: Contains}, "matches": {Kind: Matches}, "throws": {Kind: Throws},
	"true": {Kind: True}, "false": {Kind: False}, "type": {Kind: Type}, "notempty": {Kind: NotEmpty}, "present": {Kind: Present},
	"nothrow": {Kind: NoThrow}, "called": {Kind: Called}, "trivial": {Kind: Trivial}, "absent": {Kind: Contains, Negated: true},
	"less": {Kind: Order, Operator: "<"}, "atmost": {Kind: Order, Operator: "<="}, "greater": {Kind: Order, Operator: ">"}, "atleast": {Kind: Order, Operator: ">="},
}

// forms parses lines such as "assertEqual assertEquals: equal 1 0": a list of names, the
// kind and the positions of the subject and the expected value, which are argument
// numbers, "-" for none, or "." for what precedes the call. Then "~2" may give the
// argument with a tolerance, "places" says that it is a number of decimal places, and
// "=1" gives an expected value that the name implies.
func forms(lines []string) (map[string]form, error) {
	out := map[string]form{}
	for _, line := range lines {
		names, rest, found := strings.Cut(line, ":")
		words := strings.Fields(rest)
		if !found || len(words) == 0 {
			return nil, fmt.Errorf("%q is not \"names: kind subject expected\"", line)
		}
		f, known := kinds[words[0]]
		if !known {
			return nil, fmt.Errorf("%q: unknown kind %q", line, words[0])
		}
		if err := f.arguments(words[1:]); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		for _, name := range strings.Fields(names) {
			out[strings.ToLower(name)] = f
		}
	}
	return out, nil
}

func (f *form) arguments(words []string) error {
	f.Subject, f.Expected, f.Tolerance = -1, -1, -1
	places := []*int{&f.Subject, &f.Expected}
	for _, w := range words {
		switch {
		case w == "places":
			f.Places = true
		case strings.HasPrefix(w, "="):
			f.Literal = w[1:]
		case strings.HasPrefix(w, "~"):
			n, err := strconv.Atoi(w[1:])
			if err != nil {
				return fmt.Errorf("%q is not an argument", w)
			}
			f.Tolerance = n
		case len(places) == 0:
			return fmt.Errorf("%q is one argument too many", w)
		case w == ".":
			f.Receiver = true
			places = places[1:]
		case w == "-":
			places = places[1:]
		default:
			n, err := strconv.Atoi(w)
			if err != nil {
				return fmt.Errorf("%q is not an argument", w)
			}
			*places[0] = n
			places = places[1:]
		}
	}
	return nil
}
