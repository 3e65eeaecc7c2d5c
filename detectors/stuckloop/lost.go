package stuckloop

import (
	"path"
	"slices"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/analysis/pattern"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
)

// lost counts turns with searches that find nothing, or paths that are not there, because an earlier
// cd left the shell in a folder of the workspace.
func (c call) lost() {
	m := c.memory
	if m.Place != "" && m.PlaceTurn < c.pass.Turn.Turn {
		c.strays()
	}
	if at, moved := c.goes(); moved {
		m.unsee(kindLost, kindMark)
		m.Place, m.PlaceTurn = at, c.pass.Turn.Turn
	}
}

// strays counts a call that looks for something from the folder that the shell is still in.
func (c call) strays() {
	a := c.a
	m, limits := c.memory, c.Lost
	q, searches := c.query(a)
	path := c.rootPath()
	switch goesOn := m.streak(kindLost, kindMark) >= 0; {
	case path != "":
		limits.Nudge = min(limits.Nudge, 1)
	case !searches || !here(q.scope) || a.is(sessionevents.ToolFetch) || !goesOn && !c.foundNothing(a):
		return
	}
	length, first := c.sight(kindLost, kindMark, c.SearchCalls)
	c.grow(loop{
		kind: kindLost, id: kindMark, subject: m.Place, length: length, first: first, limits: limits, job: path, edits: m.PlaceTurn,
	}, a.segment)
}

// here: a search names no folder of its own.
func here(scope string) bool { return scope == "" || scope == "." || scope == "./" }

// rootPath is a path of a failed call that names the shell's folder from the workspace on, so that it
// cannot be there.
func (c call) rootPath() string {
	a := c.a
	if a.failure == nil || !a.is(sessionevents.ToolShell) || !c.Absent.MatchString(a.output()) || leadingCd.MatchString(a.command()) {
		return ""
	}
	top, _, _ := strings.Cut(c.memory.Place, "/")
	for _, word := range strings.Fields(a.command()) {
		if word = strings.Trim(word, `"'`); strings.HasPrefix(word, top+"/") && strings.Contains(a.output(), word) {
			return word
		}
	}
	return ""
}

// goes is where a call leaves a shell that keeps its folder; "" is the workspace, or a place nobody
// knows.
func (c call) goes() (place string, moved bool) {
	a := c.a
	if !a.is(sessionevents.ToolShell) || !slices.Contains(c.KeepingShells, c.pass.Turn.Agent.Kind) {
		return "", false
	}
	if c.ResetFolder.MatchString(a.output()) {
		return "", true
	}
	command := a.command()
	cds := anyCd.FindAllString(command, 3)
	if len(cds) == 0 || strings.HasPrefix(strings.TrimSpace(command), "(") {
		return "", false
	}
	to := onlyCd.FindStringSubmatch(command)
	if to == nil || len(cds) > 1 {
		return "", true
	}
	folder := c.pass.Before.Path(to[1] + to[2] + to[3])
	switch {
	case path.IsAbs(folder) || strings.HasPrefix(folder, "~") || strings.ContainsAny(folder, "$`*"):
		return "", true
	case folder == to[1]+to[2]+to[3]: // relative to where it is
		folder = path.Join(c.memory.Place, folder)
	}
	if folder == "." || strings.HasPrefix(folder, "..") {
		folder = ""
	}
	return folder, true
}

var (
	anyCd = pattern.Must(`(?:^|[;&|(\n])\s*(?:cd|pushd|popd)\b`)
	// onlyCd is a change of folder at the beginning of a command, or all of it.
	onlyCd = pattern.Must(`^\s*cd\s+(?:"([^"]+)"|'([^']+)'|([^\s;&|"'` + "`" + `]+))\s*(?:&&|;|\n|$)`)
)

// leaves: a call goes elsewhere, or looks where it says itself.
func (c call) leaves() bool {
	if _, moved := c.goes(); moved {
		return true
	}
	q, ok := c.query(c.a)
	return ok && path.IsAbs(q.scope)
}
