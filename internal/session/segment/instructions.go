package segment

import (
	"slices"
	"strings"
	"unicode/utf8"

	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// shownInstructions records the instructions in an instruction file whose content a call
// shows (SW-13a).
func (b *builder) shownInstructions(path, output string) {
	if name := b.config.instructionFile(path); name != "" {
		code, _ := WithoutNumbers(output)
		b.instruct(name, code)
	}
}

// injectedInstructions records the instructions that a harness inserted into a message:
// in the text from the first line that names the file.
func (b *builder) injectedInstructions(text string) {
	first, at := "", len(text)
	for _, name := range b.config.InstructionFiles {
		if i := strings.Index(text, name); i >= 0 && i < at && b.harnessWrote(text, i) {
			first, at = name, i
		}
	}
	if first != "" {
		b.instruct(first, text[at:])
	}
}

// harnessWrote reports whether a place in a message was not typed by the person: the
// message begins like an injected one, or an injected element is open there.
func (s *Segmenter) harnessWrote(text string, at int) bool {
	if s.config.harness(strings.TrimLeft(text, " \r\n\t")) {
		return true
	}
	return !slices.ContainsFunc(s.personal(text), func(typed span) bool { return at >= typed.start && at < typed.end })
}

// instructionFile returns the name of the instruction file that a path refers to, "" if
// none.
func (cfg *Config) instructionFile(path string) string {
	for _, name := range cfg.InstructionFiles {
		if path == name || strings.HasSuffix(path, "/"+name) || strings.Contains(path, name+"/") {
			return name
		}
	}
	return ""
}

func (b *builder) instruct(file, text string) {
	heading, fenced := "", false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			continue
		}
		if !fenced && strings.HasPrefix(line, "#") {
			heading = strings.TrimSpace(strings.TrimLeft(line, "#"))
			continue
		}
		if item := b.config.ordered(heading, line, fenced); item != "" {
			b.addInstruction(file, item)
		}
	}
}

// ordered returns a line as an instruction, "" if it is not one: a line that contains an
// instruction, or a list item or command under a heading that does.
func (cfg *Config) ordered(heading, line string, fenced bool) string {
	if len(line) < 4 {
		return ""
	}
	item := strings.TrimSpace(strings.TrimLeft(line, "-*•0123456789.) "))
	listed := len(item) < len(line)
	orders := heading != "" && cfg.InstructionOrder.MatchString(heading)
	switch {
	case fenced && orders:
		command, _, _ := strings.Cut(item, " #")
		return heading + ": `" + strings.TrimSpace(command) + "`"
	case fenced:
		return ""
	case listed && orders:
		return heading + ": " + item
	case cfg.InstructionOrder.MatchString(item):
		return item
	}
	return ""
}

func (b *builder) addInstruction(file, text string) {
	if len(text) > b.config.Limits.Instruction {
		text = text[:b.config.Limits.Instruction]
		for !utf8.ValidString(text) {
			text = text[:len(text)-1]
		}
	}
	instruction := sessionevents.Instruction{File: file, Text: text}
	if len(b.instructions) < b.config.Limits.Instructions && !slices.Contains(b.instructions, instruction) {
		b.instructions = append(b.instructions, instruction)
	}
}
