package preflight

import "strconv"

func orElse(text, fallback string) string {
	if text == "" {
		return fallback
	}
	return text
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
