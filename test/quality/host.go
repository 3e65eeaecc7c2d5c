package main

import (
	"encoding/binary"
	"encoding/json"
	"hash/fnv"
	"path"
	"regexp"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/test/quality/measure"
)

// leastTurns is the length a session needs to host a plant: plants come after turn
// 5 with work before and after them.
const leastTurns = 11

// host is a real session that plants are put into.
type host struct {
	events   []events.Event
	session  string
	turns    []int // places of the session's turns in events
	style    string
	language string
	seed     uint64 // of the content, so that names of files decide nothing
	folder   string // where commands run, for Codex
}

// view is what a plant's templates know about the host at their place.
type view struct {
	File string // source file the session worked on last
	Dir  string
	Ext  string
	Seen function // a function that was read before
	Seed uint64
}

var (
	extensionsOf = map[string]string{"go": "go", "ts": "typescript", "py": "python"}
	sourcePath   = regexp.MustCompile(`(?:^|[\s"'(:=])([\w./@-]+\.(go|ts|py))\b`)
	testPath     = regexp.MustCompile(`(^|/)tests?/|_test\.go|test_\w+\.py|\.(test|spec)\.ts|\.d\.ts`)
	lineNumber   = regexp.MustCompile(`(?m)^ *\d+(→|\t)`)
)

// toolsOf maps a tool that only one format has to that format.
var toolsOf = map[string]string{"Read": "claude", "exec_command": "codex", "bash": "miniswe"}

// loadHosts reads the sessions that are long enough, each Claude session a second
// time as Gemini would have worked it.
func loadHosts(data string) ([]*host, error) {
	paths, err := measure.Transcripts(data)
	if err != nil {
		return nil, err
	}
	var out []*host
	for _, p := range paths {
		input, err := measure.ReadEvents(p)
		if err != nil {
			return nil, err
		}
		h := survey(input)
		if h == nil {
			continue
		}
		out = append(out, h)
		if h.style == "claude" {
			out = append(out, retold(h))
		}
	}
	return out, nil
}

// survey describes a session, nil if it cannot host plants.
func survey(input []events.Event) *host {
	h := &host{events: input}
	hash, tools, languages := fnv.New64a(), map[string]int{}, map[string]int{}
	for i, e := range input {
		turn, ok := e.Data.(*sessionevents.Turn)
		if !ok {
			continue
		}
		if h.session == "" {
			h.session = turn.Session
		}
		if turn.Session != h.session {
			continue
		}
		h.turns = append(h.turns, i)
		for _, b := range turn.Blocks {
			hash.Write([]byte(b.Text))
			tools[toolsOf[b.Name]]++
			if h.folder == "" {
				h.folder = inputField(b, "workdir")
			}
			for _, found := range sourcePath.FindAllStringSubmatch(string(b.Input), -1) {
				languages[extensionsOf[found[2]]]++
			}
		}
	}
	h.style, h.language, h.seed = most(tools), most(languages), hash.Sum64()
	if len(h.turns) < leastTurns || h.style == "" || h.language == "" {
		return nil
	}
	return h
}

// most returns the most frequent key, the smaller one on a tie.
func most(counts map[string]int) string {
	best := ""
	for key, n := range counts {
		if key != "" && (best == "" || n > counts[best] || n == counts[best] && key < best) {
			best = key
		}
	}
	return best
}

func inputField(b sessionevents.Block, name string) string {
	var fields map[string]json.RawMessage
	var value string
	if json.Unmarshal(b.Input, &fields) == nil {
		_ = json.Unmarshal(fields[name], &value) // another type is no such field
	}
	return value
}

// place returns the turn after which a plant is inserted, from the content of both.
func (h *host) place(name string) int {
	n := len(h.turns)
	first := max(5, n*2/5)
	return first + int(mixed(h.seed, name)%uint64(max(n*9/10-first, 1)))
}

func mixed(seed uint64, name string) uint64 {
	hash := fnv.New64a()
	hash.Write(binary.BigEndian.AppendUint64(nil, seed))
	hash.Write([]byte(name))
	return hash.Sum64() >> 1
}

// view looks at what the session did before a place.
func (h *host) view(place int, name string) view {
	v := view{Seed: mixed(h.seed, name)}
	var seen []function
	for _, at := range h.turns[:place] {
		results := map[string]string{}
		blocks := h.events[at].Data.(*sessionevents.Turn).Blocks
		for _, b := range blocks {
			if b.Type == sessionevents.BlockToolResult {
				results[b.ID] = b.Output
			}
		}
		for _, b := range blocks {
			for _, found := range sourcePath.FindAllStringSubmatch(string(b.Input), -1) {
				if extensionsOf[found[2]] == h.language && !testPath.MatchString(found[1]) {
					v.File = found[1]
				}
			}
			if b.Type == sessionevents.BlockToolCall && v.File != "" && reads(b) {
				text := lineNumber.ReplaceAllString(results[b.ID], "")
				seen = append(seen, functionsIn(text, h.language, v.File)...)
			}
		}
	}
	v.Dir, v.Ext = path.Dir(v.File), strings.TrimPrefix(path.Ext(v.File), ".")
	if len(seen) > 0 {
		v.Seen = seen[v.Seed%uint64(len(seen))]
	}
	return v
}

// reads reports whether a call shows one source file unchanged.
func reads(b sessionevents.Block) bool {
	if b.Name == "Read" || b.Name == "read_file" {
		return sourcePath.MatchString(string(b.Input)) && !testPath.MatchString(string(b.Input))
	}
	command := inputField(b, "cmd") + inputField(b, "command")
	shows := strings.HasPrefix(command, "cat ") || strings.HasPrefix(command, "sed -n ")
	return shows && len(sourcePath.FindAllString(command, -1)) == 1 && !strings.ContainsAny(command, "|;&>") && !testPath.MatchString(command)
}

// Scopes that are elsewhere or open: D1 and D2 are silent there by design
// (SW-14), so that their plants would prove nothing. The words follow what D1 takes
// for an open scope: figures of D1 and D2 hold for sessions with a narrow request
// only, and are lower over all of them.
var (
	elsewhere  = regexp.MustCompile(`(?i)https?://|#\d+|\.md\b|\bPR\b|\bissues?\b|\breview|\bfeedback|\brefactor|\bclean|\brename|\blint|\bimprove|\bexplore|\bany other|\beverywhere|\ball (?:the )?files|\bcodebase|^(?:yes|ok|sure|do it|go ahead)\b`)
	scopeWords = 12
)

// narrow reports whether the person's messages before a place say what is wanted,
// and no more.
func (h *host) narrow(place int) bool {
	words := 0
	for _, at := range h.turns[:place] {
		for _, b := range h.events[at].Data.(*sessionevents.Turn).Blocks {
			if b.Type != sessionevents.BlockUser {
				continue
			}
			words += len(strings.Fields(b.Text))
			if elsewhere.MatchString(b.Text) {
				return false
			}
		}
	}
	return words >= scopeWords
}

// fits reports whether this session can host a plant.
func (h *host) fits(p *plant) bool {
	return (p.Language == "" || p.Language == h.language) && (p.Style == "" || p.Style == h.style)
}
