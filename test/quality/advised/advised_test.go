package advised

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/measure"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// AD-8: questions are written as files without labels, answers are read from files, and a table shows what
// they change.
func TestQuestionsAndAnswersAreFiles(t *testing.T) {
	shared := shareddata.Require(t)
	paths, err := measure.Transcripts(shared)
	require.NoError(t, err)
	data := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(data, "moments"), 0o700))
	require.NoError(t, os.MkdirAll(filepath.Join(data, "transcripts"), 0o700))
	for _, set := range moments.Sets {
		require.NoError(t, os.WriteFile(filepath.Join(data, "moments", set+".jsonl"), nil, 0o600))
	}
	for i := 0; i < len(paths); i += max(1, len(paths)/12) { // some of each folder
		text, err := os.ReadFile(paths[i])
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(data, "transcripts", filepath.Base(paths[i])), text, 0o600))
	}
	core, err := machines.New(machines.Options{Rules: rules.Default()})
	require.NoError(t, err)
	questions, answers := filepath.Join(data, "questions"), filepath.Join(data, "answers")
	n, err := WriteQuestions(core, data, questions, "", "", Sample{})
	require.NoError(t, err)
	require.Positive(t, n)

	require.NoError(t, os.MkdirAll(answers, 0o700))
	files, err := filepath.Glob(filepath.Join(questions, "signal-*.md"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		require.LessOrEqual(t, len(text), 17_000, file)
		require.NotContains(t, string(text), data, "no label, no place")
		id := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "signal-"), ".md")
		answer := `{"verdict":"refuted","worth_saying":"no","why":"Put right.","quotes":["=== RECORD"]}`
		require.NoError(t, os.WriteFile(filepath.Join(answers, id+".json"), []byte(answer), 0o600))
	}
	table, unread, err := Table(core, data, answers, "")
	require.NoError(t, err)
	require.Contains(t, table, "questions about signals")
	require.Regexp(t, `; [1-9]\d* answered, 0 of them void`, table)
	require.NotContains(t, unread, "Put right.", "what is refuted is not said, so there is nothing to read")
	table, _, err = Table(core, data, "", "")
	require.NoError(t, err)
	require.Contains(t, table, "Not measured: no answers")
}

// A provider may have cached the prefix that a question shares with the previous one of its session and kind.
func TestPrefixes(t *testing.T) {
	ask := func(session, text string, kind sessionevents.QuestionKind) *opinion.Question {
		return &opinion.Question{Session: session, Kind: kind, Text: text, Prompt: opinion.Prompt{System: "s:"}}
	}
	require.Equal(t, []int{0, 0, 6, 0, 5}, prefixes([]*opinion.Question{
		ask("a", "task one", "signal"), ask("b", "task", "signal"), ask("a", "taskless", "signal"),
		ask("a", "task", "digest"), ask("b", "tas", "signal"),
	}))
}

// Each form that is compared is whole, shorter than the one before, and asks the same; the product's is one of them.
func TestForms(t *testing.T) {
	product, err := formOf("")
	require.NoError(t, err)
	var before *opinion.Config
	chosen := 0
	for _, name := range Forms {
		form, err := formOf(name)
		require.NoError(t, err)
		require.Equal(t, product.Prompts, form.Prompts)
		require.Equal(t, product.Findings, form.Findings)
		require.InDelta(t, product.Question.AskFrom, form.Question.AskFrom, 0)
		if before != nil {
			require.Less(t, form.Question.Most, before.Question.Most, name)
			require.Less(t, form.Question.Result, before.Question.Result, name)
			require.Less(t, form.Digest.Most, before.Digest.Most, name)
		}
		if before = form; reflect.DeepEqual(form, product) {
			chosen++
		}
	}
	require.Equal(t, 1, chosen, "the product asks in one of the forms that were compared")
	_, err = formOf("none")
	require.Error(t, err)
}

