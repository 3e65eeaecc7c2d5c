// Package anthropic asks Anthropic models, or endpoints with the same API, through the official client.
package anthropic

import (
	"context"
	"errors"
	"fmt"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/advisor/model"
)

// Base is the provider's default address.
const Base = "https://api.anthropic.com/"

// Model is a model of this provider.
type Model struct {
	messages sdk.MessageService
	name     string
	key      string
}

// New returns a model. The client ignores whatever its library would read from environment or files: it
// uses only the configured address and key, and sends nothing elsewhere.
func New(base, name, key string, timeout time.Duration) (*Model, error) {
	if base == "" {
		base = Base
	}
	if err := model.Address(base); err != nil {
		return nil, err
	}
	return &Model{name: name, key: key, messages: sdk.NewMessageService(
		option.WithBaseURL(base), option.WithAPIKey(key), option.WithHTTPClient(model.Client(timeout)), option.WithMaxRetries(0),
	)}, nil
}

// Ask sends one question. The instructions are marked for the provider's cache; the record is not.
func (m *Model) Ask(ctx context.Context, p model.Prompt) (model.Reply, error) {
	system := sdk.TextBlockParam{Text: p.System, CacheControl: sdk.NewCacheControlEphemeralParam()}
	params := sdk.MessageNewParams{
		Model: m.name, MaxTokens: int64(p.MaxTokens), System: []sdk.TextBlockParam{system},
		Messages: []sdk.MessageParam{sdk.NewUserMessage(sdk.NewTextBlock(p.User))},
	}
	if p.Schema != nil {
		params.OutputConfig = sdk.OutputConfigParam{Format: sdk.JSONOutputFormatParam{Schema: p.Schema}}
	}
	message, err := m.messages.New(ctx, params)
	if err != nil {
		return model.Reply{}, fmt.Errorf("ask %s: %w", m.name, m.plain(err))
	}
	reply := model.Reply{
		Model: message.Model, Out: int(message.Usage.OutputTokens), Cached: int(message.Usage.CacheReadInputTokens),
		In: int(message.Usage.InputTokens + message.Usage.CacheReadInputTokens + message.Usage.CacheCreationInputTokens),
	}
	for _, block := range message.Content {
		reply.Text += block.Text
	}
	switch message.StopReason {
	case sdk.StopReasonRefusal:
		return reply, fmt.Errorf("ask %s: %w", m.name, model.ErrRefused)
	case sdk.StopReasonMaxTokens:
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
