package segment

import (
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/volatile"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// outcome is the outcome of a call.
type outcome struct {
	digest    *sessionevents.ResultDigest
	body      span // of the output, without the harness's header
	exit      *int
	failed    bool // reported by the tool
	rejected  bool // refused by a person
	cancelled bool // never ran
}

// applied reports whether the call's edit took place, as far as is known.
func (o *outcome) applied() bool { return !o.failed && !o.rejected && !o.cancelled }

func (cfg *Config) outcomeOf(c *call) outcome {
	o := outcome{rejected: c.block.Rejected}
	r := c.result
	if r == nil {
		return o
	}
	output := r.Output
	o.body = cfg.body(output)
	o.exit = r.ExitCode
	runs := c.canonical == sessionevents.ToolShell || c.canonical == sessionevents.ToolPoll
	if o.exit == nil && runs {
		o.exit = cfg.exitCode(output)
	}
	o.rejected = o.rejected || r.Rejected || reported(r) && containsAny(firstLine(output), cfg.Rejections)
	o.cancelled = containsAny(firstLine(output), cfg.Cancelled)
	o.failed = !o.rejected && !o.cancelled && cfg.reportsFailure(c, &o, runs)
	o.digest = cfg.digest(output, o)
	return o
}

// reported reports whether the tool says that it failed, or does not say.
func reported(r *sessionevents.Block) bool { return r.IsError == nil || *r.IsError }

// reportsFailure reports whether a call failed, according to its error flag or exit code,
// or if it has neither, to the first words of its output. A search without results has
// not failed.
func (cfg *Config) reportsFailure(c *call, o *outcome, runs bool) bool {
	r := c.result
	if o.exit != nil && *o.exit == 1 && c.effects.Is("read", "search", "list") {
		if start, end := plainReason(r.Output[o.body.start:o.body.end]); start == end {
			return false
		}
	}
	if r.IsError != nil && *r.IsError || o.exit != nil && *o.exit != 0 {
		return true
	}
	if runs || r.IsError != nil || o.exit != nil {
		return false
	}
	for _, prefix := range cfg.ErrorPrefixes {
		if strings.HasPrefix(strings.TrimLeft(r.Output, " \n"), prefix) {
			return true
		}
	}
	return false
}

// digest returns the digest that replaces the output, which is not stored (SW-6).
func (cfg *Config) digest(output string, o outcome) *sessionevents.ResultDigest {
	d := &sessionevents.ResultDigest{
		Bytes: len(output), Lines: lines(output), IsError: o.failed || o.cancelled, ExitCode: o.exit,
		Head: text.Head(output, cfg.Limits.Excerpt), Hash: volatile.Hash(output[o.body.start:o.body.end]),
	}
	if len(d.Head) < len(output) {
		d.Tail = text.Tail(output[len(d.Head):], cfg.Limits.Excerpt)
	}
	return d
}

func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}

// headerBytes is the maximum length of a harness's header in an output.
const headerBytes = 400

// body returns the output without the header that a harness adds.
func (cfg *Config) body(output string) span {
	for _, mark := range cfg.BodyMarks {
		if i := strings.Index(output[:min(len(output), headerBytes)], mark); i >= 0 {
			return span{i + len(mark), len(output)}
		}
	}
	return span{0, len(output)}
}

// exitCode returns the exit code printed at the start or end of the output, nil if there is none there.
func (cfg *Config) exitCode(output string) *int {
	ends := []string{output[:min(len(output), headerBytes)]}
	if len(output) > headerBytes {
		ends = append(ends, output[len(output)-headerBytes:])
	}
	for _, part := range ends {
		for _, mark := range cfg.ExitMarks {
			i := strings.Index(part, mark)
			if i < 0 || i > 0 && part[i-1] != '\n' && !strings.HasPrefix(mark, `"`) {
				continue
			}
			digits := part[i+len(mark):]
			end := 0
			for end < len(digits) && end < 10 && (digits[end] >= '0' && digits[end] <= '9' || end == 0 && digits[end] == '-') {
				end++
			}
			if code, err := strconv.Atoi(digits[:end]); err == nil {
				return &code
			}
		}
	}
	return nil
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimLeft(s, " \r\n\t"), "\n")
	return line
}

func containsAny(s string, list []string) bool {
	for _, v := range list {
		if strings.Contains(s, v) {
			return true
		}
	}
	return false
}
