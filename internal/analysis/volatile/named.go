package volatile

import (
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/text"
)

// named returns a number that is volatile because of the text before it: ports after a
// host, process ids after "pid".
func named(s string, i, run int) (end int, mark string) {
	if i == 0 || !ends(s, run) {
		return 0, ""
	}
	n := run - i
	if s[i-1] == ':' && n >= 4 && n <= 5 && afterHost(s[:i-1]) {
		return run, "‹port›"
	}
	if n <= 7 && n >= 2 && s[i-1] == '[' && i > 1 && text.IsName(s[i-2]) && run < len(s) && s[run] == ']' && run+1 < len(s) && s[run+1] == ':' {
		return run, "‹pid›" // sshd[1234]:
	}
	word := wordBefore(s, i)
	switch {
	case word == "":
		return 0, ""
	case strings.EqualFold(word, "pid"), strings.EqualFold(word, "process") && n >= 3, strings.EqualFold(word, "ppid"):
		return run, "‹pid›"
	case strings.EqualFold(word, "port") && n >= 4:
		return run, "‹port›"
	}
	return 0, ""
}

var hosts = [...]string{"localhost", "127.0.0.1", "0.0.0.0", "[::1]", "[::]", "://["}

func afterHost(s string) bool {
	for _, host := range hosts {
		if strings.HasSuffix(s, host) {
			return true
		}
	}
	return false
}

// wordBefore returns the word before i, with at most ": ", "=", "#" or "(" in between.
func wordBefore(s string, i int) string {
	end := i
	for end > 0 && i-end < 3 && strings.IndexByte(" :=#(", s[end-1]) >= 0 {
		end--
	}
	if end == i {
		return ""
	}
	start := end
	for start > 0 && end-start < 8 && text.IsLetter(s[start-1]) {
		start--
	}
	return s[start:end]
}

var temporaryRoots = [...]string{"/tmp/", "/var/tmp/", "/var/folders/", "/private/tmp/", "/private/var/folders/"}

// temporaryPath returns the generated part of a temporary path: the first name below the
// root that has three digits or begins with "tmp"; on macOS the folders above "T". A name
// chosen by a person is kept.
func temporaryPath(s string, i int) (start, end int, mark string) {
	if i+4 >= len(s) || (s[i+1] != 't' && s[i+1] != 'v' && s[i+1] != 'p') {
		return 0, 0, ""
	}
	for _, root := range temporaryRoots {
		if !strings.HasPrefix(s[i:], root) {
			continue
		}
		start = i + len(root)
		end = nameEnd(s, start)
		if strings.HasSuffix(root, "folders/") {
			return start, macFolders(s, end), "‹tmp›"
		}
		if madeUp(s[start:end]) {
			return start, end, "‹tmp›"
		}
	}
	return 0, 0, ""
}

// nameEnd returns the end of the path element at i.
func nameEnd(s string, i int) int {
	for i < len(s) && (text.IsName(s[i]) || s[i] == '.' || s[i] == '-' || s[i] == '+') {
		i++
	}
	return i
}

// macFolders skips xy/abc123/T/name after /var/folders/.
func macFolders(s string, end int) int {
	for n := 0; n < 3 && end < len(s) && s[end] == '/'; n++ {
		end = nameEnd(s, end+1)
	}
	return end
}

func madeUp(name string) bool {
	if strings.HasPrefix(name, "tmp") {
		return true
	}
	digits := 0
	for i := range len(name) {
		if text.IsDigit(name[i]) {
			digits++
		}
	}
	return digits >= 3
}

// colour returns a terminal escape sequence; its mark is empty.
func colour(s string, i int) (start, end int, mark string) {
	if i+2 >= len(s) || s[i+1] != '[' {
		return 0, 0, ""
	}
	for end = i + 2; end < len(s) && end < i+24; end++ {
		if s[end] >= 0x40 && s[end] <= 0x7e {
			return i, end + 1, ""
		}
	}
	return 0, 0, ""
}
