package ambiguity

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func failed(r *Report) []string {
	out := []string{}
	for _, c := range r.Failed() {
		out = append(out, c.Name)
	}
	return out
}

// PL-30: which of the five checks a ticket fails.
func TestPreflight(t *testing.T) {
	a := analyzer(t)
	for _, test := range []struct {
		name   string
		ticket Ticket
		want   []string
	}{
		{"a clear ticket", Ticket{
			Title: "Return 404 for unknown users", Text: "`GET /users/{id}` answers 500 today.\n\nReturn 404 with an empty body.",
			Criteria: []string{"GET /users/unknown answers 404", "A known id answers 200 as before"},
		}, []string{}},
		{"no criteria is one failure", Ticket{Title: "Rename getUser to fetchUser in src/api/user.go"}, []string{AcceptanceCriteria}},
		{"a plain small ticket", Ticket{Title: "Fix typo in README"}, []string{AcceptanceCriteria}},
		{"a feature without criteria", Ticket{Title: "Add rate limiting to the auth service"}, []string{AcceptanceCriteria}},
		{"a condition to handle", Ticket{Title: "Handle empty input in the parser"}, []string{AcceptanceCriteria}},
		{"a format to support", Ticket{Title: "Support ISO dates in the importer"}, []string{AcceptanceCriteria}},
		{"a request for speed", Ticket{Title: "Make the page load fast"}, []string{Testable, AcceptanceCriteria}},
		{"criteria in the text", Ticket{
			Title: "Export orders as CSV", Text: "Acceptance criteria:\n- One row per order\n- Dates are ISO 8601\n",
		}, []string{}},
		{"criteria under a heading", Ticket{Title: "Export orders", Text: "## Definition of done\n\nThe file opens in Excel."}, []string{}},
		{"given, when, then", Ticket{Title: "Lock accounts", Text: "Given an account, when the fifth login fails, then the account is locked."}, []string{}},
		{"one should alone", Ticket{Title: "The export should contain a header row", Criteria: []string{"Row 1 holds the column names"}}, []string{}},
		{"a wish", Ticket{Title: "Improve error handling in auth module"}, []string{Testable, AcceptanceCriteria}},
		{"an unnamed problem", Ticket{Title: "Fix the auth issue"}, []string{Testable, AcceptanceCriteria}},
		{"a wish with a measure", Ticket{Title: "Improve search latency", Criteria: []string{"p95 of /search is under 200 ms"}}, []string{}},
		{"two tasks", Ticket{
			Title: "Add CSV export and refactor the report module", Criteria: []string{"One row per order"},
		}, []string{NonCompound}},
		{"a second task added", Ticket{
			Title: "Add CSV export", Text: "Write one row per order.\n\nAlso fix the footer of the invoice.", Criteria: []string{"One row per order"},
		}, []string{NonCompound}},
		{"tests and callers are no second task", Ticket{
			Title: "Rename getUser and update its callers", Text: "Add unit tests too.", Criteria: []string{"No use of getUser is left"},
		}, []string{}},
		{"no bounds", Ticket{Title: "Replace tabs with spaces everywhere", Criteria: []string{"No file holds a tab"}}, []string{Scoped}},
		{"everything at once", Ticket{
			Title: "Make everything better", Text: "It should be fast and easy. Clean up stuff etc. and refactor the rest.",
		}, []string{Unambiguous, Testable, NonCompound, AcceptanceCriteria, Scoped}},
		{"background does not count", Ticket{
			Title: "Cap the retry delay of `client.go` at 30 s", Text: "## Background\n\nIt should have been fast. Many users might see some errors, maybe often.",
			Criteria: []string{"The delay is never above 30 s"},
		}, []string{}},
		{"criteria that nobody can test", Ticket{Title: "Redesign the settings page", Criteria: []string{"It looks good", "The layout is intuitive"}}, []string{Unambiguous, Testable}},
		{"nothing", Ticket{}, []string{AcceptanceCriteria, Scoped}},
	} {
		require.Equal(t, test.want, failed(a.Analyze(test.ticket)), test.name)
	}
}