// What a provider knows counts from a least number of tokens on, in steps, at its share of the price.
func TestCache(t *testing.T) {
	c := cache{LeastTokens: 1024, StepTokens: 128, Price: 0.1, BytesPerToken: 4}
	require.Zero(t, c.known(4095))
	require.Equal(t, 1024, c.known(4096))
	require.Equal(t, 1024, c.known(4*1151))
	require.Equal(t, 1152, c.known(4*1152))
	require.Equal(t, 3000, c.charged(3000, 0))
	require.Equal(t, 3000-1024+102, c.charged(3000, 1024))
	require.Equal(t, 0.1, provider.Price) //nolint:testifylint // as it is written
}

// Judgements and kinds take turns; the seed decides within a kind, and a signal without a judgement is never drawn.
func TestSample(t *testing.T) {
	var asked []*opinion.Question
	read := map[string]moments.Reading{}
	add := func(j moments.Judgement, detector string, n int) {
		for i := range n {
			id := fmt.Sprintf("%s %s %d", j, detector, i)
			asked = append(asked, &opinion.Question{Signal: id, Detector: detector}, &opinion.Question{
				Signal:   id,
				Detector: detector,
			})
			if j != "" {
				read[id] = moments.Reading{Kind: detector, Judgement: j}
			}
		}
	}
	add(moments.Right, "C4", 90)
	add(moments.Right, "E1", 5)
	add(moments.Wrong, "E1", 4)
	add(moments.Slight, "D3", 2)
	add("", "A1", 50)
	asked = append(asked, &opinion.Question{})
	count := func(s Sample) (map[string]int, map[string]bool) {
		n, drawn := map[string]int{}, s.draw(asked, read)
		for id := range drawn {
			n[id[:strings.LastIndexByte(id, ' ')]]++
		}
		return n, drawn
	}
	n, one := count(Sample{20, "a"})
	require.Equal(t, map[string]int{"right C4": 9, "right E1": 5, "wrong E1": 4, "slight D3": 2}, n)
	_, again := count(Sample{20, "a"})
	require.Equal(t, one, again)
	_, other := count(Sample{20, "b"})
	require.NotEqual(t, one, other)
	n, _ = count(Sample{1000, "a"})
	require.Equal(t, map[string]int{"right C4": mostOfAKind, "right E1": 5, "wrong E1": 4, "slight D3": 2}, n)
}

// An answer counts by its verdict and by what readers say; one that is void or unsure decides nothing.
func TestFiguresOfAForm(t *testing.T) {
	config, err := formOf("")
	require.NoError(t, err)
	q := &opinion.Question{
		Kind: sessionevents.QuestionSignal, Session: "s", Signal: "s",
		Text: "the tests failed twice",
	}
	f := &formFigures{
		kept: map[moments.Judgement]int{}, held: map[moments.Judgement]int{},
		open: map[moments.Judgement]int{},
	}
	give := func(verdict, worth, quote string, judged moments.Judgement) {
		text := fmt.Sprintf(`{"verdict":%q,"worth_saying":%q,"why":"x","quotes":[%q]}`, verdict, worth, quote)
		f.take(config, q, text, true, judged)
		f.sample.add(cost{1, 1000, 0})
	}
	give("confirmed", "yes", "tests failed", moments.Right)
	give("confirmed", "yes", "tests failed", moments.Right)
	give("confirmed", "yes", "tests failed", moments.Wrong)
	give("confirmed", "no", "tests failed", moments.Slight)
	give("refuted", "no", "tests failed", moments.Wrong)
	give("unsure", "no", "", moments.Right)
	give("refuted", "no", "tests passed", moments.Wrong) // no such passage
	f.take(config, q, "", false, moments.Right)
	require.Equal(t, "| half | 22 | 7 of 8 | 2 / 0 / 1 | 67% (2 of 3) | 67% (2 of 3) | 100% (1 of 1) | 33% (1 of "+
		"3) | 2 (1 void) "+
		"| 1000 | 1000 | 0.67 | 0.29 |\n", f.row("half", 22, 8))
	none := &formFigures{sample: cost{2, 3000, 1024}}
	require.Equal(t, "| half | 22 | not yet | — | — | — | — | — | — | 1500 | 1039 | — | — |\n", none.row("half", 22, 8))
}
