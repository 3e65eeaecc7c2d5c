package text_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

func TestEachCutHasItsMeaning(t *testing.T) {
	assert.Equal(t, "né", text.Head("née", 3))
	assert.Equal(t, "n", text.Head("née", 2), "a character that does not fit is left out")
	assert.Equal(t, "e", text.Tail("née", 2))
	assert.Equal(t, "ée", text.Tail("née", 3))
	assert.Empty(t, text.Head("née", -1))
	assert.Empty(t, text.Tail("née", -1))
	assert.Equal(t, "née…", text.Cut("née née", 4), "the mark is not counted in bytes")
	for s, want := range map[string]string{"": "", "abcd": "abcd", "abcde": "abcd…", "abcé": "abc…", "éé": "éé", "ééé": "éé…"} {
		assert.Equal(t, want, text.Cut(s, 4), s)
	}
	assert.Equal(t, "…", text.Cut("é", 1))
	assert.Equal(t, "…", text.Cut("ab", 0))
	assert.Equal(t, "née", text.Short("née", 3))
	assert.Equal(t, "né…", text.Short("nées", 3), "the mark is one of the characters")
	assert.Equal(t, "…", text.Short("nées", 1))
	assert.Equal(t, "one two…", text.Words(" one\ttwo three", 2))
	assert.Equal(t, "one two", text.Words(" one\ttwo ", 2))
	assert.Equal(t, "one two three", text.Line("\none  two\r\n\tthree "))
	assert.Equal(t, "a\uFFFD", text.Valid("a\xff"))
}

func TestCutsKeepTheirBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := rapid.String().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "limit")
		head, tail, short := text.Head(s, limit), text.Tail(s, limit), text.Short(s, limit)
		assert.True(t, strings.HasPrefix(s, head) && len(head) <= limit && utf8.ValidString(head))
		assert.True(t, strings.HasSuffix(s, tail) && len(tail) <= limit && utf8.ValidString(tail))
		assert.GreaterOrEqual(t, len(head), min(len(s), limit-utf8.UTFMax+1), "no more is left out than does not fit")
		assert.GreaterOrEqual(t, len(tail), min(len(s), limit-utf8.UTFMax+1))
		assert.Equal(t, min(utf8.RuneCountInString(s), limit), utf8.RuneCountInString(short))
		assert.Equal(t, len(s) > limit, text.Cut(s, limit) != s)
	})
}

func TestInvalidTextIsNotReadToItsEnd(t *testing.T) {
	s := strings.Repeat("\x80", 100)
	assert.Len(t, text.Head(s, 50), 46)
	assert.Len(t, text.Tail(s, 50), 46)
}

func TestNewestIsBoundedAndDoesNotShare(t *testing.T) {
	list := []int{1, 2, 3}
	assert.Equal(t, []int{2, 3}, text.Newest(list, 2))
	assert.Equal(t, list, text.Newest(list, 3))
	assert.Equal(t, list, text.Newest(list, 4))
	assert.Equal(t, []int{3}, text.Newest(list, 1))
	text.Newest(list, 2)[0] = 9
	assert.Equal(t, []int{1, 2, 3}, list)
	assert.Empty(t, text.Newest(list, 0))
}

func TestCountsHaveTheirNoun(t *testing.T) {
	assert.Equal(t, "0 entries", text.Count(0, "entry", "entries"))
	assert.Equal(t, "1 entry", text.Count(1, "entry", "entries"))
	assert.Equal(t, "2 entries", text.Count(2, "entry", "entries"))
	assert.Equal(t, "1 commit", text.Count(1, "commit"))
	assert.Equal(t, "0 commits", text.Count(0, "commit"))
}

func TestClassesOfCharacters(t *testing.T) {
	for c := range 256 {
		r, ascii := rune(c), c < 0x80
		digit := ascii && strings.ContainsRune("0123456789", r)
		letter := ascii && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		assert.Equal(t, digit, text.IsDigit(byte(c)), "%q", r)
		assert.Equal(t, letter, text.IsLetter(byte(c)), "%q", r)
		assert.Equal(t, digit || letter || r == '_', text.IsWord(byte(c)), "%q", r)
		assert.Equal(t, digit || letter || r == '_' || !ascii, text.IsName(byte(c)), "%q", r)
		assert.Equal(t, strings.ContainsRune(" \t\r\n", r), text.IsBlank(byte(c)), "%q", r)
	}
	assert.False(t, text.NotWord('é') || text.NotWord('_') || text.NotWord('٣'))
	assert.True(t, text.NotWord('-') && text.NotWord('’'))
}

func TestAWordIsFoundBetweenSeparators(t *testing.T) {
	for _, body := range []string{"loads", "—loads…", "\u0085loads", "loads를 다시", "请loads一下", "reloads, loads"} {
		assert.True(t, text.HasWord(body, "loads"), "%q", body)
	}
	for _, body := range []string{"", "reloads", "loads_all", "çloads", "loads2", "load"} {
		assert.False(t, text.HasWord(body, "loads"), "%q", body)
	}
	assert.False(t, text.HasWord("loads", ""))
}
