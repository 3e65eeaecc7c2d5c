// Package moments compares what the detectors say with the moments that readers
// marked in real sessions: places where a colleague would have said something, and
// alarms that are wrong.
package moments

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Sets are the files of moments, by the kind of session they were marked in.
var Sets = []string{"competent", "failing", "long"}

// Moment is a place in a session where a reader would have said something.
type Moment struct {
	Set      string   `json:"-"`
	File     string   `json:"file"`
	Session  string   `json:"session"`
	Classes  []string `json:"classes"` // C4, A1 …: the first is the main one
	From     int      `json:"from"`    // first turn at which saying it is right
	Until    int      `json:"until"`   // last turn at which it still helps
	About    []string `json:"about"`   // one of these occurs in the message or its evidence
	Strength string   `json:"strength"`
	What     string   `json:"what"`
	Should   string   `json:"should"` // say or log
}

// Alarm is a signal of an earlier version that is wrong.
type Alarm struct {
	Set      string `json:"-"`
	Session  string `json:"session"`
	Detector string `json:"detector"`
	From     int    `json:"from"`
	Until    int    `json:"until"`
	Why      string `json:"why"`
}

// Marked holds everything that readers marked.
type Marked struct {
	Moments []Moment
	Wrong   []Alarm
}

// Load reads the folder moments/ below a data folder. A folder without it gives an
// error that is fs.ErrNotExist.
func Load(data string) (*Marked, error) {
	var marked Marked
	for _, set := range Sets {
		said, err := lines[Moment](filepath.Join(data, "moments", set+".jsonl"))
		if err != nil {
			return nil, err
		}
		for _, m := range said {
			m.Set = set
			marked.Moments = append(marked.Moments, m)
		}
		wrong, err := lines[Alarm](filepath.Join(data, "moments", "wrong_"+set+".jsonl"))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, w := range wrong {
			w.Set = set
			marked.Wrong = append(marked.Wrong, w)
		}
	}
	return &marked, nil
}

func lines[T any](path string) ([]T, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open marked moments: %w", err)
	}
	defer file.Close()
	var out []T
	scanner := bufio.NewScanner(file)
	scanner.Buffer(nil, 1<<20)
	for number := 1; scanner.Scan(); number++ {
		var item T
		if err := json.Unmarshal(scanner.Bytes(), &item); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", filepath.Base(path), number, err)
		}
		out = append(out, item)
	}
	if err := scanner.Err(); err != nil {
		return nil, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return out, nil
}
