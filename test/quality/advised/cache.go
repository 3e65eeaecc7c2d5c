package advised

import (
	_ "embed"
	"fmt"

	"go.yaml.in/yaml/v3"

	"github.com/scaffoldwatch/scaffoldwatch/internal/session/opinion"
)

//go:embed cache.yaml
var cacheFile []byte

// cache is what a provider charges for what it knows from the question before.
type cache struct {
	LeastTokens   int     `yaml:"least_tokens"`
	StepTokens    int     `yaml:"step_tokens"`
	Price         float64 `yaml:"price"` // share of the price of other tokens
	BytesPerToken int     `yaml:"bytes_per_token"`
}

var provider = loadCache()

func loadCache() cache {
	var c cache
	if err := yaml.Unmarshal(cacheFile, &c); err != nil || c.StepTokens < 1 || c.BytesPerToken < 1 || c.Price <= 0 ||
		c.Price > 1 {
		panic(fmt.Sprintf("cache.yaml: %v: %+v", err, c)) // it is part of the program
	}
	return c
}

// tokens estimates the tokens of a text.
func tokens(bytes int) int { return (bytes + provider.BytesPerToken - 1) / provider.BytesPerToken }

// known returns how many tokens of a beginning of so many bytes are charged less.
func (c cache) known(bytes int) int {
	n := bytes / c.BytesPerToken
	if n < c.LeastTokens {
		return 0
	}
	return n - (n-c.LeastTokens)%c.StepTokens
}

// charged returns how many tokens at the full price cost as much as so many, of which some are known.
func (c cache) charged(all, known int) int { return all - known + int(float64(known)*c.Price) }

// cost is what questions take.
type cost struct{ questions, tokens, known int }

func (c cost) charged() int { return provider.charged(c.tokens, c.known) }

// costs returns what each of the questions takes, asked in this order.
func costs(asked []*opinion.Question) []cost {
	out := make([]cost, len(asked))
	for i, prefix := range prefixes(asked) {
		q := asked[i]
		out[i] = cost{1, tokens(len(q.Prompt.System) + len(q.User())), provider.known(prefix)}
	}
	return out
}

func (c *cost) add(o cost) {
	c.questions, c.tokens, c.known = c.questions+o.questions, c.tokens+o.tokens, c.known+o.known
}

// prefixes are, of each question, the bytes that it has in common with the beginning of the one before of
// its kind and session, what a model is told included.
func prefixes(asked []*opinion.Question) []int {
	last := map[string]string{}
	out := make([]int, 0, len(asked))
	for _, q := range asked {
		key, text := string(q.Kind)+" "+q.Session, q.Prompt.System+q.Text
		before, n := last[key], 0
		for n < min(len(before), len(text)) && before[n] == text[n] {
			n++
		}
		out = append(out, n)
		last[key] = text
	}
	return out
}
