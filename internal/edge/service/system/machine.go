package system

import (
	"context"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/git/rescue"
)

// machine is the machine of this process, for the page of `scaffoldwatch up`.
type machine struct{}

// Kept lists what restoring a snapshot would write, and what it would leave.
func (machine) Kept(ctx context.Context, folder, snapshot string) (files, left []string, err error) {
	s, err := rescue.Find(ctx, folder, snapshot)
	if err != nil {
		return nil, nil, err
	}
	r, err := s.Restore(ctx, folder, nil, true, time.Now())
	if err != nil {
		return nil, nil, err
	}
	return r.Files, r.Left, nil
}

// Restore restores a snapshot.
func (machine) Restore(ctx context.Context, folder, snapshot string) error {
	s, err := rescue.Find(ctx, folder, snapshot)
	if err != nil {
		return err
	}
	_, err = s.Restore(ctx, folder, nil, false, time.Now())
	return err
}
