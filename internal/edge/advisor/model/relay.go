package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
)

// Light opens the configured model without the providers' clients, which weigh megabytes: it asks those
// through the program `advisor` next to this one.
func Light(c config.Advisor) (Model, error) {
	if command, is := strings.CutPrefix(c.Provider, config.AdvisorExec); is {
		words := strings.Fields(command)
		if len(words) == 0 {
			return nil, fmt.Errorf("advisor.provider: %s does not name a command", c.Provider)
		}
		return Command{Name: words[0], Args: words[1:]}, nil
	}
	if c.Provider == config.AdvisorMock {
		return &Mock{How: c.Model}, nil
	}
	program, err := beside()
	if err != nil {
		return nil, err
	}
	return Relay{Program: program, Settings: c}, nil
}

// beside finds the program `advisor` in the folder of this one, or else in PATH.
func beside() (string, error) {
	if own, err := os.Executable(); err == nil {
		if own, err = filepath.EvalSymlinks(own); err == nil {
			program := filepath.Join(filepath.Dir(own), "advisor"+filepath.Ext(own))
			if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() {
				return program, nil
			}
		}
	}
	program, err := exec.LookPath("advisor")
	if err != nil {
		return "", errors.New("the program `advisor`, which holds the clients of the providers, is neither next to this one nor in PATH; install it from the release")
	}
	return program, nil
}

// Relay asks through the program `advisor`, one process for each question. The settings on its command line
// name the key but do not contain it.
type Relay struct {
	Program  string
	Settings config.Advisor
}

// exchange is the output of that program.
type exchange struct {
	Reply   Reply  `json:"reply"`
	Refused bool   `json:"refused,omitempty"`
	Cut     bool   `json:"cut,omitempty"`
	Error   string `json:"error,omitempty"`
}

// Ask runs the program once.
func (r Relay) Ask(ctx context.Context, p Prompt) (Reply, error) {
	question, err := json.Marshal(p)
	if err != nil {
		return Reply{}, fmt.Errorf("encode the question: %w", err)
	}
	args := []string{"ask"}
	for key, value := range map[string]string{
		"advisor.provider": r.Settings.Provider, "advisor.model": r.Settings.Model, "advisor.base_url": r.Settings.BaseURL,
		"advisor.key": r.Settings.Key, "advisor.timeout": r.Settings.Timeout.String(), "log.level": "error",
	} {
		if value != "" {
			args = append(args, "--"+config.FlagName(key)+"="+value)
		}
	}
	cmd := exec.CommandContext(ctx, r.Program, args...)
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(question), reapAfter
	out := &limited{}
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return Reply{}, fmt.Errorf("run %s ask: %w", r.Program, err)
	}
	var answer exchange
	if err := json.Unmarshal(out.kept.Bytes(), &answer); err != nil {
		return Reply{}, fmt.Errorf("read the answer of %s ask: %w", r.Program, err)
	}
	switch {
	case answer.Refused:
		return answer.Reply, ErrRefused
	case answer.Cut:
		return answer.Reply, ErrCut
	case answer.Error != "":
		return answer.Reply, errors.New(answer.Error)
	}
	return answer.Reply, nil
}

// Exchange serves a [Relay]: it reads a question, asks the model and writes the answer.
func Exchange(ctx context.Context, m Model, in io.Reader, out io.Writer) error {
	var p Prompt
	if err := json.NewDecoder(io.LimitReader(in, maxReply)).Decode(&p); err != nil {
		return fmt.Errorf("read the question: %w", err)
	}
	reply, err := m.Ask(ctx, p)
	answer := exchange{Reply: reply, Refused: errors.Is(err, ErrRefused), Cut: errors.Is(err, ErrCut)}
	if err != nil {
		answer.Error = err.Error()
	}
	return json.NewEncoder(out).Encode(answer)
}
