package transcript

import (
	"fmt"
	"io"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/cli"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/terminal"
	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/doc"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/naming"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// runTexts collects what was decided about runs, as text for people.
type runTexts struct {
	theme   terminal.Theme
	told    terminal.Told
	order   []string
	notices map[string][]string
	events  map[string]int // events that were evaluated
}

func newRunTexts(theme terminal.Theme) *runTexts {
	return &runTexts{theme: theme, notices: map[string][]string{}, events: map[string]int{}}
}

// event records one decision.
func (t *runTexts) event(e events.Event) error {
	group := e.Group()
	shown, news := t.told.Once(e)
	_, evaluated := e.Data.(*runevents.RunEvaluated)
	text := ""
	if news {
		text = t.theme.Notice(shown)
	}
	if text == "" && !evaluated {
		return nil
	}
	if t.events[group] == 0 && len(t.notices[group]) == 0 {
		t.order = append(t.order, group)
	}
	if evaluated {
		t.events[group]++
	}
	if text != "" {
		t.notices[group] = append(t.notices[group], text)
	}
	return nil
}

// print writes the runs without findings, one line each, then the others: what was decided, and what
// follows from it; with explain also how it was counted.
func (t *runTexts) print(out io.Writer, after, explain bool, runs *runreport.Set) error {
	var s strings.Builder
	for _, group := range t.order {
		if len(t.notices[group]) == 0 {
			fmt.Fprintf(&s, "run %s: %s, nothing to say\n", terminal.Clean(naming.Brief(group)), text.Count(t.events[group], "event"))
		}
	}
	screen := doc.Screen{Width: t.theme.Width, Style: cli.TextStyle{Theme: t.theme}, Explain: explain}
	for _, group := range t.order {
		if len(t.notices[group]) == 0 {
			continue
		}
		if s.Len() > 0 {
			s.WriteByte('\n')
		}
		fmt.Fprintf(&s, "%s\n%s\n", t.theme.Title.Render(t.head(group)), strings.Join(t.notices[group], "\n"))
		if m, known := runs.Result(group); known {
			if err := doc.WriteParts(&s, runreport.Conclusions(m), screen); err != nil {
				return err
			}
		}
	}
	if after && s.Len() > 0 {
		fmt.Fprintln(out)
	}
	_, err := io.WriteString(out, s.String())
	return err
}

func (t *runTexts) head(group string) string {
	if n := t.events[group]; n > 0 {
		return "Run " + terminal.Clean(naming.Brief(group)) + ", " + text.Count(n, "event")
	}
	for _, kind := range []string{"workspace", "project"} {
		if strings.HasPrefix(group, kind+"-") && naming.Generated(group) { // as [run.GroupOf] makes it
			return "Several runs of one " + kind
		}
	}
	return "Session " + terminal.Clean(naming.Brief(group)) // it does not belong to a run (RW-35)
}
