package notify

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/notify/notice"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/workhours"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// File is the content of the settings file.
type File struct {
	Channels []Channel       `yaml:"channels"`
	Operator notice.Route    `yaml:"operator"`
	Team     notice.Route    `yaml:"team"`
	Hours    workhours.Hours `yaml:"hours"`
	MaxAge   time.Duration   `yaml:"max_age"`
	Retry    notice.Retry    `yaml:"retry"`
	// Link is the address of a run's page, with {run} for its id.
	Link  string `yaml:"link"`
	words *notice.Words
}

// Channel is one way to reach people.
type Channel struct {
	ID      string                        `yaml:"id"`
	Kind    string                        `yaml:"kind" allow:"slack|teams|discord|ntfy|email|pagerduty|webhook|console|shoutrrr"`
	Layers  []runevents.NotificationLayer `yaml:"layers" allow:"operator|team"`
	Notices []string                      `yaml:"notices"`
	Hours   *workhours.Hours              `yaml:"hours"`
	// SendResolved also notifies when an incident is settled; pagerduty does so unless it is false.
	SendResolved *bool `yaml:"send_resolved"`

	URL      Secret   `yaml:"url"`             // slack, teams, discord, webhook, shoutrrr
	Secret   Secret   `yaml:"secret"`          // webhook: signing key
	Previous Secret   `yaml:"previous_secret"` // webhook: additional signing key while the secret is being changed
	Token    Secret   `yaml:"token"`           // pagerduty: routing key; ntfy: access token
	Password Secret   `yaml:"password"`        // email
	User     string   `yaml:"user"`            // email; may be $NAME
	Server   string   `yaml:"server"`          // ntfy, pagerduty: base address; email: host:port
	Topic    string   `yaml:"topic"`           // ntfy; may be $NAME
	From     string   `yaml:"from"`            // email
	To       []string `yaml:"to"`              // email
	TLS      string   `yaml:"tls" allow:"|starttls|implicit|none"`
}

// Secret is the name of an environment variable that holds a secret, as $NAME.
type Secret string

var reference = pattern.Must(`^\$[A-Za-z_][A-Za-z0-9_]*$`)

// needs lists the keys that each kind requires, others those that it accepts.
var needs = map[string]struct{ must, may []string }{
	"slack":     {must: []string{"url"}},
	"teams":     {must: []string{"url"}},
	"discord":   {must: []string{"url"}},
	"ntfy":      {must: []string{"topic"}, may: []string{"server", "token"}},
	"email":     {must: []string{"server", "from", "to"}, may: []string{"user", "password", "tls"}},
	"pagerduty": {must: []string{"token"}, may: []string{"server"}},
	"webhook":   {must: []string{"url", "secret"}, may: []string{"previous_secret"}},
	"console":   {},
	"shoutrrr":  {must: []string{"url"}},
}

// Load reads the settings file. Errors name file, line and cure, and contain no secret.
func Load(path string, words *notice.Words) (*File, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the notification settings: %w", err)
	}
	return Parse(path, data, words)
}

// Parse parses settings; path is the name in errors.
func Parse(path string, data []byte, words *notice.Words) (*File, error) {
	preset := notice.DefaultSettings()
	f := &File{Operator: preset.Operator, Team: preset.Team, MaxAge: preset.MaxAge, Retry: preset.Retry, words: words}
	if err := rules.DecodeFile(path, data, f); err != nil {
		return nil, err
	}
	return f, nil
}

// Validate checks what the types cannot express.
func (f *File) Validate() error {
	for i := range f.Channels {
		if err := f.Channels[i].check(i); err != nil {
			return err
		}
	}
	if f.MaxAge < 0 {
		return &rules.Invalid{Path: []string{"max_age"}, Why: "must be 0 (no limit) or more, for example 24h"}
	}
	if err := checkLink(f.Link); err != nil {
		return err
	}
	_, err := notice.NewDesk(f.words, f.settings(nil))
	return err
}

func checkLink(link string) error {
	if link == "" {
		return nil
	}
	u, err := url.Parse(strings.ReplaceAll(link, "{run}", "run"))
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return &rules.Invalid{Path: []string{"link"}, Why: "must be an address such as https://runs.example.org/{run}, in which {run} becomes the run's id"}
	}
	return nil
}

// Unused returns the channels that no layer names: only a run can select them.
func (f *File) Unused() []string {
	var out []string
	for _, c := range f.Channels {
		if !slices.Contains(f.Operator.Channels, c.ID) && !slices.Contains(f.Team.Channels, c.ID) {
			out = append(out, c.ID)
		}
	}
	return out
}

