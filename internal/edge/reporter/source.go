package reporter

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/decisions"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/internal/view/readmodel"
)

// source is where lists, reports and views are read from: the broker and the read model, once there are any.
type source struct {
	reading *decisions.Reading

	mu      sync.Mutex
	broker  *nats.Broker
	model   *readmodel.Model // nil while it is not open
	changed chan struct{}    // closed when model is set
}

func (s *source) setBroker(b *nats.Broker) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.broker = b
}

func (s *source) setModel(m *readmodel.Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.model = m
	close(s.changed)
	s.changed = make(chan struct{})
}

// openPatience is how long a page waits for the model: it is open a moment after `up` listens.
const openPatience = 5 * time.Second

// awaited returns the model for a page once it is open, nil if that takes too long.
func (s *source) awaited(ctx context.Context) *readmodel.Model {
	ctx, cancel := context.WithTimeout(ctx, openPatience)
	defer cancel()
	for {
		s.mu.Lock()
		model, changed := s.model, s.changed
		s.mu.Unlock()
		if model != nil {
			return model
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil
		}
	}
}

// opened returns the model for a request, nil while it is not open.
func (s *source) opened() *readmodel.Model {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.model
}

var errNotConnected = errors.New("not connected to NATS yet")

// decided returns the broker from which decisions are read.
func (s *source) decided() (*nats.Broker, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broker == nil {
		return nil, errNotConnected
	}
	return s.broker, nil
}

// connected returns the broker; if there is none yet, it responds with an error and returns nil.
func (s *source) connected(w http.ResponseWriter) *nats.Broker {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broker == nil {
		http.Error(w, "not connected to NATS yet", http.StatusServiceUnavailable)
	}
	return s.broker
}
