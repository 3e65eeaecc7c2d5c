package duplicatebuild

import (
	"testing"

	"github.com/stretchr/testify/require"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestReadsAnnouncements(t *testing.T) { // A1: intent to build naming a thing
	d, err := compile(rules.Default())
	require.NoError(t, err)
	for text, want := range map[string]string{
		"I'll create a new `RateLimiter` class for the endpoint.":               "RateLimiter class",
		"I'll create a new RateLimiter.":                                        "RateLimiter ",
		"Let me write a small helper function called `parseDateRange`.":         "parseDateRange function",
		"I'm building our own retry_with_backoff decorator":                     "retry_with_backoff function",
		"Let me add a new React component named `UserCard` here":                "UserCard ",
		"I'll implement a rate limiter middleware.":                             "rate limiter ",
		"I'll build another helper that parses ranges of dates.":                "parses ranges function",
		"I'll write a function to format the currency amounts for the invoice.": "format currency amounts function",
		"I'll create a new `RateLimiter` instance in server.py.":                "",
		"I'll add a new user_id column.":                                        "",
		"I'll implement the fix.":                                               "",
		"Let me write a plan for this.":                                         "",
		"I'll create a new test helper `makeUser`.":                             "",
		"I've created a new RateLimiter class.":                                 "",
		"I'll implement `parse_date_range` now.":                                "",
		"Let me create a backup and modify the file":                            "",
		"I'll write \xff\x00 a `":                                               "",
	} {
		a, ok := (&plans{&turn{instance: d}}).read(&sessionevents.Segment{Kind: sessionevents.SegmentPlan, Text: text}, &sessionevents.RedFlagHit{})
		require.Equal(t, want != "", ok, "%s: %+v", text, a)
		if ok {
			require.Equal(t, want, a.symbol.Name+" "+a.symbol.Kind, text)
			require.LessOrEqual(t, a.offset+a.length, len(text))
		}
	}
}
