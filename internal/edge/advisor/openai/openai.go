// Package openai asks OpenAI models, or any endpoint with the same API (Ollama, vLLM, llama.cpp, gateways),
// through the official client.
package openai

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
)

// Base is the provider's default address.
const Base = "https://api.openai.com/v1/"

// Model is a model of this provider.
type Model struct {
	completions sdk.ChatCompletionService
	name        string
	key         string
	own         bool // the provider's own endpoint, which enforces a schema
}

// New returns a model. The client ignores whatever its library would read from the environment: it uses
// only the configured address and key, and sends nothing elsewhere.
func New(base, name, key string, timeout time.Duration) (*Model, error) {
	if base == "" {
		base = Base
	}
	if err := model.Address(base); err != nil {
		return nil, err
	}
	options := []option.RequestOption{option.WithBaseURL(base), option.WithHTTPClient(model.Client(timeout)), option.WithMaxRetries(0)}
	if key != "" { // an endpoint on this machine may need none
		options = append(options, option.WithAPIKey(key))
	}
	return &Model{name: name, key: key, own: base == Base, completions: sdk.NewChatCompletionService(options...)}, nil
}

// Ask sends one question.
func (m *Model) Ask(ctx context.Context, p model.Prompt) (model.Reply, error) {
	params := sdk.ChatCompletionNewParams{
		Model:    m.name,
		Messages: []sdk.ChatCompletionMessageParamUnion{sdk.SystemMessage(p.System), sdk.UserMessage(p.User)},
	}
	if m.own {
		params.MaxCompletionTokens = sdk.Int(int64(p.MaxTokens))
	} else {
		params.MaxTokens = sdk.Int(int64(p.MaxTokens)) // the parameter that compatible endpoints support
	}
	if p.Schema != nil {
		params.ResponseFormat = sdk.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
			JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "answer", Schema: p.Schema, Strict: sdk.Bool(true)},
		}}
	}
	completion, err := m.completions.New(ctx, params)
	if err != nil {
		return model.Reply{}, fmt.Errorf("ask %s: %w", m.name, m.plain(err))
	}
	reply := model.Reply{
		Model: completion.Model, In: int(completion.Usage.PromptTokens), Out: int(completion.Usage.CompletionTokens),
		Cached: int(completion.Usage.PromptTokensDetails.CachedTokens),
	}
	if len(completion.Choices) == 0 {
		return reply, fmt.Errorf("ask %s: the response has no answer", m.name)
	}
	choice := completion.Choices[0]
	reply.Text = choice.Message.Content
	switch {
	case choice.Message.Refusal != "" || choice.FinishReason == "content_filter":
		return reply, fmt.Errorf("ask %s: %w", m.name, model.ErrRefused)
	case choice.FinishReason == "length":
		return reply, fmt.Errorf("ask %s: %w", m.name, model.ErrCut)
	}
	return reply, nil
}

// plain returns an error without request or key: a status, or the text of what failed in transit.
func (m *Model) plain(err error) error {
	var api *sdk.Error
	if errors.As(err, &api) {
		return fmt.Errorf("the provider answers with status %d", api.StatusCode)
	}
	return model.WithoutKey(err, m.key)
}
