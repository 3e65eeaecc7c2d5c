package stuckloop

import (
	"encoding/json"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/buger/jsonparser"
	"github.com/cespare/xxhash/v2"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// wholeCommand is the length from which a command may be truncated, so that only the hash of the
// whole input identifies it.
const wholeCommand = 4000

func hash(parts ...string) uint32 {
	d := xxhash.New()
	for _, p := range parts {
		_, _ = d.WriteString(p)
		_, _ = d.Write([]byte{0})
	}
	return uint32(d.Sum64()) // any 32 bits of it
}

// key identifies a call. A shell call is its command in its directory: agents
// describe the same command in varying words.
// The directory that commands named first is where they run anyway.
func (d *instance) key(a *act, home string) uint32 {
	t := a.segment.Tool
	if t == nil {
		return hash("edit", a.segment.Path)
	}
	if t.Command == "" {
		return hash(t.Name, undescribed(t))
	}
	whole := ""
	if len(t.Command) > wholeCommand {
		whole = t.InputHash
	}
	folder, command := d.where(t)
	if folder == home {
		folder = ""
	}
	return hash("shell", folder, plainCommand(command), whole)
}

// undescribed identifies the input of a call without its description, which agents word differently each time.
func undescribed(t *sessionevents.ToolCall) string {
	if _, err := jsonparser.GetString(t.Input, "description"); err != nil || !json.Valid(t.Input) {
		return t.InputHash
	}
	return string(jsonparser.Delete(slices.Clone(t.Input), "description"))
}

// where splits a command from the directory it runs in, which a leading cd or a field of the call
// names.
func (d *instance) where(t *sessionevents.ToolCall) (folder, command string) {
	folder, command = d.directory(t), t.Command
	if cd := leadingCd.FindStringSubmatch(command); cd != nil {
		folder, command = cd[1]+cd[2]+cd[3], command[len(cd[0]):]
	}
	return folder, command
}

// leadingCd is a change of directory before the command proper.
var leadingCd = pattern.Must(`^\s*cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|"'` + "`" + `]+))\s*(?:&&|;)\s*`)

func (d *instance) directory(t *sessionevents.ToolCall) string {
	if len(t.Input) == 0 {
		return ""
	}
	for _, name := range d.directories {
		if folder, err := jsonparser.GetString(t.Input, name); err == nil && folder != "" {
			return folder
		}
	}
	return ""
}

// plainCommand returns a command without comment lines and trailing blanks, which do not change its
// effect.
func plainCommand(command string) string {
	if !strings.ContainsAny(command, "\n#'\"") && !strings.Contains(command, "  ") {
		return strings.TrimSpace(command)
	}
	var out []string
	for line := range strings.Lines(command) {
		line = strings.TrimRight(line, " \t\r\n")
		if lead := strings.TrimLeft(line, " \t"); lead != "" && lead[0] != '#' {
			out = append(out, line)
		}
	}
	if len(out) == 1 {
		return words(out[0])
	}
	return strings.Join(out, "\n")
}

// words are a line's words with one blank between them, without the quotes that change nothing.
func words(line string) string {
	var out []string
	for _, word := range quotedWords.FindAllString(line, -1) {
		if bare := strings.Trim(word, `"'`); plainWord.MatchString(bare) && len(word)-len(bare) <= 2 {
			word = bare
		}
		out = append(out, word)
	}
	return strings.Join(out, " ")
}

var (
	quotedWords = pattern.Must(`(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\]|["'\\])+`)
	plainWord   = pattern.Must(`^[\w./:=@%+,-]+$`)
)

// start is the beginning of a text that is kept.
func start(text string) string {
	if runes := []rune(text); len(runes) > startRunes {
		return string(runes[:startRunes])
	}
	return text
}

const startRunes = 200

// result identifies what a call gave: normalised output, exit code, error. 0 is
// a result nobody knows.
func result(a *act) uint32 {
	r := a.segment.Result
	if r == nil || r.Hash == "" {
		return 0
	}
	code, signature := "", ""
	if r.ExitCode != nil {
		code = strconv.Itoa(*r.ExitCode)
	}
	if a.failure != nil && a.failure.Error != nil {
		signature = a.failure.Error.Signature
	}
	return max(hash(r.Hash, code, signature), 1)
}

// target identifies what a call is about, whatever its flags and numbers are:
// the things it reads or searches for, else its words.
func (d *instance) target(a *act) uint32 {
	var words []string
	for _, access := range a.segment.Accesses {
		words = append(words, access.Target, access.Query)
	}
	if len(words) == 0 && a.segment.Tool != nil {
		words = d.words(a.segment.Tool)
	}
	slices.Sort(words)
	return hash(words...)
}

// words of a command without flags and numbers, or the texts of another input.
func (d *instance) words(t *sessionevents.ToolCall) (out []string) {
	if t.Command != "" {
		for _, w := range strings.Fields(t.Command) {
			if w[0] != '-' && !isNumber(w) {
				out = append(out, w)
			}
		}
		return out
	}
	_ = jsonparser.ObjectEach(t.Input, func(key, value []byte, kind jsonparser.ValueType, _ int) error {
		if kind != jsonparser.Number && kind != jsonparser.Boolean && kind != jsonparser.Null {
			out = append(out, string(key)+"="+string(value))
		}
		return nil
	})
	return append(out, t.Name)
}

func isNumber(word string) bool {
	_, err := strconv.ParseFloat(strings.TrimRight(word, "smh;"), 64)
	return err == nil
}

// label names a call for people, at most labelRunes characters of one line.
func (d *instance) label(a *act) string {
	t := a.segment.Tool
	if t == nil {
		return brief("edit of " + a.segment.Path)
	}
	if t.Command != "" {
		_, command := d.where(t)
		return brief(plainCommand(command))
	}
	if a.segment.Path != "" {
		return brief(t.Name + " " + path.Base(a.segment.Path))
	}
	return brief(t.Name + " " + d.about(t))
}

const (
	labelRunes = 60
	labelWords = 8
)

func brief(s string) string {
	return text.Short(text.Words(s, labelWords), labelRunes+1)
}

// about is the text of an input that tells most of what the call is about.
func (d *instance) about(t *sessionevents.ToolCall) string {
	for _, name := range d.TargetFields {
		if text, err := jsonparser.GetString(t.Input, name); err == nil && text != "" {
			return text
		}
	}
	first := ""
	_ = jsonparser.ObjectEach(t.Input, func(_, value []byte, kind jsonparser.ValueType, _ int) error {
		if kind == jsonparser.String && first == "" {
			first = string(value)
		}
		return nil
	})
	return first
}
