package main

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/dispatch"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/evaluate"
	"github.com/scaffoldwatch/scaffoldwatch/internal/core/ingest"
)

type (
	ingestState   = ingest.State
	evaluateState = evaluate.State
	dispatchState = dispatch.State
)
