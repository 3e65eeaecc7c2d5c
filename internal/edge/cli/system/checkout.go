package system

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/gitrun"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hookclient"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/hook/hooktoken"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// Sessions in the checkout.
const (
	writing = "release-plan"
	erasing = "red-build"
)

// checkout is a real Git repository in which two sessions of the demo work at the same time, through the
// hooks that an agent calls. One of them is stopped before it erases the uncommitted work of the other (E3,
// DP-24).
type checkout struct {
	folder string
	call   hookclient.Call
	calls  int
	// unanswered is the reason why the last call was not answered.
	unanswered error
}

// newCheckout creates the repository in data, the demo's folder.
func newCheckout(ctx context.Context, data, address string) (*checkout, error) {
	dialect, err := agents.Hooks().Named("claude-code")
	if err != nil {
		return nil, err
	}
	c := &checkout{folder: filepath.Join(data, "checkout"), call: hookclient.Call{
		Agent: dialect, URL: "http://" + address, Token: hooktoken.Read(demoTokens(data), dialect.Agent), Timeout: 10 * time.Second,
	}}
	c.call.Explain = func(_ string, why error) { c.unanswered = why }
	if err := c.write("main.go", "package main\n"); err != nil {
		return nil, err
	}
	git := gitrun.Command{Dir: c.folder}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"},
		{"add", "."},
		{"-c", "user.name=demo", "-c", "user.email=demo@example.org", "commit", "-q", "--no-verify", "-m", "first"},
	} {
		if _, err := git.Run(ctx, args...); err != nil {
			return nil, fmt.Errorf("create the demo's repository: %w", err)
		}
	}
	return c, nil
}

// demoTokens returns where the demo keeps its hook tokens, apart from the user's own.
func demoTokens(data string) string { return filepath.Join(data, "tokens") }

func (c *checkout) write(name, text string) error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return fmt.Errorf("create the demo's repository: %w", err)
	}
	if err := os.WriteFile(filepath.Join(c.folder, name), []byte(text), 0o600); err != nil {
		return fmt.Errorf("write the demo's repository: %w", err)
	}
	return nil
}

// play makes the calls of both sessions in their order.
func (c *checkout) play(ctx context.Context) error {
	plan := filepath.Join(c.folder, "plan.md")
	const text = "1. Freeze the API.\n2. Tag the release.\n"
	clean := map[string]any{"command": "git clean -fd && go vet ./..."}
	vet := map[string]any{"command": "go vet ./..."}
	starts := map[string]any{"source": "startup"}
	steps := []func() error{
		func() error { return c.hook(ctx, writing, "SessionStart", starts) },
		c.prompt(ctx, writing, "Write the plan of the release into plan.md."),
		c.tool(ctx, writing, "Write", map[string]any{"file_path": plan, "content": text}, func() (any, error) {
			return map[string]any{"type": "create", "filePath": plan, "content": text}, c.write("plan.md", text)
		}),
		func() error { return c.hook(ctx, erasing, "SessionStart", starts) },
		c.prompt(ctx, erasing, "The build is red. Find out why."),
		c.tool(ctx, erasing, "Bash", clean, func() (any, error) {
			return nil, errors.New("the demo's `git clean` was let through, although another session's plan.md is not committed")
		}),
		c.tool(ctx, erasing, "Bash", vet, func() (any, error) { return map[string]any{"stdout": "", "stderr": ""}, nil }),
		func() error { return c.hook(ctx, erasing, "Stop", nil) },
		func() error { return c.hook(ctx, writing, "Stop", nil) },
		func() error { return c.hook(ctx, erasing, "SessionEnd", map[string]any{"reason": "other"}) },
		func() error { return c.hook(ctx, writing, "SessionEnd", map[string]any{"reason": "other"}) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (c *checkout) prompt(ctx context.Context, session, text string) func() error {
	return func() error { return c.hook(ctx, session, "UserPromptSubmit", map[string]any{"prompt": text}) }
}

// tool asks the hook before a tool runs, and runs the tool if it may.
func (c *checkout) tool(ctx context.Context, session, name string, input map[string]any, run func() (any, error)) func() error {
	return func() error {
		c.calls++
		fields := map[string]any{"tool_name": name, "tool_use_id": fmt.Sprintf("toolu_%d", c.calls), "tool_input": input}
		why, err := c.ask(ctx, session, "PreToolUse", fields)
		if err != nil {
			return err
		}
		if why != "" {
			return nil // the feed shows the denial
		}
		if fields["tool_response"], err = run(); err != nil {
			return err
		}
		return c.hook(ctx, session, "PostToolUse", fields)
	}
}

func (c *checkout) hook(ctx context.Context, session, name string, fields map[string]any) error {
	_, err := c.ask(ctx, session, name, fields)
	return err
}

// ask makes one call as Claude Code does, and returns why a tool must not run, "" if it may.
func (c *checkout) ask(ctx context.Context, session, name string, fields map[string]any) (why string, err error) {
	payload := map[string]any{"session_id": session, "cwd": c.folder, "hook_event_name": name}
	for key, value := range fields {
		payload[key] = value
	}
	input, err := json.Marshal(payload)
	if err != nil {
		return "", fmt.Errorf("encode the hook %s: %w", name, err)
	}
	var reply bytes.Buffer
	if err := errors.Join(c.call.Answer(ctx, bytes.NewReader(input), &reply), c.unanswered); err != nil {
		return "", fmt.Errorf("hook %s of %s: %w", name, session, err)
	}
	var answer struct {
		Output struct {
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	if err := json.NewDecoder(&reply).Decode(&answer); err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("answer to the hook %s: %w", name, err)
	}
	if answer.Output.Decision != string(sessionevents.HookDeny) {
		return "", nil
	}
	return answer.Output.Reason, nil
}
