package prose

import (
	"sort"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/sentences"

	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// tables is rules/prose.yaml.
type tables struct {
	// Abbreviations end in a full stop that does not end a sentence.
	Abbreviations []string `yaml:"abbreviations"`
	// Stop words say nothing about a topic, in addition to the stemmer's own.
	Stop []string `yaml:"stop"`
	// Openers begin a sentence after a full stop without a space.
	Openers []string `yaml:"openers"`

	stop, openers map[string]bool
}

var load = sync.OnceValue(func() *tables {
	t := &tables{stop: map[string]bool{}, openers: map[string]bool{}}
	if err := rules.Default().Decode("prose", t); err != nil {
		panic(err) // this package's tests check the embedded data
	}
	for _, w := range t.Stop {
		t.stop[w] = true
	}
	for _, w := range t.Openers {
		t.openers[w] = true
	}
	return t
})

// Sentence is one sentence of a source text.
type Sentence struct {
	Offset, Length int    // in bytes of the source text
	Text           string // folded to one line
}

// Sentences splits a text into sentences: [Parse] and [Document.Sentences] combined.
func Sentences(text string) []Sentence {
	d := Parse(text)
	var out []Sentence
	for _, s := range d.Sentences() {
		offset, length := d.SourceSpan(s)
		out = append(out, Sentence{Offset: offset, Length: length, Text: d.Text[s.From:s.To]})
	}
	return out
}

// Sentences returns the sentences in order, without surrounding white space. The end of a
// heading, a list item or a table row also ends a sentence.
func (d *Document) Sentences() []Span {
	if known := d.sentences.Load(); known != nil {
		return *known
	}
	s := splitter{masked: d.Masked}
	for from := 0; from < len(d.Masked); {
		to := from + len(d.Masked[from:])
		if i := strings.IndexByte(d.Masked[from:], '\n'); i >= 0 {
			to = from + i
		}
		s.line(from, to)
		from = to + 1
	}
	d.sentences.Store(&s.found)
	return s.found
}

// splitter finds the sentences of a text.
type splitter struct {
	masked string
	found  []Span
}

func (s *splitter) line(from, to int) {
	it := sentences.FromString(s.masked[from:to])
	start := from
	for it.Next() {
		end := from + it.End()
		if end < to && continues(s.masked[start:end], s.masked[end:to]) {
			continue
		}
		for at := glued(s.masked[start:end]); at > 0; at = glued(s.masked[start:end]) {
			s.keep(Span{start, start + at})
			start += at
		}
		s.keep(Span{start, end})
		start = end
	}
}

func (s *splitter) keep(span Span) {
	if span = trim(s.masked, span); span.To > span.From {
		s.found = append(s.found, span)
	}
}

// glued returns where the second of two sentences begins that no space separates ("in the
// package.Actually, the …"), 0 if there is none (SW-3a). A word that can only be an
// opener distinguishes it from a name with a dot.
func glued(piece string) int {
	for at := 1; at < len(piece)-1; at++ {
		switch c := piece[at]; {
		case c != '.' && c != '!' && c != '?', piece[at+1] < 'A' || piece[at+1] > 'Z', !closesWord(piece[at-1]):
			continue
		}
		word := piece[at+1:]
		if end := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) }); end > 0 && strings.IndexByte(" ,'", word[end]) >= 0 && load().openers[strings.ToLower(word[:end])] {
			return at + 1
		}
	}
	return 0
}

func closesWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == ')' || c == '`' || c == '"' || c == '\''
}

// continues reports whether the break between two pieces is not the end of a sentence,
// because of an abbreviation or a lower-case letter after it.
func continues(piece, rest string) bool {
	piece = strings.TrimRight(piece, " ")
	word := piece[strings.LastIndexAny(piece, " (")+1:]
	for _, a := range load().Abbreviations {
		if strings.EqualFold(word, a) {
			return true
		}
	}
	r, _ := utf8.DecodeRuneInString(rest)
	return unicode.IsLower(r)
}

func trim(text string, s Span) Span {
	for s.From < s.To && text[s.From] == ' ' {
		s.From++
	}
	for s.To > s.From && text[s.To-1] == ' ' {
		s.To--
	}
	return s
}

// SentenceAt returns the sentence at an offset of Text.
func (d *Document) SentenceAt(offset int) Span {
	all := d.Sentences()
	i := sort.Search(len(all), func(i int) bool { return all[i].From > offset }) - 1
	if i < 0 {
		return Span{}
	}
	return all[i]
}
