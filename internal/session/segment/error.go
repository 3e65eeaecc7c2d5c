package segment

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/failure"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/volatile"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// failed adds the ERROR of a call that failed, or whose output reports a failure although
// it exited with zero; the latter has a lower confidence (SW-3).
func (b *builder) failed(c *call) {
	if c.result == nil || c.outcome.rejected || c.outcome.cancelled {
		return
	}
	body := c.result.Output[c.outcome.body.start:c.outcome.body.end]
	line, found := failure.Line{}, false
	confidence := 1.0
	if c.outcome.failed {
		line, found = b.failures.Find(body, true)
		if !found {
			line.Start, line.End = plainReason(body)
		}
	} else {
		if line, found = b.outputFailure(c, body); !found {
			return
		}
		confidence = b.config.OutputConfidence
	}
	seg := b.config.callSegment(c, sessionevents.SegmentError)
	seg.Tool.Input = nil
	seg.Error = &sessionevents.ErrorInfo{ExitCode: c.outcome.exit, Confidence: confidence}
	b.config.describe(&seg, body, line)
	seg.Offset += c.resultOffset + c.outcome.body.start
	if d := lastPath(c); d != "" {
		seg.Path = b.path(d)
	}
	b.add(seg, c.origin)
}

func lastPath(c *call) string {
	if c.canonical != sessionevents.ToolEdit && c.canonical != sessionevents.ToolWrite && c.canonical != sessionevents.ToolRead {
		return ""
	}
	return c.in.text("file_path", "path", "filePath", "absolute_path", "target_file", "notebook_path")
}

// outputFailure searches the output of a command that exited with zero for a failure. The
// output of commands that only show text is not searched; where other text may be shown
// as well, only what cannot be a quotation counts.
func (s *Segmenter) outputFailure(c *call, body string) (failure.Line, bool) {
	if c.canonical != sessionevents.ToolShell || len(c.effects.Kinds) == 0 || c.effects.Is(s.config.QuotingKinds...) || body == "" {
		return failure.Line{}, false
	}
	line, found := s.failures.Find(body, false)
	if found && !line.Strong && c.effects.Has("read", "search", "git", "fetch", "poll") {
		return failure.Line{}, false
	}
	return line, found
}

// plainReason returns the first line that is more than an exit code.
func plainReason(body string) (start, end int) {
	for start = 0; start < len(body); start = end + 1 {
		end = len(body)
		if i := strings.IndexByte(body[start:], '\n'); i >= 0 {
			end = start + i
		}
		line := strings.TrimSpace(body[start:end])
		if line != "" && !exitLine.MatchString(line) {
			return start, end
		}
	}
	return 0, 0
}

var exitLine = pattern.Must(`(?i)^(?:<returncode>|process |command )?(?:exited with )?(?:exit )?code:? -?\d+\.?$|^<returncode>-?\d+</returncode>$`)

// describe sets text, place and signature of an ERROR from its most informative line.
// Offset is into body.
func (cfg *Config) describe(seg *sessionevents.Segment, body string, line failure.Line) {
	start := line.Start
	if before := strings.LastIndexByte(body[:start], '\n'); before > 0 {
		start = strings.LastIndexByte(body[:before], '\n') + 1 // with the line above
	}
	if line.End-start > cfg.Limits.ErrorText {
		start = line.Start
	}
	seg.Text = strings.TrimRight(text.Head(body[start:], cfg.Limits.ErrorText), " \r\n\t")
	seg.Offset, seg.Length = start, len(seg.Text)
	seg.Error.Signature = cfg.signature(body[line.Start:line.End], seg.Error.ExitCode)
	seg.Error.Transient = cfg.transient(seg.Error.Signature)
}

var position = pattern.Must(`:\d+(?::\d+)?\b|\(\d+,\d+\)|\bline \d+`)

// signature returns the error line with its volatile parts and line numbers replaced, so
// that the same error has the same signature.
func (cfg *Config) signature(line string, exit *int) string {
	line = text.Line(text.Head(line, 4*cfg.Limits.Signature))
	line = strings.TrimSuffix(strings.TrimPrefix(line, "<tool_use_error>"), "</tool_use_error>")
	line = position.ReplaceAllString(volatile.Normalise(line), ":N")
	if line == "" && exit != nil {
		line = "exit code " + itoa(*exit)
	}
	if line == "" {
		line = "failed without a word"
	}
	return text.Head(line, cfg.Limits.Signature)
}

// transient reports whether the failure may go away by itself.
func (cfg *Config) transient(signature string) bool {
	lower := strings.ToLower(signature)
	for _, mark := range cfg.Transient {
		if i := strings.Index(lower, mark); i >= 0 && (mark[0] > '9' || standsAlone(lower, i, i+len(mark))) {
			return true
		}
	}
	return false
}

// standsAlone reports whether a number is not part of a longer number or name.
func standsAlone(s string, start, end int) bool {
	inside := func(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c == '_' || c == '.' }
	return (start == 0 || !inside(s[start-1])) && (end == len(s) || !inside(s[end]) || s[end] == '.')
}
