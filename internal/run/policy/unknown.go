package policy

import (
	"fmt"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"

	"github.com/scaffoldwatch/scaffoldwatch/internal/run"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// CodeUnknownValue is the warning about a word that an open vocabulary does not know.
const CodeUnknownValue = "UNKNOWN-VALUE"

// unknownValues is EV-3a: an unknown word of a publisher is kept, read as the worse
// meaning, and warned about once.
var unknownValues = Rule{ID: "EV-3a", On: run.EveryRunEvent(), Run: func(c *Context) {
	for _, one := range events.UnknownValues(c.Event.Data) {
		value := text.Cut(one.Value, maxUnknown)
		key := one.Field + "=" + value
		if slices.Contains(c.state.Unknown, key) {
			continue
		}
		c.state.Unknown = text.Newest(append(c.state.Unknown, key), c.config.Kept.Findings)
		warning := runevents.WarningIssued(c.judgement(CodeUnknownValue,
			fmt.Sprintf("%s of %s is %s, which has no meaning here; it is read as the worse of what it could mean. Known are %s.",
				strings.TrimPrefix(one.Field, "data."), c.Event.Type, quote.Text(value), strings.Join(one.Known, ", "))))
		warning.Rule = "EV-3a"
		c.Warning(warning)
	}
}}

// maxUnknown bounds the quoted word of a publisher.
const maxUnknown = 60
