package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
)

// outcome is what became of a mutant.
type outcome int

const (
	killed   outcome = iota // a test failed, or ran too long
	survived                // no test noticed
	unviable                // it does not compile
)

// result is a mutant that was tried.
type result struct {
	mutant
	outcome outcome
}

// try runs the tests of some packages against each mutant. They must pass without one.
func try(ctx context.Context, o options, tests []string, list []mutant) ([]result, error) {
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return nil, fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(folder) }()
	if out, err := test(ctx, o, tests); err != nil {
		return nil, fmt.Errorf("the tests fail without a mutant: %w\n%s", err, out)
	}
	results := make([]result, len(list))
	problems := make([]error, o.workers)
	next := make(chan int)
	var workers sync.WaitGroup
	for w := range o.workers {
		workers.Go(func() {
			for i := range next {
				results[i].mutant = list[i]
				if problems[w] == nil {
					results[i].outcome, problems[w] = one(ctx, o, filepath.Join(folder, fmt.Sprint(w)), tests, list[i])
				}
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	workers.Wait()
	return results, errors.Join(append(problems, ctx.Err())...)
}

// one tries one mutant through an overlay, so that nothing of the repository is
// written.
func one(ctx context.Context, o options, prefix string, tests []string, m mutant) (outcome, error) {
	original, err := filepath.Abs(m.file)
	if err != nil {
		return unviable, fmt.Errorf("find %s: %w", m.file, err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {original: prefix + ".go"}})
	if err != nil {
		return unviable, fmt.Errorf("write the overlay: %w", err)
	}
	if err := errors.Join(os.WriteFile(prefix+".go", []byte(m.mutated()), 0o600), os.WriteFile(prefix+".json", overlay, 0o600)); err != nil {
		return unviable, fmt.Errorf("write the overlay: %w", err)
	}
	for _, tested := range tests { // one after the other: most are killed by the package's own, which link quickly
		out, err := test(ctx, o, []string{"-overlay", prefix + ".json", "-failfast", tested})
		switch {
		case err == nil:
			continue
		case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
			return unviable, nil
		}
		return killed, nil
	}
	return survived, nil
}

func test(ctx context.Context, o options, arguments []string) ([]byte, error) {
	arguments = append([]string{"test", "-vet=off", "-p", "1", "-tags", o.tags, "-timeout", o.timeout.String()}, arguments...)
	cmd := exec.CommandContext(ctx, "go", arguments...)
	cmd.Env = append(os.Environ(), "RAPID_NOFAILFILE=true")
	return cmd.CombinedOutput()
}
