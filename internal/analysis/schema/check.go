package schema

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// Problem is one way in which a document violates its contract.
type Problem struct {
	Path string // JSON pointer into the document; "/" is the whole document
	What string
	// Unknown is set for a field that the contract does not define, if it allows no
	// others.
	Unknown bool
}

// Check compares a document with the contract. It returns the first problems in the order
// of their paths, none if the document is valid. It fails with [ErrTooLarge], or if the
// document is not JSON.
func (s *Schema) Check(text []byte) ([]Problem, error) {
	found, err := s.all(text)
	return found[:min(len(found), maxProblems)], err
}

// CheckApart is Check with forgiven problems returned separately.
func (s *Schema) CheckApart(text []byte, forgiven func(Problem) bool) (broken, apart []Problem, err error) {
	found, err := s.all(text)
	for _, p := range found {
		if forgiven(p) {
			apart = append(apart, p)
		} else {
			broken = append(broken, p)
		}
	}
	return broken[:min(len(broken), maxProblems)], apart[:min(len(apart), maxProblems)], err
}

// all returns every problem of the document, in the order of their paths.
func (s *Schema) all(text []byte) ([]Problem, error) {
	if len(text) > MaxDocumentBytes || deeper(text, MaxDepth) || s.steps*len(text) > maxWork {
		return nil, ErrTooLarge
	}
	document, err := value(text, MaxDocumentBytes)
	if err != nil {
		return nil, err
	}
	var broken *jsonschema.ValidationError
	if !errors.As(s.compiled.Validate(document), &broken) {
		return nil, nil
	}
	found := leaves(broken, nil)
	slices.SortFunc(found, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.What, b.What))
	})
	return slices.Compact(found), nil
}

// leaves returns the causes of all problems. Causes of failed alternatives are left out,
// since their order is random.
func leaves(e *jsonschema.ValidationError, into []Problem) []Problem {
	switch k := e.ErrorKind.(type) {
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			into = append(into, Problem{Path: pointer(e.InstanceLocation, name), What: notAField, Unknown: true})
		}
		return into
	case *kind.Required:
		for _, name := range k.Missing {
			into = append(into, Problem{Path: pointer(e.InstanceLocation, name), What: "is missing"})
		}
		return into
	case *kind.AnyOf, *kind.OneOf, *kind.Not, *kind.PropertyNames, *kind.Contains:
		return append(into, problem(e))
	}
	if len(e.Causes) == 0 {
		return append(into, problem(e))
	}
	for _, cause := range e.Causes {
		into = leaves(cause, into)
	}
	return into
}

var escape = strings.NewReplacer("~", "~0", "/", "~1")

// pointer returns a JSON pointer (RFC 6901), shortened whatever a document calls its
// fields.
func pointer(path []string, more ...string) string {
	var out strings.Builder
	for _, token := range slices.Concat(path, more) {
		out.WriteString("/" + escape.Replace(token))
	}
	if out.Len() == 0 {
		return "/"
	}
	return short(out.String())
}

// problemText returns the first problem of a schema.
func problemText(err error) string {
	var invalid *jsonschema.SchemaValidationError
	var broken *jsonschema.ValidationError
	if errors.As(err, &invalid) && errors.As(invalid.Err, &broken) {
		found := leaves(broken, nil)
		slices.SortFunc(found, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.What, b.What))
		})
		if len(found) > 0 {
			return "at " + found[0].Path + ": " + found[0].What
		}
	}
	return strings.ReplaceAll(err.Error(), location, "the schema")
}

// short shortens a text that quotes the input.
func short(s string) string {
	const most = 200
	if len(s) <= most {
		return text.Valid(s)
	}
	return text.Cut(s, most) + " (" + strconv.Itoa(len(s)) + " bytes)"
}
