package dispatch

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/intent"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/pipeline"
	"github.com/scaffoldwatch/scaffoldwatch/internal/run/wave"
	"github.com/scaffoldwatch/scaffoldwatch/internal/step"
	runevents "github.com/scaffoldwatch/scaffoldwatch/pkg/events/run"
)

// marks are the positions of the layers' report lists before an event.
type marks struct {
	wave     wave.Mark
	pipeline pipeline.Mark
	intent   intent.Mark
}

func (l *Layers) mark() marks {
	return marks{wave: l.Wave.Mark(), pipeline: l.Pipeline.Mark(), intent: l.Intent.Mark()}
}

// judged emits what the event added to the lists for reports, after every other
// event. Reports fold DECISIONS and evaluate no rules.
func (m *Machine) judged(l *Layers, before *marks, out *step.Emitter) {
	var d runevents.RunJudged
	l.Run.Since(&d)
	l.Wave.Since(before.wave, &d)
	l.Pipeline.Since(before.pipeline, &d)
	l.Intent.Since(before.intent, &d)
	d.Breaks = m.warrant.Apply(&l.Warrant, out.Events())
	if !d.Empty() {
		out.Emit(runevents.TypeRunJudged, out.Cause().Group(), &d)
	}
}
