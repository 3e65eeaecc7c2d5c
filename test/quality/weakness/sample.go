// Package weakness plays labelled code of analysers' tests and counts which marked lines B1 to B3 find:
// recall and precision by detector, set and language.
package weakness

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/test/shareddata"
)

// Sample is a file with marked lines, numbered from 1.
type Sample struct {
	ID, Lang, Ext, Detector string
	Label                   *int // of a whole file: 1 weak, 0 sound
	Annotations             bool // says what only an annotation shows
	Code                    string
	Bad                     []int    `json:"bad_lines"`
	Good                    []int    `json:"good_lines"`
	Quiet                   []int    `json:"quiet_lines"` // mostly clean, unchecked
	Flows                   [][3]int // alert, source, sink; 0 is in another file
	Set                     string   `json:"-"`
}

// sets are the files of labels, by the name of the set in tables.
var sets = []struct{ name, file string }{
	{"CodeQL", "codeql_tests.jsonl.gz"}, {"Psalm", "psalm_taint.jsonl.gz"}, {"Bandit", "bandit_examples.jsonl.gz"},
}

// Load reads the sets in a data folder.
func Load(data string) ([]Sample, error) {
	var out []Sample
	for _, set := range sets {
		list, err := load(filepath.Join(data, "labels", set.file))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			s.Set = set.name
			if s.Detector == "" { // Psalm's tests are about taint only
				s.Detector = "B2"
			}
			out = append(out, s)
		}
	}
	return out, nil
}

func load(path string) (out []Sample, err error) {
	err = shareddata.EachLine(path, func(line []byte) error {
		var s Sample
		err := json.Unmarshal(line, &s)
		out = append(out, s)
		return err
	})
	return out, err
}

// FileName returns the name under which a sample is written: it does not mention tests, in which weaknesses
// do not count (SW-40).
func (s *Sample) FileName() string {
	if s.Lang == "java" {
		return "src/App.java"
	}
	return "src/app" + s.Ext
}

// lines returns the lines of the code.
func (s *Sample) lines() []string { return strings.Split(s.Code, "\n") }
