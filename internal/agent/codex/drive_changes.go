package codex

import (
	"encoding/json"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/agent/loose"
)

// fileChange is the change of one file in an edit.
type fileChange struct {
	Path loose.String `json:"path"`
	Kind kind         `json:"kind"`
	Diff loose.String `json:"diff"` // the content of a file that is added or deleted
}

// kind is what happens to a file: an object, or a word in older versions.
type kind struct {
	Type string // add, delete, update
	Move string
}

// UnmarshalJSON parses either form; any other leaves it empty.
func (k *kind) UnmarshalJSON(b []byte) error {
	var o struct {
		Type loose.String `json:"type"`
		Move loose.String `json:"move_path"`
	}
	if json.Unmarshal(b, &o) == nil {
		k.Type, k.Move = string(o.Type), string(o.Move)
		return nil
	}
	_ = json.Unmarshal(b, &k.Type)
	return nil
}

func (i *threadItem) changes() []fileChange {
	var list []fileChange
	if json.Unmarshal(i.Changes, &list) != nil {
		return nil
	}
	return list
}

// patchText returns the edit as the text of the tool's input. The protocol sends unified diffs; the hunks
// are the same.
func patchText(list []fileChange) string {
	var out strings.Builder
	out.WriteString("*** Begin Patch\n")
	for _, c := range list {
		switch c.Kind.Type {
		case "add":
			out.WriteString("*** Add File: " + string(c.Path) + "\n" + prefixed(string(c.Diff)))
		case "delete":
			out.WriteString("*** Delete File: " + string(c.Path) + "\n")
		default:
			out.WriteString("*** Update File: " + string(c.Path) + "\n")
			if c.Kind.Move != "" {
				out.WriteString("*** Move to: " + c.Kind.Move + "\n")
			}
			out.WriteString(hunks(string(c.Diff)))
		}
	}
	out.WriteString("*** End Patch")
	return out.String()
}

// prefixed marks each line of a new file as added.
func prefixed(content string) string {
	if content == "" {
		return ""
	}
	return "+" + strings.ReplaceAll(strings.TrimSuffix(content, "\n"), "\n", "\n+") + "\n"
}

// hunks returns a unified diff without its file header.
func hunks(diff string) string {
	at := strings.Index(diff, "@@")
	if at < 0 {
		return ""
	}
	return strings.TrimSuffix(diff[at:], "\n") + "\n"
}

// rollout returns the edit in the form of patch_apply_end.
func rollout(list []fileChange) map[string]object {
	out := map[string]object{}
	for _, c := range list {
		o := object{"type": c.Kind.Type, "content": c.Diff}
		if c.Kind.Type != "add" && c.Kind.Type != "delete" {
			o = object{"type": "update", "unified_diff": c.Diff, "move_path": c.Kind.Move}
		}
		out[string(c.Path)] = o
	}
	return out
}
