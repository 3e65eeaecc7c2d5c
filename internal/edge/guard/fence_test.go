package guard

import (
	"encoding/json"
	"path"
	"testing"

	"github.com/stretchr/testify/require"

	agents "github.com/scaffoldwatch/scaffoldwatch/internal/agent/all"
	"github.com/scaffoldwatch/scaffoldwatch/internal/session/preflight"
)

// The settings of every agent in which `install` puts hooks are fenced: in the person's home and in a project
// (RW-34).
func TestTheSettingsOfEveryAgentAreFenced(t *testing.T) {
	checker := newStation(t, t.TempDir()).guard.Checker
	answer := func(tool string, input map[string]any) preflight.Decision {
		raw, err := json.Marshal(input)
		require.NoError(t, err)
		a := checker.Check(preflight.Call{
			Session: "s", Name: tool, Input: raw, Directory: "/home/ann/src", Workspace: "/home/ann/src",
		})
		if a.Rule != preflight.RuleSelfRelease {
			return preflight.Allow
		}
		return a.Decision
	}
	for _, s := range agents.Settings() {
		project := s.Project
		if project == "" {
			project = s.Folder
		}
		personal, shared := path.Join("/home/ann", s.Folder, s.File), path.Join("/home/ann/src", project, s.File)
		for _, file := range []string{personal, shared} {
			t.Run(s.Agent+" "+file, func(t *testing.T) {
				folder := path.Dir(file)
				run := func(command string) preflight.Decision {
					return answer("Bash", map[string]any{"command": command})
				}
				require.Equal(t, preflight.Deny, run("rm "+file))
				require.Equal(t, preflight.Deny, run("cd "+folder+" && mv "+s.File+" /tmp"))
				require.Equal(t, preflight.Deny, answer("Write", map[string]any{"file_path": file, "content": "{}"}))
				require.Equal(t, preflight.Allow, run("cat "+file))
				require.Equal(t, preflight.Allow, run("rm "+path.Join(folder, "other.json")))
			})
		}
	}
}
