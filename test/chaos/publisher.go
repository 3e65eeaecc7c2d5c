package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	natsengine "github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
	"github.com/scaffoldwatch/scaffoldwatch/pkg/events"
)

// saveEvery is how many events a publisher sends between two notes of its place: a
// killed one sends up to so many again.
const saveEvery = 8

// publisher sends its share of the work, starting where its predecessor was killed.
func publisher(ctx context.Context, m member, directory string, p plan) error {
	nc, err := natsengine.Connect(ctx, natsengine.ConnectOptions{URL: m.urls, Name: fmt.Sprint("publisher-", m.index)})
	if err != nil {
		return err
	}
	defer nc.Close()
	js, err := natsengine.JetStream(nc)
	if err != nil {
		return err
	}
	work := makeWork(p)
	list := share(work, m.index)
	place := placeOf(directory, m.index)
	from, err := place.read()
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(p.seed, uint64(m.index)))
	full := 0 // of them fill the streams, without a pause
	if len(work.fill) > 0 {
		full = len(work.fill[m.index])
	}
	pause := time.Duration(p.kills) * p.every / time.Duration(len(list)-full+1)
	for i := from; i < len(list); i++ {
		copies := 1
		if random.IntN(10) == 0 {
			copies = 2
		}
		for range copies {
			if err := send(ctx, js, list[i], p); err != nil {
				return err
			}
		}
		if (i+1)%saveEvery == 0 || i+1 == len(list) {
			if err := place.write(i+1, len(list)); err != nil {
				return err
			}
		}
		if i >= full {
			time.Sleep(pause)
		}
	}
	return place.write(len(list), len(list))
}

// share returns what one publisher sends: its lists, a piece of each in turn.
func share(w work, index int) []events.Event {
	var own [][]events.Event
	for i, list := range slices.Concat(w.sessions, w.runs) {
		if i%publishers == index {
			own = append(own, list)
		}
	}
	rounds := len(w.sessions[0])
	var out []events.Event
	if len(w.fill) > 0 {
		out = append(out, w.fill[index]...)
	}
	for round := range rounds {
		for _, list := range own {
			out = append(out, list[len(list)*round/rounds:len(list)*(round+1)/rounds]...)
		}
	}
	return out
}

// place is the file in which a publisher notes how far it is.
type place string

func placeOf(directory string, index int) place {
	return place(filepath.Join(directory, fmt.Sprint("publisher-", index)))
}

// write replaces the file at once: a kill leaves the old note or the new one.
func (p place) write(sent, of int) error {
	next := string(p) + ".next"
	if err := os.WriteFile(next, fmt.Appendf(nil, "%d %d", sent, of), 0o600); err != nil {
		return fmt.Errorf("note the place: %w", err)
	}
	if err := os.Rename(next, string(p)); err != nil {
		return fmt.Errorf("note the place: %w", err)
	}
	return nil
}

func (p place) read() (int, error) {
	sent, _, err := p.progress()
	return sent, err
}

// progress returns how many events were sent, and whether that is all of them.
func (p place) progress() (sent int, done bool, err error) {
	data, err := os.ReadFile(string(p))
	if errors.Is(err, fs.ErrNotExist) {
		return 0, false, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("read the place: %w", err)
	}
	first, all, _ := strings.Cut(string(data), " ")
	if sent, err = strconv.Atoi(first); err != nil {
		return 0, false, fmt.Errorf("read the place: %w", err)
	}
	return sent, first == all, nil
}
