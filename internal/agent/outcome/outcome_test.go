package outcome

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

func TestUserText(t *testing.T) {
	p := Default()
	for name, c := range map[string][2]string{
		"plain":                     {"fix a < b and c > d", "fix a < b and c > d"},
		"a reminder before":         {"<system-reminder>be nice</system-reminder>\n\nfix it", "fix it"},
		"a reminder between":        {"fix <system-reminder>x</system-reminder>it", "fix it"},
		"several":                   {"<command-name>/go</command-name><local-command-stdout>x</local-command-stdout>", ""},
		"what the person typed":     {"<command-message>go</command-message><command-args>the tests</command-args>", "the tests"},
		"case and attributes":       {"<ENVIRONMENT_CONTEXT kind=\"x\">cwd</Environment_Context >do it", "do it"},
		"an instruction file":       {"# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>x</INSTRUCTIONS>", ""},
		"a copied summary":          {"This session is being continued from a previous conversation that ran out", ""},
		"tags nobody injects":       {"render <b>bold</b> text", "render <b>bold</b> text"},
		"a tag that is talked of":   {"why is <system-reminder> in my log?", "why is <system-reminder> in my log?"},
		"an open tag at the start":  {"<user_info>\nOS: x", ""},
		"a nested closing tag":      {"<skill>a</other></skill>b", "b"},
		"brackets without a tag":    {"a <> b < c", "a <> b < c"},
		"an interruption":           {"[Request interrupted by user for tool use]", ""},
		"a request and its setting": {"<USER_REQUEST>\ngo\n</USER_REQUEST>\n<USER_SETTINGS_CHANGE>m</USER_SETTINGS_CHANGE>", "go"},
		"after a notification":      {"<task-notification><status>done</status></task-notification>\nRead the output file", ""},
		"hook output":               {"Stop hook feedback:\nrun the tests", ""},
		"a line of the shell's":     {"fix it\nShell cwd was reset to /w\nplease", "fix it\nplease"},
		"going on":                  {"Continue from where you left off.", ""},
	} {
		require.Equal(t, c[1], p.UserText(c[0]), name)
	}
	require.True(t, p.Interrupted(" [Request interrupted by user]"))
	require.False(t, p.Interrupted("please continue"))
}

// A person's refusal is told from a failure, with what the person answered (SW-3).
func TestRejected(t *testing.T) {
	p := Default()
	yes, reply := p.Rejected("The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nuse the other file")
	require.True(t, yes)
	require.Equal(t, "use the other file", reply)
	yes, reply = p.Rejected("[Request interrupted by user for tool use]")
	require.True(t, yes)
	require.Empty(t, reply)
	yes, _ = p.Rejected("error: exit status 1\nthe log says: User rejected the offer")
	require.False(t, yes, "a phrase deep in an output is the program's")
}

func TestCodeAfter(t *testing.T) {
	for text, want := range map[string]int{
		"Exit code 1\nx": 1, "Exit code: 127": 127, `"Exit code":2`: 2, "Exit code -1": -1, "Exit code 0": 0,
	} {
		got := CodeAfter(text, "Exit code")
		require.NotNil(t, got, text)
		require.Equal(t, want, *got, text)
	}
	for _, text := range []string{"", "Exit code", "Exit code x", "Exit code -", "Exit code (none)"} {
		require.Nil(t, CodeAfter(text, "Exit code"), text)
	}
}

// An override of the phrases is used; one of the wrong shape names its place.
func TestLoadOverrides(t *testing.T) {
	set, err := rules.Load("mine.yaml", []byte("adapters:\n  injected_prefixes: [\"BOT:\"]\n"))
	require.NoError(t, err)
	p, err := Load(set)
	require.NoError(t, err)
	require.Empty(t, p.UserText("BOT: hello"))

	set, err = rules.Load("mine.yaml", []byte("adapters:\n  injected_prefixes: [BOT]\n  injected: [x]\n"))
	require.NoError(t, err)
	_, err = Load(set)
	require.ErrorContains(t, err, "mine.yaml:3")
}

func FuzzUserText(f *testing.F) {
	f.Add("<system-reminder>x</system-reminder>y")
	f.Add("<command-args>")
	f.Add(strings.Repeat("<skill", 50))
	p := Default()
	f.Fuzz(func(t *testing.T, text string) {
		require.LessOrEqual(t, len(p.UserText(text)), len(text))
		p.Rejected(text)
		CodeAfter(text, "x")
	})
}
