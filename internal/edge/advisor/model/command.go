package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"
)

// Command runs a program that reads the question on standard input and prints the answer. The operator
// chooses the program; nothing from a session becomes part of its command line.
type Command struct {
	Name string
	Args []string
	Env  []string
	Dir  string
}

// reapAfter is how long a finished command may keep its pipes open.
const reapAfter = 2 * time.Second

// Ask runs the program once.
func (c Command) Ask(ctx context.Context, p Prompt) (Reply, error) {
	cmd := exec.CommandContext(ctx, c.Name, c.Args...)
	cmd.Stdin = bytes.NewReader([]byte(p.System + "\n" + p.User))
	cmd.Env, cmd.Dir, cmd.WaitDelay = append(os.Environ(), c.Env...), c.Dir, reapAfter
	out := &limited{}
	cmd.Stdout = out
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Reply{}, fmt.Errorf("run %s: %w", c.Name, ctx.Err())
	case err != nil:
		return Reply{}, fmt.Errorf("run %s: %w", c.Name, err)
	case out.over:
		return Reply{}, fmt.Errorf("run %s: it printed more than %d bytes", c.Name, maxReply)
	case out.kept.Len() == 0:
		return Reply{}, errors.New("run " + c.Name + ": it printed nothing")
	}
	text := out.kept.String()
	return Reply{Text: text, In: Estimate(p.System) + Estimate(p.User), Out: Estimate(text)}, nil
}

// Estimate returns roughly how many tokens a text has, for providers that do not count them.
func Estimate(text string) int { return (len(text) + 3) / 4 }

// limited keeps the beginning of what is written to it.
type limited struct {
	kept bytes.Buffer // not embedded: io.Copy would use its ReadFrom
	over bool
}

// Write accepts everything and keeps as much as the limit allows.
func (l *limited) Write(p []byte) (int, error) {
	room := maxReply - l.kept.Len()
	if len(p) > room {
		l.over = true
		l.kept.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.kept.Write(p)
}
