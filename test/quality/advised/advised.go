package advised

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/scaffoldwatch/scaffoldwatch/internal/machines"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/moments"
)

// WriteQuestions writes every question about the transcripts of a data folder into another folder, a
// file each, and returns how many there are. Those that a folder of answers has are left out, and what
// is asked after an answer is asked as it would be after it. Of a sample, only the questions about its signals
// are written; nothing in them reveals what readers say.
func WriteQuestions(core *machines.Core, data, folder, given, form string, sample Sample) (int, error) {
	config, err := formOf(form)
	if err != nil {
		return 0, err
	}
	p, err := play(core, config, data, answers{given})
	if err != nil {
		return 0, err
	}
	var drawn map[string]moments.Reading
	if sample.Size > 0 {
		if drawn, err = sample.drawn(core, data); err != nil {
			return 0, err
		}
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, fmt.Errorf("make the folder of questions: %w", err)
	}
	asked := p.asked
	if sample.Size > 0 {
		asked = p.both()
	}
	written, about := map[string]bool{}, map[string]bool{}
	for _, q := range asked {
		if written[q.ID()] || p.opinions[q.ID()] != nil || sample.Size > 0 && (drawn[q.Signal].Kind == "" ||
			about[q.Signal]) {
			continue
		}
		written[q.ID()], about[q.Signal] = true, true
		text := q.Prompt.System + "\n" + q.User()
		name := fmt.Sprintf("%s-%s.md", q.Kind, q.ID())
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			return 0, fmt.Errorf("write a question: %w", err)
		}
	}
	return len(written), nil
}

// Table compares what is said with and without the answers of a folder, and lists the interrupts with them
// that nobody read. Without any answers it says how to give some.
func Table(core *machines.Core, data, folder, form string) (table, unread string, err error) {
	head := "\n### Second opinions\n\n"
	if folder == "" {
		return head + "Not measured: no answers (set " + Variable + " to a folder of QUESTION.json files).\n", "", nil
	}
	marked, err := moments.Load(data)
	if errors.Is(err, fs.ErrNotExist) {
		return head + "Not measured: no marked moments.\n", "", nil
	}
	if err != nil {
		return "", "", err
	}
	judged, err := moments.Judged()
	if err != nil {
		return "", "", err
	}
	config, err := formOf(form)
	if err != nil {
		return "", "", err
	}
	alone, err := play(core, config, data, answers{})
	if err != nil {
		return "", "", err
	}
	advised, err := play(core, config, data, answers{folder})
	if err != nil {
		return "", "", err
	}
	c := comparison{marked: marked, judged: judged, alone: alone, advised: advised}
	return head + c.text(), marked.Judge(advised.recorder, everything).Unjudged(judged), nil
}
