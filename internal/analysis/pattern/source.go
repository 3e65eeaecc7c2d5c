package pattern

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// source returns a pattern that means what the syntax tree does, which must be simplified (no counted repetition). The
// tree's own String looks for the shortest flags: it folds the case of every character that a class holds, 124,000
// for one that excludes something, which took two thirds of what a scan of one session computed.
func source(re *syntax.Regexp) string {
	var b strings.Builder
	writeSource(&b, re)
	return b.String()
}

// leaves are the sources of what has no parts.
var leaves = map[syntax.Op]string{
	syntax.OpNoMatch: `[^\x00-\x{10FFFF}]`, syntax.OpEmptyMatch: `(?:)`,
	syntax.OpAnyCharNotNL: `(?-s:.)`, syntax.OpAnyChar: `(?s:.)`,
	syntax.OpBeginLine: `(?m:^)`, syntax.OpEndLine: `(?m:$)`, syntax.OpBeginText: `\A`,
	syntax.OpWordBoundary: `\b`, syntax.OpNoWordBoundary: `\B`,
}

// repeats are the signs of what repeats its part.
var repeats = map[syntax.Op]string{syntax.OpStar: "*", syntax.OpPlus: "+", syntax.OpQuest: "?"}

func writeSource(b *strings.Builder, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		if text := regexp.QuoteMeta(string(re.Rune)); re.Flags&syntax.FoldCase != 0 {
			b.WriteString("(?i:" + text + ")")
		} else {
			b.WriteString(text)
		}
	case syntax.OpCharClass:
		writeClass(b, re.Rune)
	case syntax.OpCapture:
		writeGroup(b, re.Sub, "")
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			writeSource(b, sub)
		}
	case syntax.OpAlternate:
		writeGroup(b, re.Sub, "|")
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest:
		if leaf := re.Sub[0].Op; leaf == syntax.OpCharClass || leaf == syntax.OpAnyChar || leaf == syntax.OpAnyCharNotNL {
			writeSource(b, re.Sub[0])
		} else {
			writeGroup(b, re.Sub, "")
		}
		b.WriteString(repeats[re.Op])
		if re.Flags&syntax.NonGreedy != 0 {
			b.WriteByte('?')
		}
	case syntax.OpEndText:
		if re.Flags&syntax.WasDollar != 0 {
			b.WriteString(`(?-m:$)`)
		} else {
			b.WriteString(`\z`)
		}
	default:
		b.WriteString(leaves[re.Op])
	}
}

func writeGroup(b *strings.Builder, subs []*syntax.Regexp, between string) {
	b.WriteString("(?:")
	for i, sub := range subs {
		if i > 0 {
			b.WriteString(between)
		}
		writeSource(b, sub)
	}
	b.WriteByte(')')
}

// writeClass writes ranges of runes, as what is excluded where they begin and end with all there are.
func writeClass(b *strings.Builder, ranges []rune) {
	n := len(ranges)
	if n == 0 {
		b.WriteString(leaves[syntax.OpNoMatch])
		return
	}
	b.WriteByte('[')
	if n > 2 && ranges[0] == 0 && ranges[n-1] == unicode.MaxRune {
		b.WriteByte('^')
		for i := 1; i < n-1; i += 2 {
			writeRange(b, ranges[i]+1, ranges[i+1]-1)
		}
	} else {
		for i := 0; i < n; i += 2 {
			writeRange(b, ranges[i], ranges[i+1])
		}
	}
	b.WriteByte(']')
}

func writeRange(b *strings.Builder, low, high rune) {
	writeRune(b, low)
	if low < high {
		b.WriteByte('-')
		writeRune(b, high)
	}
}

func writeRune(b *strings.Builder, r rune) {
	switch {
	case r >= utf8.RuneSelf:
		fmt.Fprintf(b, `\x{%x}`, r)
	case !unicode.IsPrint(r):
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	case r != ' ' && !unicode.IsLetter(r) && !unicode.IsDigit(r):
		b.WriteString(`\` + string(r))
	default:
		b.WriteRune(r)
	}
}
