// Package rulebook says in words what each rule of the specification means, for
// a person who reads a rule id, a code or the trigger of a break in an event and
// asks what it is. Detectors of sessions have pages of their own (docs/rules).
package rulebook

import (
	"bytes"
	"embed"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"
)

//go:embed book/*.yaml
var book embed.FS

// chapters are the files of the book, in the order of the list.
var chapters = []string{"session", "dispatch", "run", "wave", "pipeline", "events"}

// Rule is one rule in words.
type Rule struct {
	// ID is the rule's number, such as RW-4, or that of an invariant or
	// execution rule of Scout-and-Wave, such as I1 or E5.
	ID    string `yaml:"id"`
	Title string `yaml:"title"`
	// What says when the rule holds and what follows.
	What string `yaml:"what"`
	// Page is the page of the documentation that tells more.
	Page string `yaml:"page"`
	// Codes are what events of this rule carry.
	Codes []Code `yaml:"codes"`
	// Chapter names the file of the book.
	Chapter string `yaml:"-"`
}

// Code is the code of a violation or warning, the trigger of a break, or the id
// of a red flag.
type Code struct {
	Code string `yaml:"code"`
	Kind string `yaml:"kind"`
	What string `yaml:"what"`
}

// Rules are all rules, by chapter and number.
func Rules() ([]Rule, error) {
	var out []Rule
	for _, chapter := range chapters {
		data, err := book.ReadFile("book/" + chapter + ".yaml")
		if err != nil {
			return nil, fmt.Errorf("read the rule book: %w", err)
		}
		decoder := yaml.NewDecoder(bytes.NewReader(data))
		decoder.KnownFields(true)
		var some []Rule
		if err := decoder.Decode(&some); err != nil {
			return nil, fmt.Errorf("read the rule book, chapter %s: %w", chapter, err)
		}
		for _, r := range some {
			r.Chapter = chapter
			out = append(out, r)
		}
	}
	return out, nil
}

// Named are the rules which a name stands for, in any case: the one with this
// id, else those with this code.
func Named(list []Rule, name string) []Rule {
	var coded []Rule
	for _, r := range list {
		if strings.EqualFold(r.ID, name) {
			return []Rule{r}
		}
		if r.code(name) != nil {
			coded = append(coded, r)
		}
	}
	return coded
}

func (r *Rule) code(name string) *Code {
	for i := range r.Codes {
		if strings.EqualFold(r.Codes[i].Code, name) {
			return &r.Codes[i]
		}
	}
	return nil
}
