package notify_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/notify"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// PL-50: a secret in the file is an error with file, line and cure, which does
// not quote it; so is everything else that cannot be meant.
func TestPL50SettingsThatAreRefused(t *testing.T) {
	token := strings.Join([]string{"https://hooks.slack.example/services/T000", "B000", "abcdefabcdef"}, "/")
	cases := map[string]string{
		"channels:\n  - id: ops-slack\n    kind: slack\n    url: " + token + "\n":                              "notify.yaml:4: channels.0.url: it is a secret and must not be written here; put it into an environment variable and write its name, for example $OPS_SLACK_URL",
		"channels:\n  - {id: a, kind: slak, url: $A}\n":                                                        `notify.yaml:2: channels.a.kind: "slak" is not allowed; did you mean "slack"?`,
		"channels:\n  - {id: a, kind: slack}\n":                                                                "notify.yaml:2: channels.0: the channel a of kind slack needs the key url",
		"channels:\n  - {id: a, kind: slack, url: $A, topic: x}\n":                                             "notify.yaml:2: channels.0.topic: a channel of kind slack has no key topic",
		"channels:\n  - {id: a, kind: console}\n  - {id: a, kind: console}\n":                                  "two channels \"a\"",
		"channels:\n  - {kind: console}\n":                                                                     "a channel needs an id",
		"channels:\n  - {id: a, kind: console, notices: [brake]}\n":                                            `"brake" is not a notice; did you mean "break"?`,
		"operator:\n  channels: [b]\n":                                                                         `notify.yaml:2: operator.channels.0: "b" is not a channel`,
		"operator:\n  group_wait: -1s\n":                                                                       "notify.yaml:2: operator.group_wait: -1s is negative",
		"hours: {days: [someday]}\n":                                                                           `notify.yaml:1: hours.days.0: "someday" is not a day`,
		"channels:\n  - id: a\n    kind: console\n    hours: {start: \"9\", end: \"10:00\"}\n":                 `notify.yaml:4: channels.a.hours.start: "9" is not a time of day`,
		"link: runs.example/{run}\n":                                                                           "notify.yaml:1: link: must be an address such as https://runs.example.org/{run}",
		"channels:\n  - {id: a, kind: slack, url: $A, previous_secret: $B}\n":                                  "a channel of kind slack has no key previous_secret",
		"channels:\n  - {id: a, kind: webhook, url: $A, secret: $B, previous_secret: abcdefabcdef}\n":          "for example $A_PREVIOUS_SECRET",
		"channels:\n  - {id: a, kind: teams}\n":                                                                "the channel a of kind teams needs the key url",
		"channels:\n  - {id: a, kind: discord}\n":                                                              "the channel a of kind discord needs the key url",
		"channels:\n  - {id: a, kind: ntfy}\n":                                                                 "the channel a of kind ntfy needs the key topic",
		"channels:\n  - {id: a, kind: pagerduty}\n":                                                            "the channel a of kind pagerduty needs the key token",
		"channels:\n  - {id: a, kind: email, server: 'x:25', from: a@example.org}\n":                           "the channel a of kind email needs the key to",
		"channels:\n  - {id: a, kind: webhook, url: $A}\n":                                                     "the channel a of kind webhook needs the key secret",
		"channels:\n  - {id: a, kind: shoutrrr}\n":                                                             "the channel a of kind shoutrrr needs the key url",
		"channels:\n  - {id: a, kind: console, url: $A}\n":                                                     "a channel of kind console has no key url",
		"channels:\n  - {id: a, kind: email, server: x, from: a@example.org, to: [b@example.org], tls: yes}\n": "is not allowed",
		"max_age: -1h\n":         "max_age: must be 0 (no limit) or more",
		"retry: {attempts: 0}\n": "retry.attempts: 0 is out of range",
		"retry: {first: 0s}\n":   "retry.first: must be more than 0",
		"chanels: []\n":          `notify.yaml:1: unknown key "chanels"; did you mean "channels"?`,
		"channels:\n  - {id: n, kind: ntfy, topic: t, server: 'https://u:p@ntfy.example'}\n": "without user or query",
	}
	for text, want := range cases {
		_, err := notify.Parse("notify.yaml", []byte(text), words(t))
		require.ErrorContains(t, err, want)
		require.NotContains(t, err.Error(), "abcdefabcdef")
	}
}

// A variable that is missing, or whose content cannot be used, is named; its
// content is not.
func TestPL50SecretsComeFromTheEnvironment(t *testing.T) {
	f := parse(t, "channels:\n  - {id: a, kind: slack, url: $A_URL}\n  - {id: b, kind: webhook, url: $B_URL, secret: $B_SECRET}\n")
	_, err := f.Posts(environ(map[string]string{"B_URL": "http://127.0.0.1:1/x", "B_SECRET": "tooshortsecret"}), nil)
	require.ErrorContains(t, err, "channel a: the environment variable A_URL (url) is empty")
	require.ErrorContains(t, err, "channel b: its secret must be whsec_")
	require.NotContains(t, err.Error(), "tooshort")
	_, err = f.Posts(environ(map[string]string{"A_URL": "hooks.example/abcdefgh", "B_URL": "ftp://x/abcdefgh", "B_SECRET": hook}), nil)
	require.ErrorContains(t, err, "channel a: its address must begin with http:// or https://")
	require.ErrorContains(t, err, "channel b: its address must begin with http:// or https://")
	require.NotContains(t, err.Error(), "abcdefgh")
}

// A topic that is a secret, and a user, may come from the environment.
func TestPL50TopicFromTheEnvironment(t *testing.T) {
	s := newServer(t)
	post := one(t, "{id: c, kind: ntfy, server: '"+s.URL+"', topic: $TOPIC}", map[string]string{"TOPIC": "agents-" + "x7f3"})
	require.NoError(t, post.Send(t.Context(), &message))
	require.Equal(t, "agents-"+"x7f3", s.got()[0].data["topic"])
	require.Equal(t, []string{"c"}, parse(t, "channels:\n  - {id: c, kind: console}\n  - {id: d, kind: console}\nteam: {channels: [d]}\n").Unused())
}

func FuzzParse(f *testing.F) {
	f.Add("channels:\n  - {id: a, kind: slack, url: $A}\noperator: {channels: [a]}\n")
	f.Add("hours: {days: [mon-fri], start: \"22:00\", end: \"06:00\"}\n")
	f.Add("channels: [{id: a, kind: email, to: [x], hours: null}]")
	words, err := notice.LoadWords(rules.Default())
	require.NoError(f, err)
	f.Fuzz(func(_ *testing.T, text string) {
		file, err := notify.Parse("notify.yaml", []byte(text), words)
		if err == nil {
			_, _ = file.Posts(environ(nil), nil)
		}
	})
}
