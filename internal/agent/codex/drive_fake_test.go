package codex

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets the tests run this binary as an agent that speaks the protocol
// of the app-server.
func TestMain(m *testing.M) {
	if script := os.Getenv("FAKE_CODEX"); script != "" {
		os.Exit(fake(script))
	}
	goleak.VerifyTestMain(m)
}

const (
	threadID = "01a1-thread"
	turnID   = "01a1-turn"
)

type fakeAgent struct {
	in  *bufio.Scanner
	out *json.Encoder
}

func (f fakeAgent) tell(method string, params object) {
	if params["threadId"] == nil {
		params["threadId"] = threadID
	}
	_ = f.out.Encode(object{"method": method, "params": params})
}

// take waits for a request of the method and answers it.
func (f fakeAgent) take(method string, result object) (object, bool) {
	for f.in.Scan() {
		var v object
		_ = json.Unmarshal(f.in.Bytes(), &v)
		if v["method"] == method {
			if v["id"] != nil {
				_ = f.out.Encode(object{"id": v["id"], "result": result})
			}
			return v, true
		}
		if v["id"] != nil && v["method"] != nil {
			_ = f.out.Encode(object{"id": v["id"], "error": object{"code": -32600, "message": "unexpected"}})
		}
	}
	return nil, false
}

func (f fakeAgent) item(method string, item object) {
	f.tell(method, object{"turnId": turnID, "item": item})
}

func (f fakeAgent) both(item object) {
	f.item("item/started", item)
	f.item("item/completed", item)
}

func (f fakeAgent) said(text string) {
	f.both(object{"type": "userMessage", "id": "u-" + text, "content": []object{{"type": "text", "text": text}}})
}

func (f fakeAgent) used(output int) {
	f.tell("thread/tokenUsage/updated", object{"turnId": turnID, "tokenUsage": object{"last": object{"inputTokens": 100, "cachedInputTokens": 40, "outputTokens": output}}})
}

func (f fakeAgent) completed(status string) {
	f.tell("turn/completed", object{"turn": object{"id": turnID, "status": status}})
}

func fake(script string) int {
	f := fakeAgent{bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)}
	if script == "silent" {
		time.Sleep(time.Hour)
	}
	if script == "refuses" {
		f.take("nothing", nil)
		return 0
	}
	f.take("initialize", object{})
	f.take("initialized", nil)
	f.take("thread/start", object{"thread": object{"id": threadID}})
	f.tell("thread/started", object{"thread": object{"id": threadID, "cwd": "/src/shop", "model": "mock-1"}})
	f.take("turn/start", object{"turn": object{"id": turnID}})
	f.tell("turn/started", object{"turn": object{"id": turnID, "status": "inProgress"}})
	f.said("list the shops")
	f.tell("turn/plan/updated", object{"turnId": turnID, "plan": []object{{"step": "look", "status": "inProgress"}}})
	command := object{"type": "commandExecution", "id": "call_1", "command": "/bin/bash -lc 'ls shops'", "cwd": "/src/shop", "status": "inProgress"}
	f.item("item/started", command)
	switch script {
	case "dies":
		return 3
	case "fails":
		f.finish(command)
		f.tell(
			"turn/completed",
			object{"turn": object{"id": turnID, "status": "failed", "error": object{"message": "stream disconnected"}}},
		)
		f.take("nothing", nil)
		return 0
	case "asks":
		_ = f.out.Encode(object{"id": 77, "method": "item/commandExecution/requestApproval", "params": object{"threadId": threadID}})
		for f.in.Scan() {
			var v struct {
				ID     int               `json:"id"`
				Result map[string]string `json:"result"`
			}
			if json.Unmarshal(f.in.Bytes(), &v) == nil && v.ID == 77 {
				command["status"] = v.Result["decision"] + "d"
				break
			}
		}
		f.item("item/completed", command)
		f.used(7)
	case "steered":
		steer, ok := f.take("turn/steer", object{"turnId": turnID})
		if !ok {
			return 4
		}
		f.finish(command)
		text := steer["params"].(map[string]any)["input"].([]any)[0].(map[string]any)["text"].(string)
		f.said(text)
	case "halted":
		f.take("turn/interrupt", object{})
		f.completed("interrupted")
		f.take("nothing", nil)
		return 0
	default:
		f.finish(command)
	}
	f.both(object{"type": "reasoning", "id": "r1", "summary": []string{"one file is enough"}})
	patch := object{"type": "fileChange", "id": "call_2", "status": "inProgress", "changes": []object{
		{"path": "shops.go", "kind": object{"type": "add"}, "diff": "package shops\n\nvar All []string\n"},
		{"path": "main.go", "kind": object{"type": "update"}, "diff": "@@ -3,1 +3,2 @@\n func main() {\n+\tlist()\n"},
	}}
	f.item("item/started", patch)
	patch["status"] = "completed"
	f.item("item/completed", patch)
	f.used(8)
	f.both(object{"type": "agentMessage", "id": "m1", "text": "done"})
	f.used(9)
	f.completed("completed")
	for {
		next, ok := f.take("turn/start", object{"turn": object{"id": turnID}})
		if !ok {
			return 0
		}
		f.tell("turn/started", object{"turn": object{"id": turnID}})
		f.said(next["params"].(map[string]any)["input"].([]any)[0].(map[string]any)["text"].(string))
		f.both(object{"type": "agentMessage", "id": "m2", "text": "removed it"})
		f.used(3)
		f.completed("completed")
	}
}

func (f fakeAgent) finish(command object) {
	command["status"], command["exitCode"], command["aggregatedOutput"] = "completed", 0, "shop.go\n"
	f.item("item/completed", command)
	f.used(7)
}
