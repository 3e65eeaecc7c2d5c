package userrules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/quote"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// template is a text with the values of conditions in braces; {{ is a literal brace.
type template []piece

// piece is a text, or the value of a condition.
type piece struct {
	text  string
	value *vm.Program
}

// template compiles a text. Errors in its conditions point to their positions in the text.
func (c *compiler) template(e Expression, key string) template {
	var out template
	text := e.Text
	for at := 0; at < len(text); {
		open := strings.IndexByte(text[at:], '{')
		if open < 0 {
			return append(out, piece{text: text[at:]})
		}
		open += at
		if strings.HasPrefix(text[open:], "{{") {
			out = append(out, piece{text: text[at : open+1]})
			at = open + 2
			continue
		}
		end := closing(text, open)
		if end < 0 {
			c.fail(e.problem(errors.New("the { has no }; write {{ for a brace"), 0, key))
			return out
		}
		value, err := c.expression(text[open+1:end], expr.AsAny())
		if err != nil {
			c.fail(e.problem(err, open+1, key))
			return out
		}
		out = append(out, piece{text: text[at:open]}, piece{value: value})
		at = end + 1
	}
	return out
}

// closing returns the offset of the } that matches open, skipping quoted texts; -1 if it is
// missing.
func closing(text string, open int) int {
	quote := byte(0)
	for i := open + 1; i < len(text); i++ {
		switch b := text[i]; {
		case quote != 0 && b == '\\':
			i++
		case quote != 0 && b == quote:
			quote = 0
		case quote == 0 && (b == '"' || b == '\'' || b == '`'):
			quote = b
		case quote == 0 && b == '}':
			return i
		}
	}
	return -1
}

// maxValue bounds the length of one value in a text, in bytes.
const maxValue = 200

// render fills in a text with unquoted values.
func (t template) render(run func(*vm.Program) (any, error)) (string, error) {
	return t.filled(run, func(value any, _ bool) string { return text.Head(format(value), maxValue) })
}

// message fills in a text for agents and people, quoting text from outside (DP-20).
func (t template) message(run func(*vm.Program) (any, error)) (string, error) {
	return t.filled(run, func(value any, within bool) string {
		if text, is := value.(string); is && within {
			return quote.Plain(text)
		}
		return mentioned(value)
	})
}

// mentioned quotes the words of a value.
func mentioned(value any) string {
	switch v := value.(type) {
	case string:
		if v == "" {
			return ""
		}
		return quote.Name(v)
	case []string:
		return mentionedAll(v)
	case []any:
		return mentionedAll(v)
	}
	return format(value)
}

// maxList bounds the values of one list in a text.
const maxList = 6

func mentionedAll[T any](list []T) string {
	var parts []string
	for _, one := range list[:min(len(list), maxList)] {
		parts = append(parts, mentioned(one))
	}
	if len(list) > maxList {
		parts = append(parts, "…")
	}
	return strings.Join(parts, ", ")
}

// filled fills in a text; within reports whether a value is already between quotation
// marks.
func (t template) filled(run func(*vm.Program) (any, error), show func(value any, within bool) string) (string, error) {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(p.text)
		if p.value == nil {
			continue
		}
		value, err := run(p.value)
		if err != nil {
			return "", err
		}
		b.WriteString(show(value, strings.HasSuffix(b.String(), `"`) || strings.HasSuffix(b.String(), "`")))
	}
	return strings.TrimSpace(b.String()), nil
}

// format formats a value for people.
func format(value any) string {
	switch v := value.(type) {
	case string:
		return text.Line(v)
	case float64:
		return strconv.FormatFloat(v, 'g', 4, 64)
	case []string:
		return strings.Join(v, ", ")
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = format(v[i])
		}
		return strings.Join(parts, ", ")
	case nil:
		return ""
	}
	return fmt.Sprint(value)
}
