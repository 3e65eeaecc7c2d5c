package cli

import (
	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// ReadModel opens the read model for queries: the file that reports.database names, or else a model built
// from the running system.
func (c Connection) ReadModel(r *Call) (*readmodel.Model, func(), error) {
	settings, err := c.Settings(r)
	if err != nil {
		return nil, nil, err
	}
	return c.ModelOf(r, settings.Reports)
}

// FreshModel builds a read model from the events of DECISIONS that match filters, all of them if there are
// none. Unlike a file, it never lags.
func (c Connection) FreshModel(r *Call, filters ...string) (*readmodel.Model, func(), error) {
	return c.ModelOf(r, decisions.ReadAfresh, filters...)
}

// ModelOf opens the read model that settings name; see [decisions.ReadModel].
func (c Connection) ModelOf(r *Call, settings config.Reports, filters ...string) (*readmodel.Model, func(), error) {
	return c.ModelBy(r, settings, nil, filters...)
}

// ModelBy is [Connection.ModelOf] with the rules by which runs are judged.
func (c Connection) ModelBy(r *Call, settings config.Reports, by *decisions.Reading, filters ...string) (*readmodel.Model, func(), error) {
	broker, _, err := c.Open(r)
	if err != nil {
		return nil, nil, err
	}
	model, err := decisions.ReadModelBy(r, settings, by, broker, filters...)
	if err != nil {
		return nil, nil, err
	}
	return model, func() { _ = model.Close() }, nil // nothing was written
}
