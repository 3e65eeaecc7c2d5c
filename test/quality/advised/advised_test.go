package advised

import (
	"os"
	"path/filepath"
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

// AD-8: what is asked is written as files without labels, answers are read from files, and a table says
// what they change.
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
	n, err := WriteQuestions(core, data, questions, "", "")
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
	table, err := Table(core, data, answers, "")
	require.NoError(t, err)
	require.Contains(t, table, "questions about signals")
	require.Regexp(t, `; [1-9]\d* answered, 0 of them void`, table)
	table, err = Table(core, data, "", "")
	require.NoError(t, err)
	require.Contains(t, table, "Not measured: no answers")
}

// What a provider may have kept is what a question has in common with the beginning of the one before of its
// session and kind.
func TestPrefixes(t *testing.T) {
	ask := func(session, text string, kind sessionevents.QuestionKind) *opinion.Question {
		return &opinion.Question{Session: session, Kind: kind, Text: text, Prompt: opinion.Prompt{System: "s:"}}
	}
	require.Equal(t, []int{0, 0, 6, 0, 5}, prefixes([]*opinion.Question{
		ask("a", "task one", "signal"), ask("b", "task", "signal"), ask("a", "taskless", "signal"),
		ask("a", "task", "digest"), ask("b", "tas", "signal"),
	}))
}

// Each form that is tried is whole.
func TestForms(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("forms", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	most, err := formOf("")
	require.NoError(t, err)
	for _, file := range files {
		form, err := formOf(file)
		require.NoError(t, err)
		require.Less(t, form.Question.Most, most.Question.Most, file)
		require.Equal(t, most.Prompts, form.Prompts)
	}
	_, err = formOf("none")
	require.Error(t, err)
}
