package readmodel

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/scaffoldwatch/scaffoldwatch/internal/view/aftermath"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/runreport"
)

// Bounds of what is kept of one run's breaks and corrections.
const (
	maxEntries = 100
	maxWords   = 100
)

var embeddedJudge = sync.OnceValue(func() *aftermath.Settings { return runreport.DefaultSettings().Aftermath() })

// judge are the settings of verdicts, with the bounds of this model.
func (o Options) judge() *aftermath.Settings {
	s := o.Judge
	if s == nil {
		s = embeddedJudge()
	}
	bounded := *s
	bounded.Entries, bounded.Text = min(s.Entries, maxEntries), min(s.Text, maxWords)
	return &bounded
}

// sameJudge empties a model whose verdicts were made by other settings, so that
// it is built anew: what was counted by one cannot be taken back by another.
func (m *Model) sameJudge(ctx context.Context, db *sql.DB) error {
	text, err := json.Marshal(m.judge)
	if err != nil {
		return fmt.Errorf("store the settings of verdicts: %w", err)
	}
	var before string
	if err := db.QueryRowContext(ctx, "SELECT judge FROM position").Scan(&before); err != nil {
		return fmt.Errorf("read the settings of verdicts: %w", err)
	}
	if before == string(text) {
		return nil
	}
	at, err := position(ctx, db)
	if err != nil {
		return err
	}
	if at.Sequence > 0 {
		m.options.Note(fmt.Sprintf("the rules of verdicts (section runreport) are others than the read model %s was built with; it is built anew from the stream", m.options.Path))
		if err := m.Reset(ctx, ""); err != nil {
			return err
		}
	}
	if _, err := db.ExecContext(ctx, "UPDATE position SET judge = ?", string(text)); err != nil {
		return fmt.Errorf("store the settings of verdicts: %w", err)
	}
	return nil
}