// PL-31: once per kind and sentence; only sentences that state the goal or a
// criterion.
func TestWordSignals(t *testing.T) {
	a := analyzer(t)
	for _, test := range []struct {
		name   string
		ticket Ticket
		want   int
	}{
		{"one should", Ticket{Title: "The export should contain a header row"}, 1},
		{"twice in a sentence is once", Ticket{Title: "The export should run and should stop"}, 1},
		{"two sentences", Ticket{Title: "The export should run", Criteria: []string{"The file should open in Excel"}}, 2},
		{"two kinds", Ticket{Title: "The export should be fast"}, 2},
		{"narrative", Ticket{Title: "Export orders", Text: "The page was slow for some users last week."}, 0},
		{"a request in the text", Ticket{Title: "Export orders", Text: "The export must handle many rows."}, 1},
		{"code and quotes", Ticket{Title: "Print `should be fast` and \"it may fail\""}, 0},
		{"a pronoun for the title", Ticket{Title: "Export orders", Text: "It must hold one row per order."}, 0},
		{"a pronoun for nothing", Ticket{Title: "Fix this"}, 1},
		{"a measured word", Ticket{Title: "Make the search fast: under 200 ms"}, 0},
		{"by whom", Ticket{Title: "Input must be validated by the gateway"}, 0},
		{"by default is nobody", Ticket{Title: "Input must be validated by default"}, 1},
	} {
		require.Equal(t, test.want, a.Analyze(test.ticket).WordSignals(), "%s: %+v", test.name, a.Analyze(test.ticket).Sentences)
	}
}

// Hostile text is cut to what is read of it and changes nothing of the answer.
func TestHostileTickets(t *testing.T) {
	a := analyzer(t)
	for _, text := range []string{
		strings.Repeat("it should be fast. ", 100_000), strings.Repeat("#", 70_000), strings.Repeat("`", 70_000), strings.Repeat("be ed ", 20_000),
		strings.Repeat("- ", 40_000), "\xff\xfe\x00", strings.Repeat("aed ", 30_000) + "is", strings.Repeat("Background:\n", 10_000), strings.Repeat("(", 60_000),
		"when " + strings.Repeat("is handled ", 6000), strings.Repeat("it ", 22_000), strings.Repeat("please ", 10_000),
	} {
		first := a.Analyze(Ticket{Title: text, Text: text, Criteria: []string{text, text}})
		require.LessOrEqual(t, len(first.Sentences), 400)
		require.Equal(t, first, a.Analyze(Ticket{Title: text, Text: text, Criteria: []string{text, text}}))
	}
}

func FuzzAnalyze(f *testing.F) {
	f.Add("Make it fast", "It should be handled.\n\nAcceptance criteria:\n- ok", "works")
	f.Add("", "# \n**Notes**: x", "")
	f.Add("be", "is ed by", "\x00~`\"")
	f.Add("0", "should Be !led", "0")
	a := analyzer(f)
	f.Fuzz(func(t *testing.T, title, text, criterion string) {
		r := a.Analyze(Ticket{Title: title, Text: text, Criteria: []string{criterion}})
		require.Len(t, r.Checks, 5)
		for i := range r.Sentences {
			require.LessOrEqual(t, len(r.Sentences[i].Signals), 4)
			for _, s := range r.Sentences[i].Signals {
				require.Contains(t, r.Sentences[i].Text, s.Word)
			}
		}
	})
}

func BenchmarkAnalyze(b *testing.B) {
	a := analyzer(b)
	ticket := Ticket{
		Title: "Return 404 for unknown users", Text: strings.Repeat("`GET /users/{id}` answers 500 today. It should answer 404.\n\n", 10),
		Criteria: []string{"GET /users/unknown answers 404", "A known id answers 200 as before"},
	}
	for b.Loop() {
		a.Analyze(ticket)
	}
}
