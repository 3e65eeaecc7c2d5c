package schema

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const notAField = "is not a field of the contract"

// problem returns what a document violates at one place.
func problem(e *jsonschema.ValidationError) Problem {
	out := Problem{Path: pointer(e.InstanceLocation), What: short(text(e))}
	if _, is := e.ErrorKind.(*kind.FalseSchema); is && len(e.InstanceLocation) > 0 {
		out.What, out.Unknown = "is not allowed here", true
	}
	return out
}

// text describes a limit; for everything else it returns the library's text.
func text(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.MinItems:
		return bound("items", k.Got, "least", k.Want)
	case *kind.MaxItems:
		return bound("items", k.Got, "most", k.Want)
	case *kind.MinLength:
		return bound("characters", k.Got, "least", k.Want)
	case *kind.MaxLength:
		return bound("characters", k.Got, "most", k.Want)
	case *kind.MinProperties:
		return bound("fields", k.Got, "least", k.Want)
	case *kind.MaxProperties:
		return bound("fields", k.Got, "most", k.Want)
	case *kind.Format:
		if k.Want == "regex" { // of a schema: an invalid pattern
			return fmt.Sprintf("is not a valid %s: %v", k.Want, k.Err)
		}
		return fmt.Sprintf("is not a valid %s", k.Want)
	}
	return e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

func bound(what string, got int, side string, want int) string {
	return fmt.Sprintf("number of %s: %d, at %s %d allowed", what, got, side, want)
}
