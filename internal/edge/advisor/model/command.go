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

// Command asks a program: it reads the question on its standard input and prints the answer. The
// program is the operator's; nothing of a session is part of its command line.
type Command struct {
	Name string
	Args []string
	Env  []string
	Dir  string
}

// reapAfter is how long an ended command may hold its pipes open.
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

// Estimate is about how many tokens a text has, where nobody counts them.
func Estimate(text string) int { return (len(text) + 3) / 4 }

// limited keeps the beginning of what is written.
type limited struct {
	kept bytes.Buffer // not embedded: io.Copy would use its ReadFrom
	over bool
}

// Write takes all and keeps as much as may be.
func (l *limited) Write(p []byte) (int, error) {
	room := maxReply - l.kept.Len()
	if len(p) > room {
		l.over = true
		l.kept.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.kept.Write(p)
}
