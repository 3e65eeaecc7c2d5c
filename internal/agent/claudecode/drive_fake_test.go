package claudecode

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// TestMain lets the tests run this binary as an agent that speaks stream-json.
func TestMain(m *testing.M) {
	if script := os.Getenv("FAKE_CLAUDE"); script != "" {
		os.Exit(fake(script))
	}
	goleak.VerifyTestMain(m)
}

// fakeAgent answers a task with a call of Bash whose result comes when the next
// line on its input does, and then says it is done.
type fakeAgent struct {
	in  *bufio.Scanner
	out *json.Encoder
}

type o = map[string]any

func (f fakeAgent) put(v o) {
	v["session_id"] = "5a1e-0001"
	_ = f.out.Encode(v)
}

func (f fakeAgent) event(e o) {
	f.put(o{"type": "stream_event", "parent_tool_use_id": nil, "event": e})
}

func (f fakeAgent) begin(id string) {
	f.event(o{"type": "message_start", "message": o{"id": id, "model": "mock-1", "usage": o{"input_tokens": 10, "output_tokens": 1}}})
}

func (f fakeAgent) say(id string, part o) {
	f.put(o{"type": "assistant", "parent_tool_use_id": nil, "uuid": id + "-l", "message": o{"id": id, "role": "assistant", "model": "mock-1", "content": []o{part}, "usage": o{"input_tokens": 10, "output_tokens": 1}}})
}

func (f fakeAgent) stop(id, reason string) {
	f.event(o{"type": "message_delta", "delta": o{"stop_reason": reason}, "usage": o{"output_tokens": 7}})
	f.event(o{"type": "message_stop"})
}

func (f fakeAgent) call(id, tool string) {
	f.begin(id)
	f.say(id, o{"type": "text", "text": "looking"})
	f.say(id, o{"type": "tool_use", "id": tool, "name": "Bash", "input": o{"command": "ls"}})
	f.stop(id, "tool_use")
}

func (f fakeAgent) answer(tool string) {
	f.put(o{"type": "user", "parent_tool_use_id": nil, "message": o{"role": "user", "content": []o{{"type": "tool_result", "tool_use_id": tool, "content": "shop.go", "is_error": false}}}, "tool_use_result": o{"stdout": "shop.go"}})
}

func (f fakeAgent) done(cost float64, failed bool) {
	subtype := "success"
	if failed {
		subtype = "error_during_execution"
	}
	f.put(o{"type": "result", "subtype": subtype, "is_error": failed, "total_cost_usd": cost})
}

// read returns the next line of input; replays of user messages are printed.
func (f fakeAgent) read() (o, bool) {
	if !f.in.Scan() {
		return nil, false
	}
	var v o
	_ = json.Unmarshal(f.in.Bytes(), &v)
	return v, true
}

func (f fakeAgent) replay(v o) {
	v["isReplay"] = true
	if v["uuid"] != nil {
		f.put(o{"type": "command_lifecycle", "command_uuid": v["uuid"], "state": "started"})
	}
	f.put(v)
}

func fake(script string) int {
	f := fakeAgent{bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)}
	switch script {
	case "silent": // reads nothing, says nothing
		time.Sleep(time.Hour)
	case "broken":
		fmt.Println("{not json")
		fmt.Fprintln(os.Stderr, "it broke")
		return 3
	}
	f.put(o{"type": "system", "subtype": "init", "cwd": "/src/shop"})
	task, _ := f.read()
	f.replay(task)
	f.call("msg_1", "toolu_1")
	switch script {
	case "dies":
		return 3
	case "fails": // the API does not answer behind the tool
		f.answer("toolu_1")
		f.put(o{"type": "assistant", "parent_tool_use_id": nil, "uuid": "e-l", "error": "server_error", "message": o{"id": "e", "role": "assistant", "model": "<synthetic>", "content": []o{{"type": "text", "text": "API Error: 529 overloaded"}}}})
		f.put(o{"type": "result", "subtype": "success", "is_error": true, "result": "API Error: 529 overloaded"})
		f.read()
		return 1
	case "errs":
		f.answer("toolu_1")
		f.done(0, true)
		f.read()
		return 1
	case "task":
		f.answer("toolu_1")
	case "steered": // the tool runs until something is said
		said, ok := f.read()
		if !ok {
			return 4
		}
		f.answer("toolu_1")
		if said["type"] == "control_request" {
			f.put(o{"type": "control_response", "response": o{"subtype": "success", "request_id": said["request_id"]}})
			f.put(o{"type": "system", "subtype": "status", "status": "requesting"}) // it goes on all the same
			if again, _ := f.read(); again["type"] != "control_request" || again["request_id"] == said["request_id"] {
				return 5
			}
			f.done(0.25, true)
			for _, ok := f.read(); ok; _, ok = f.read() {
			}
			f.put(o{"type": "result", "subtype": "interrupted_twice", "is_error": true, "total_cost_usd": 0.25})
			return 1
		}
		f.replay(said)
	}
	f.begin("msg_2")
	f.say("msg_2", o{"type": "text", "text": "done"})
	f.stop("msg_2", "end_turn")
	f.done(0.5, false)
	for said, ok := f.read(); ok; said, ok = f.read() { // idle until the input ends
		f.replay(said)
		f.begin("msg_3")
		f.say("msg_3", o{"type": "text", "text": "removed it"})
		f.stop("msg_3", "end_turn")
		f.done(0.75, false)
	}
	return 0
}