// Unseen returns a moment of the week after from at which the clock of a question's default runs by the hours
// of the rules while notices of questions are held, zero if there is none (PL-36).
func (f *File) Unseen(clock workhours.Hours, from time.Time) (time.Time, error) {
	window, err := clock.Window()
	if err != nil {
		return time.Time{}, err
	}
	desk, err := notice.NewDesk(f.words, f.settings(nil))
	if err != nil {
		return time.Time{}, err
	}
	return desk.Unseen(window, from), nil
}

var channelID = pattern.Must(`^[A-Za-z0-9_-]{1,64}$`)

func (c *Channel) check(at int) error {
	bad := func(key, why string, arguments ...any) error {
		path := []string{"channels", fmt.Sprint(at)}
		if key != "" {
			path = append(path, key)
		}
		return &rules.Invalid{Path: path, Why: fmt.Sprintf(why, arguments...)}
	}
	if !channelID.MatchString(c.ID) {
		return bad("id", "a channel needs an id of 1 to 64 of A-Z a-z 0-9 _ -")
	}
	if c.Kind == "" {
		return bad("", "the channel %s needs a kind", c.ID)
	}
	rule := needs[c.Kind]
	given := c.given()
	for _, key := range rule.must {
		if !given[key] {
			return bad("", "the channel %s of kind %s needs the key %s", c.ID, c.Kind, key)
		}
	}
	allowed := rules.Lookup(append(append([]string{}, rule.must...), rule.may...))
	for _, key := range []string{"url", "secret", "previous_secret", "token", "password", "user", "server", "topic", "from", "to", "tls"} {
		if given[key] && !allowed[key] {
			return bad(key, "a channel of kind %s has no key %s", c.Kind, key)
		}
	}
	for _, s := range c.secrets() {
		if s.value != "" && !reference.MatchString(string(s.value)) {
			return bad(s.key, "it is a secret and must not be written here; put it into an environment variable and write its name, for example $%s", example(c.ID, s.key))
		}
	}
	if c.Server != "" && c.Kind != "email" {
		if u, err := url.Parse(c.Server); err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Scheme != "https" && u.Scheme != "http" {
			return bad("server", "must be an address such as https://ntfy.example.org, without user or query")
		}
	}
	if strings.ContainsAny(c.From+strings.Join(c.To, ""), "\r\n") {
		return bad("from", "an address has one line")
	}
	return nil
}

func (c *Channel) given() map[string]bool {
	return map[string]bool{
		"url": c.URL != "", "secret": c.Secret != "", "previous_secret": c.Previous != "", "token": c.Token != "", "password": c.Password != "", "user": c.User != "",
		"server": c.Server != "", "topic": c.Topic != "", "from": c.From != "", "to": len(c.To) > 0, "tls": c.TLS != "",
	}
}

// secretKey is a key whose value must come from the environment.
type secretKey struct {
	key   string
	value Secret
}

func (c *Channel) secrets() []secretKey {
	return []secretKey{{"url", c.URL}, {"secret", c.Secret}, {"previous_secret", c.Previous}, {"token", c.Token}, {"password", c.Password}}
}

// named returns the values that come from the environment: secrets, and values that may.
func (c *Channel) named() []secretKey {
	list := c.secrets()
	for _, may := range []secretKey{{"user", Secret(c.User)}, {"topic", Secret(c.Topic)}} {
		if reference.MatchString(string(may.value)) {
			list = append(list, may)
		}
	}
	return list
}

// example returns a suitable name for a variable.
func example(id, key string) string {
	return strings.ToUpper(strings.ReplaceAll(id, "-", "_") + "_" + key)
}

func (c *Channel) resolves() bool {
	if c.SendResolved != nil {
		return *c.SendResolved
	}
	return c.Kind == "pagerduty"
}

// settings returns the settings for the core; marks are those of the channels by id.
func (f *File) settings(marks map[string]string) notice.Settings {
	s := notice.Settings{Operator: f.Operator, Team: f.Team, Hours: f.Hours, MaxAge: f.MaxAge, Retry: f.Retry, Link: f.Link}
	for _, c := range f.Channels {
		s.Channels = append(s.Channels, notice.Channel{
			ID: c.ID, Kind: c.Kind, Layers: c.Layers, Notices: c.Notices, Hours: c.Hours, Mark: marks[c.ID], Resolves: c.resolves(),
		})
	}
	return s
}

// resolve reads the secrets of a channel from the environment.
func (c *Channel) resolve(environ func(string) string) (map[string]string, error) {
	out := map[string]string{}
	var problems []error
	for _, s := range c.named() {
		if s.value == "" {
			continue
		}
		name := strings.TrimPrefix(string(s.value), "$")
		value := strings.TrimSpace(environ(name))
		if value == "" {
			problems = append(problems, fmt.Errorf("channel %s: the environment variable %s (%s) is empty; set it for the reporter", c.ID, name, s.key))
		}
		out[s.key] = value
	}
	return out, errors.Join(problems...)
}
