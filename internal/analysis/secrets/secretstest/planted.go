package secretstest

import (
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
)

//go:embed planted.txt
var planted string

//go:embed harmless.txt
var harmless string

// Plant is a kind of secret and a text it is in.
type Plant struct {
	Name  string
	parts []string // of the value, see planted.txt
	text  string
}

// Plants are the kinds of planted.txt, in order.
func Plants() []Plant { return readPlants(planted) }

func readPlants(table string) (list []Plant) {
	for _, line := range rows(table) {
		fields := strings.SplitN(line, " | ", 3)
		if len(fields) != 3 {
			panic(fmt.Sprintf("secretstest: the row %q has no three fields", line))
		}
		list = append(list, Plant{Name: strings.TrimSpace(fields[0]), parts: strings.Fields(fields[1]), text: unescape(fields[2])})
	}
	return list
}

// Single reports whether the secret is on one line.
func (p Plant) Single() bool { return !strings.HasPrefix(p.parts[0], "pem*") }

// Harmless are texts in which nothing is a secret, with fresh ids and hashes.
func (g *Generator) Harmless() (list []string) {
	for _, line := range rows(harmless) {
		list = append(list, madeForm.ReplaceAllStringFunc(unescape(line), func(form string) string {
			return g.part(strings.Trim(form, "{}"))
		}))
	}
	return list
}

var madeForm = pattern.Must(`\{(?:uuid|[a-zA-Z0-9]+\*\d+)\}`)

func rows(table string) (list []string) {
	for line := range strings.Lines(table) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

func unescape(text string) string { return strings.NewReplacer(`\n`, "\n", `\|`, "|").Replace(text) }

// Plant makes a secret of a kind: the text it is in, and the secret alone.
func (g *Generator) Plant(p Plant) (text, secret string) {
	var b strings.Builder
	for _, part := range p.parts {
		b.WriteString(g.part(part))
	}
	return strings.Replace(p.text, "{}", b.String(), 1), b.String()
}

// Traces are what must not be found of a secret: its lines, and of a long one each half.
func Traces(secret string) (list []string) {
	for line := range strings.Lines(secret) {
		line = strings.TrimSpace(line)
		list = append(list, line)
		if half := len(line) / 2; half >= 12 {
			list = append(list, line[:half], line[half:])
		}
	}
	return list
}

func (g *Generator) part(part string) string {
	kind, count, _ := strings.Cut(part, "*")
	n, _ := strconv.Atoi(count)
	switch kind {
	case "b62":
		return g.mixed(n)
	case "hex":
		return g.String(lowerHex, n)
	case "HEX":
		return g.String(strings.ToUpper(lowerHex), n)
	case "b32":
		return g.String(upper32, n)
	case "d":
		return g.String("123456789", n)
	case "low":
		return g.String(lowerHex[:10]+"abcdefghijklmnopqrstuvwxyz", n)
	case "bech":
		return g.String("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", n)
	case "b64":
		return base64.StdEncoding.EncodeToString([]byte(g.String(base62, n)))
	case "url64":
		return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(g.String(base62, n))))
	case "pem":
		lines := make([]string, n)
		for i := range lines {
			lines[i] = g.String(base62+"+/", 64)
		}
		return strings.Join(lines, "\n")
	case "uuid":
		return g.String(lowerHex, 8) + "-" + g.String(lowerHex, 4) + "-4" + g.String(lowerHex, 3) + "-a" + g.String(lowerHex, 3) + "-" + g.String(lowerHex, 12)
	case "human":
		return g.human()
	case "words":
		return strings.ToLower(g.word() + " " + g.word() + " " + g.word() + " " + g.word())
	case "basic":
		return base64.StdEncoding.EncodeToString([]byte("deploy:" + g.human()))
	default:
		return part
	}
}

func (g *Generator) word() string {
	list := []string{"Kolibri", "Granit", "Hafen", "Lantern", "Meadow", "Falcon", "Harbor", "Walnut", "Zephyr", "Winter", "Birke", "Ocean"}
	return list[g.random.IntN(len(list))]
}

// human is a password such as people make up.
func (g *Generator) human() string {
	separators, ends := []string{"-", "_", "", "."}, []string{"!", "", "+", "", "!!"}
	return g.word() + separators[g.random.IntN(len(separators))] + g.word() + g.String("123456789", 2+g.random.IntN(3)) + ends[g.random.IntN(len(ends))]
}
