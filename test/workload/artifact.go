package workload

import (
	"encoding/json"
	"fmt"

	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// artifact returns a document that a phase hands over.
func artifact(document map[string]any) runevents.Artifact {
	text, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("write an artifact: %v", err)) // made of text and numbers
	}
	var a runevents.Artifact
	if err := json.Unmarshal(text, &a); err != nil {
		panic(fmt.Sprintf("read an artifact: %v", err))
	}
	return a
}

// document alters the first artifact of a phase.
func (p *pipe) document(phase string, how func(map[string]any)) {
	change(p, phase+" done", func(d *runevents.PhaseCompleted) {
		var fields map[string]any
		if err := json.Unmarshal(d.Artifacts[0].Document, &fields); err != nil {
			panic(fmt.Sprintf("read the artifact of %s: %v", phase, err))
		}
		how(fields)
		d.Artifacts[0] = artifact(fields)
	})
}

// texts returns n short texts that begin alike.
func texts(what string, n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%s %d", what, i+1)
	}
	return list
}
