package reading

import (
	"fmt"
	"regexp"
	"strings"
)

// WordList is a list of phrases that mean one thing, with what says the opposite.
type WordList struct {
	Phrases []string `yaml:"phrases"`
	// Unless are phrases that make a sentence say something else.
	Unless []string `yaml:"unless"`
	// Code looks inside of quotes and inline code as well.
	Code     bool     `yaml:"code"`
	Examples Examples `yaml:"examples"`

	phrases, unless *regexp.Regexp
}

// Examples are sentences that a word list must and must not find; a test reads them.
type Examples struct {
	Firing []string `yaml:"firing"`
	Silent []string `yaml:"silent"`
}

// Compile makes the list ready; the error names the phrase.
func (l *WordList) Compile() error {
	var err error
	if l.phrases, err = l.compile(l.Phrases); err != nil {
		return err
	}
	l.unless, err = l.compile(l.Unless)
	return err
}

func (l *WordList) compile(phrases []string) (*regexp.Regexp, error) {
	if len(phrases) == 0 {
		return nil, nil
	}
	for _, p := range phrases {
		if _, err := regexp.Compile(p); err != nil {
			return nil, fmt.Errorf("phrase %q: %w", p, err)
		}
	}
	return regexp.Compile(`(?i)(?:\b|^|\W)(?:` + strings.Join(phrases, "|") + `)`)
}

// Sentences are the sentences of a report that say it, from a byte on.
func (l *WordList) Sentences(r *Report, from int) []string {
	var out []string
	for _, span := range r.Document.Sentences() {
		if _, length := r.Document.SourceSpan(span); r.Document.Source(span.From)+length <= from {
			continue
		}
		// A sentence that reaches into what is looked at counts with that part of it.
		start := span.From
		for start < span.To && r.Document.Source(start) < from {
			start++
		}
		if l.match(r.Document.Text[start:span.To], r.Document.Masked[start:span.To]) {
			out = append(out, r.Document.Text[span.From:span.To])
		}
	}
	return out
}

// In says that a short text says it, in any of its sentences.
func (l *WordList) In(text string) bool {
	if text == "" {
		return false
	}
	return len(l.Sentences(Read(text, len(text)), 0)) > 0
}

func (l *WordList) match(text, masked string) bool {
	if !l.Code {
		text = masked
	}
	return l.phrases != nil && l.phrases.MatchString(text) && (l.unless == nil || !l.unless.MatchString(text))
}
