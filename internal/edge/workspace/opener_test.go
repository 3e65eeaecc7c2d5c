package workspace

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/workspace/codeindex"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
	sessionevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/session"
	"github.com/scaffoldwatch/scaffoldwatch/rules"
)

// shopFolder returns a workspace with code, a manifest and conventions of its own.
func shopFolder(t *testing.T, file string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"user.py": "def load_user(id):\n    return id\n", "requirements.txt": "requests==2.0\n", FileName: file,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	return dir
}

func indexOf(t *testing.T, folder, out string) string {
	t.Helper()
	index, err := codeindex.Build(context.Background(), folder, codeindex.Options{Rules: rules.Default()})
	require.NoError(t, err)
	require.NoError(t, index.WriteFile(out))
	return out
}

func opened(data *sessionevents.SessionOpened) events.Event {
	return events.Event{ID: "o1", Source: "/test", Type: sessionevents.TypeSessionOpened, Subject: data.Session, Time: time.Unix(0, 0).UTC(), Data: data, Raw: []byte("{}")}
}

func turnOf(session string, blocks ...sessionevents.Block) events.Event {
	return events.Event{ID: "t-" + session, Source: "/test", Type: sessionevents.TypeTurnRaw, Subject: session, Data: &sessionevents.Turn{Session: session, TurnID: "1", Format: "blocks", Blocks: blocks}}
}

func TestAnIndexFillsTheSession(t *testing.T) {
	file := indexOf(t, shopFolder(t, ""), filepath.Join(t.TempDir(), "i.json"))
	o, err := NewOpener(file, false)
	require.NoError(t, err)
	got := o.Fill(opened(&sessionevents.SessionOpened{Session: "s", Task: "x", Conventions: []sessionevents.Convention{{ID: "dependency:requests", Rule: "own"}}}))
	require.Len(t, got, 1)
	data := got[0].Data.(*sessionevents.SessionOpened)
	require.Equal(t, "load_user", data.Codebase.Symbols[0].Name)
	require.Equal(t, []sessionevents.Convention{{ID: "dependency:requests", Rule: "own"}}, data.Conventions, "the publisher's word stays")
	require.NotEqual(t, "o1", got[0].ID, "with an index it is another event")
	require.Nil(t, got[0].Raw)
	own := &sessionevents.Codebase{Files: []string{"a"}}
	require.Same(t, own, o.Fill(opened(&sessionevents.SessionOpened{Session: "s", Codebase: own}))[0].Data.(*sessionevents.SessionOpened).Codebase)
	require.Len(t, o.Fill(turnOf("s")), 1, "the session is open")
}

// A session that nobody opened is opened before its first turn, once.
func TestASessionWithoutOpening(t *testing.T) {
	file := indexOf(t, shopFolder(t, ""), filepath.Join(t.TempDir(), "i.json"))
	o, err := NewOpener(file, false)
	require.NoError(t, err)
	got := o.Fill(turnOf("s"))
	require.Len(t, got, 2)
	require.Equal(t, events.Type(sessionevents.TypeSessionOpened), got[0].Type)
	require.Equal(t, "load_user", got[0].Data.(*sessionevents.SessionOpened).Codebase.Symbols[0].Name)
	require.NotEqual(t, got[0].ID, got[1].ID)
	require.Len(t, o.Fill(turnOf("s")), 1)
	plain, err := NewOpener("", false)
	require.NoError(t, err)
	require.Len(t, plain.Fill(turnOf("s")), 1)
	_, err = NewOpener(filepath.Join(t.TempDir(), "none.json"), false)
	require.ErrorContains(t, err, "read the index")
}

// A subagent in its parent's group inherits the codebase (SW-1).
func TestASubagentInherits(t *testing.T) {
	file := indexOf(t, shopFolder(t, ""), filepath.Join(t.TempDir(), "i.json"))
	o, err := NewOpener(file, false)
	require.NoError(t, err)
	child := &sessionevents.SessionOpened{Session: "child", Run: "r", Agent: &sessionevents.Agent{ParentSession: "parent"}}
	require.NotNil(t, o.Fill(opened(child))[0].Data.(*sessionevents.SessionOpened).Codebase, "its parent is not known")
	o.Fill(opened(&sessionevents.SessionOpened{Session: "parent", Run: "r"}))
	got := o.Fill(opened(child))[0].Data.(*sessionevents.SessionOpened)
	require.Nil(t, got.Codebase)
	require.NotEmpty(t, got.Conventions)
	child.Run = ""
	require.NotNil(t, o.Fill(opened(child))[0].Data.(*sessionevents.SessionOpened).Codebase, "it is in another group")
}

func TestAWorkspaceSpeaksForItself(t *testing.T) {
	dir := shopFolder(t, "constraints: [No new files.]\nconventions: [{id: http, use: requests}]\nindex: .scaffoldwatch-index.json\nrules: {detectors: {C2: {mode: off}}}\n")
	indexOf(t, dir, filepath.Join(dir, codeindex.FileName))
	o, err := NewOpener("", true)
	require.NoError(t, err)
	e := o.Fill(opened(&sessionevents.SessionOpened{Session: "s", Workspace: dir}))[0]
	data := e.Data.(*sessionevents.SessionOpened)
	require.Equal(t, []string{"No new files."}, data.Constraints)
	require.Equal(t, "http", data.Conventions[0].ID)
	require.Equal(t, "dependency:requests", data.Conventions[1].ID)
	require.NotNil(t, data.Codebase)
	set, folder := o.RulesFor(e)
	require.Equal(t, dir, folder)
	require.Equal(t, rules.ModeOff, set.Mode("C2"))
	require.Empty(t, o.Notes())

	off, err := NewOpener("", false)
	require.NoError(t, err)
	require.Equal(t, "o1", off.Fill(opened(&sessionevents.SessionOpened{Session: "s", Workspace: dir}))[0].ID)
	set, _ = off.RulesFor(e)
	require.Nil(t, set)
}

// A wrong file is reported once and skipped.
func TestAWrongWorkspaceIsNoted(t *testing.T) {
	dir := shopFolder(t, "conventins: []")
	o, err := NewOpener("", true)
	require.NoError(t, err)
	for range 2 {
		require.Equal(t, "o1", o.Fill(opened(&sessionevents.SessionOpened{Session: "s", Workspace: dir}))[0].ID)
	}
	require.Len(t, o.Notes(), 1)
	require.Contains(t, o.Notes()[0], `did you mean "conventions"?`)
}
