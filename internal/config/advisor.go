package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Providers of a second opinion.
const (
	AdvisorAnthropic = "anthropic"
	AdvisorOpenAI    = "openai" // and compatible endpoints, see base_url
	AdvisorExec      = "exec:"  // a command that reads the question and prints the answer
	AdvisorMock      = "mock"   // for tests and the demo
)

// What an advisor may be asked.
const (
	AdvisorConfirm = "confirm" // about signals (AD-2)
	AdvisorAdd     = "add"     // about what is new in a session (AD-3)
)

// Advisor configures the model that gives second opinions (AD-1). Without a provider none is asked,
// and nothing is sent anywhere.
type Advisor struct {
	Provider string `koanf:"provider"` // anthropic, openai, "exec: COMMAND", mock; "" disables the advisor
	Model    string `koanf:"model"`
	BaseURL  string `koanf:"base_url"` // for a compatible endpoint or gateway; "" means the provider's own
	// Key is the provider's key: "$NAME" reads the environment, an absolute path reads a file.
	Key string `koanf:"key"`
	// Asks lists what it is asked: confirm, add.
	Asks []string `koanf:"asks"`

	Timeout     time.Duration `koanf:"timeout"`      // of one question
	Concurrency int           `koanf:"concurrency"`  // concurrent questions
	Waiting     int           `koanf:"waiting"`      // pending questions; beyond that the oldest is dropped
	AnswerLimit int           `koanf:"answer_limit"` // tokens of an answer

	PerSession   int `koanf:"per_session"` // questions per session
	PerHour      int `koanf:"per_hour"`
	PerDay       int `koanf:"per_day"`
	TokensPerDay int `koanf:"tokens_per_day"`
	// CostPerDay is in US dollars, computed from Prices; 0 means no limit.
	CostPerDay float64 `koanf:"cost_per_day"`
	// Prices are in US dollars per million tokens, each as MODEL=IN/OUT or MODEL=IN/OUT/CACHED.
	Prices []string `koanf:"prices"`

	// After this many consecutive failures nothing is asked for a while.
	BreakAfter int           `koanf:"break_after"`
	BreakFor   time.Duration `koanf:"break_for"`
}

func defaultAdvisor() Advisor {
	return Advisor{
		Asks: []string{AdvisorConfirm, AdvisorAdd}, Timeout: 20 * time.Second, Concurrency: 2, Waiting: 32, AnswerLimit: 800,
		PerSession: 40, PerHour: 120, PerDay: 600, TokensPerDay: 3_000_000, CostPerDay: 5, BreakAfter: 5, BreakFor: 2 * time.Minute,
	}
}

// Configured reports whether there is an advisor.
func (a Advisor) Configured() bool { return a.Provider != "" }

// Price is the price of a model, in US dollars per million tokens.
type Price struct{ In, Out, Cached float64 }

// PriceOf returns the price of a model, false if the table does not have it. An entry applies to all names
// that begin with it ("claude-sonnet").
func (a Advisor) PriceOf(model string) (Price, bool) {
	best, found, price := -1, false, Price{}
	for _, entry := range a.Prices {
		name, p, err := parsePrice(entry)
		if err == nil && len(name) > best && strings.HasPrefix(model, name) {
			best, found, price = len(name), true, p
		}
	}
	return price, found
}

func parsePrice(entry string) (string, Price, error) {
	name, rest, is := strings.Cut(entry, "=")
	parts := strings.Split(rest, "/")
	if !is || name == "" || len(parts) < 2 || len(parts) > 3 {
		return "", Price{}, fmt.Errorf("%q is not MODEL=IN/OUT or MODEL=IN/OUT/CACHED", entry)
	}
	var values [3]float64
	for i, part := range parts {
		v, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil || !(v >= 0 && v < 1e6) {
			return "", Price{}, fmt.Errorf("%q: %q is not a price in US dollars", entry, part)
		}
		values[i] = v
	}
	if len(parts) == 2 {
		values[2] = values[0]
	}
	return name, Price{In: values[0], Out: values[1], Cached: values[2]}, nil
}

func checkAdvisor(a Advisor, check func(ok bool, key string, value any, cure string)) {
	known := slices.Contains([]string{"", AdvisorAnthropic, AdvisorOpenAI, AdvisorMock}, a.Provider)
	command, exec := strings.CutPrefix(a.Provider, AdvisorExec)
	check(known || exec && strings.TrimSpace(command) != "", "advisor.provider", a.Provider, "must be anthropic, openai, mock or `exec: COMMAND`")
	remote := a.Provider == AdvisorAnthropic || a.Provider == AdvisorOpenAI
	check(!remote || a.Model != "", "advisor.model", a.Model, "name the model that is asked")
	check(!remote || a.BaseURL != "" || a.Key != "", "advisor.key", "", "must be $NAME (an environment variable) or the path of a file")
	check(a.Key == "" || strings.HasPrefix(a.Key, "$") || strings.HasPrefix(a.Key, "/") || strings.Contains(a.Key, `:\`), "advisor.key", "(not shown)", "must be $NAME or the absolute path of a file, not the key itself")
	for _, asks := range a.Asks {
		check(asks == AdvisorConfirm || asks == AdvisorAdd, "advisor.asks", asks, "must be confirm, add or both")
	}
	check(a.Timeout >= time.Second && a.Timeout <= 10*time.Minute, "advisor.timeout", a.Timeout, "must be 1s to 10m")
	check(a.Concurrency >= 1 && a.Concurrency <= 64, "advisor.concurrency", a.Concurrency, "must be 1 to 64")
	check(a.Waiting >= 1 && a.Waiting <= 10000, "advisor.waiting", a.Waiting, "must be 1 to 10000")
	check(a.AnswerLimit >= 100 && a.AnswerLimit <= 32000, "advisor.answer_limit", a.AnswerLimit, "must be 100 to 32000 tokens")
	for key, n := range map[string]int{"per_session": a.PerSession, "per_hour": a.PerHour, "per_day": a.PerDay, "tokens_per_day": a.TokensPerDay} {
		check(n >= 1, "advisor."+key, n, "must be at least 1")
	}
	check(a.CostPerDay >= 0, "advisor.cost_per_day", a.CostPerDay, "must be 0 (no limit) or more US dollars")
	check(a.BreakAfter >= 1, "advisor.break_after", a.BreakAfter, "must be at least 1")
	check(a.BreakFor >= time.Second, "advisor.break_for", a.BreakFor, "must be at least 1s")
	for _, entry := range a.Prices {
		_, _, err := parsePrice(entry)
		check(err == nil, "advisor.prices", entry, "must be MODEL=IN/OUT or MODEL=IN/OUT/CACHED in US dollars per million tokens")
	}
}
