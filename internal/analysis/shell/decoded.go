package shell

import (
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
)

// rewritten returns what a program makes of its input, if it only decodes or rewrites it; is reports whether
// it does.
func rewritten(args []argument, in string) (text string, is bool) {
	words := make([]string, 0, len(args))
	for _, a := range args[1:] {
		words = append(words, a.text)
	}
	plain := strings.Join(strings.Fields(in), "")
	switch args[0].text {
	case "cat", "tee":
		return in, len(words) == 0
	case "rev":
		return reversed(in), len(words) == 0
	case "tr":
		return translated(in, words)
	case "base64":
		return decoded(plain, words, base64.StdEncoding.DecodeString)
	case "base32":
		return decoded(plain, words, base32.StdEncoding.DecodeString)
	case "xxd":
		if slices.ContainsFunc(words, func(w string) bool { return slices.Contains([]string{"-r", "-rp", "-pr"}, w) }) {
			return decoded(plain, []string{"-d"}, hex.DecodeString)
		}
	case "openssl":
		if slices.Contains(words, "base64") || slices.Contains(words, "-base64") || slices.Contains(words, "-a") {
			return decoded(plain, words, base64.StdEncoding.DecodeString)
		}
	}
	return "", false
}

// decoded returns a decoded text, if a program is told to decode.
func decoded(text string, words []string, decode func(string) ([]byte, error)) (string, bool) {
	if !slices.ContainsFunc(words, func(w string) bool {
		return strings.HasPrefix(w, "--d") ||
			strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.ContainsAny(w, "dD")
	}) {
		return "", false
	}
	out, err := decode(text)
	return string(out), err == nil
}

// reversed returns a text with each of its lines written backwards.
func reversed(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		letters := []rune(line)
		slices.Reverse(letters)
		lines[i] = string(letters)
	}
	return strings.Join(lines, "\n")
}

// translated returns what tr makes of a text, for sets of letters and ranges.
func translated(text string, words []string) (string, bool) {
	switch {
	case len(words) == 2 && (words[0] == "-d" || words[0] == "--delete"):
		from := letters(words[1])
		return strings.Map(func(c rune) rune {
			if slices.Contains(from, c) {
				return -1
			}
			return c
		}, text), len(from) > 0
	case len(words) == 2 && !strings.HasPrefix(words[0], "-"):
		from, to := letters(words[0]), letters(words[1])
		if len(from) == 0 || len(to) == 0 {
			return "", false
		}
		return strings.Map(func(c rune) rune {
			if at := slices.Index(from, c); at >= 0 {
				return to[min(at, len(to)-1)]
			}
			return c
		}, text), true
	}
	return "", false
}

// letters returns the letters of a set of tr, none if it holds a class.
func letters(set string) (out []rune) {
	if strings.Contains(set, "[:") || strings.Contains(set, "[=") {
		return nil
	}
	all := []rune(strings.NewReplacer(`\n`, "\n", `\r`, "\r", `\t`, "\t", `\\`, `\`).Replace(set))
	for i := 0; i < len(all); i++ {
		if i+2 < len(all) && all[i+1] == '-' && all[i+2] >= all[i] && all[i+2] < 0x80 {
			for c := all[i]; c <= all[i+2]; c++ {
				out = append(out, c)
			}
			i += 2
			continue
		}
		out = append(out, all[i])
	}
	return out
}
