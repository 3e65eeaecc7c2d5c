package codepattern

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Markup is blanked, every byte of code keeps its place.
func TestCodeOnly(t *testing.T) {
	l := &language{config: &languageConfig{Markup: []markupConfig{
		{ID: "tag", Open: "<?php", Close: "?>"}, {ID: "echo", Open: "<?=", Close: "?>", Prints: true}, {ID: "blade", Open: "{!!", Close: "!!}", Prints: true},
	}}}
	for page, want := range map[string]string{
		"$a = 1;":                    "$a = 1;",
		"<?php $a = 1;":              "      $a = 1;",
		"$a = 1; ?>":                 "$a = 1; ; ",
		"<p>it's\n<?php f(); ?></p>": "       \n      f(); ;     ",
		"<b><?= $a ?></b>":           "  echo $a ;     ",
		"<b>{!! $a !!}</b>":          "  echo $a ;      ",
		"f('?>'); // it's ?>x":       "f('?>'); // it's ;  ",
		"f(); ?><?= $a ?>":           "f(); ;echo $a ; ",
		"/* ?> */ f(); ?> x":         "/* ?> */ f(); ;   ",
	} {
		got := l.codeOnly(page)
		require.Len(t, got, len(page), page)
		require.Equal(t, want, got, page)
	}
	plain := &language{config: &languageConfig{}}
	require.Equal(t, "a ?> b", plain.codeOnly("a ?> b"))
}

func FuzzCodeOnly(f *testing.F) {
	for _, seed := range []string{"<?= $a ?>", "?><?=", "<?php '?>", "{!! !!}", "/*", "'\\"} {
		f.Add(seed)
	}
	l := &language{config: &languageConfig{Markup: []markupConfig{
		{Open: "<?php", Close: "?>"}, {Open: "<?=", Close: "?>", Prints: true}, {Open: "{!!", Close: "!!}", Prints: true},
	}}}
	f.Fuzz(func(t *testing.T, page string) { require.Len(t, l.codeOnly(page), len(page)) })
}
