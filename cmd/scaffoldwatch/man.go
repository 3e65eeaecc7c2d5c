package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
)

// manCommand prints the manual page, which releases install with the programs (CO-1).
type manCommand struct{}

// Run prints the page in roff.
func (manCommand) Run(r *cli.Call, ctx *kong.Context) error {
	if _, err := io.WriteString(r.Stdout, manual(ctx.Model)); err != nil {
		return fmt.Errorf("print the manual page: %w", err)
	}
	return nil
}

// manual returns the page of a program with commands, in roff: each command with its flags, in the order
// and under the headings of the help.
func manual(program *kong.Application) string {
	var page strings.Builder
	fmt.Fprintf(&page, ".TH %s 1\n.nh\n.ad l\n", strings.ToUpper(program.Name))
	fmt.Fprintf(&page, ".SH NAME\n%s \\- %s\n", program.Name, roff(program.Help))
	fmt.Fprintf(&page, ".SH SYNOPSIS\n.B %s\n[COMMAND] [ARGUMENT ...] [FLAG ...]\n", program.Name)
	page.WriteString(".PP\nWithout a command it shows the state of this folder: running or not,\n")
	page.WriteString("agents hooked, their last session.\n")
	page.WriteString(".SH FLAGS OF EVERY COMMAND\n")
	manualFlags(&page, program.Flags)
	for _, group := range groups {
		fmt.Fprintf(&page, ".SH %s\n", strings.ToUpper(group.Title))
		for _, command := range program.Leaves(true) {
			if own := command.ClosestGroup(); own != nil && own.Key == group.Key {
				manualCommand(&page, program, command)
			}
		}
	}
	return page.String()
}

func manualCommand(page *strings.Builder, program *kong.Application, command *kong.Node) {
	call := program.Name + " " + strings.TrimSuffix(command.Summary(), " [flags]")
	fmt.Fprintf(page, ".SS %s\n%s\n", roff(call), roff(command.Help))
	for text := range strings.SplitSeq(strings.TrimSpace(command.Detail), "\n\n") {
		if text != "" {
			fmt.Fprintf(page, ".PP\n%s\n", examples(text))
		}
	}
	own := make([]*kong.Flag, 0, len(command.Flags))
	for _, flag := range command.Flags {
		if flag.Name != "help" && flag.Name != "config" {
			own = append(own, flag)
		}
	}
	manualFlags(page, own)
}

// examples returns a paragraph in which indented lines stay separate.
func examples(paragraph string) string {
	var out strings.Builder
	as := false
	for line := range strings.SplitSeq(paragraph, "\n") {
		if indented := strings.HasPrefix(line, " "); indented != as {
			as = indented
			out.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[as])
		}
		out.WriteString(roff(line) + "\n")
	}
	if as {
		out.WriteString(".fi\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func manualFlags(page *strings.Builder, flags []*kong.Flag) {
	for _, flag := range flags {
		if flag.Hidden {
			continue
		}
		fmt.Fprintf(page, ".TP\n.B %s\n%s\n", roff(flag.String()), roff(flag.Help))
	}
}

// roff escapes text for roff.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		text = `\&` + text
	}
	return text
}
