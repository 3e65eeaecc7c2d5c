package reporter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/scaffoldwatch/scaffoldwatch/internal/config"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/link"
	"github.com/scaffoldwatch/scaffoldwatch/internal/edge/service/httpapi"
	"github.com/scaffoldwatch/scaffoldwatch/internal/engine/nats"
)

const (
	// shortestKey is the minimum length of a person's key, in characters.
	shortestKey = 20
	maxKey      = 1 << 10
	maxPeople   = 1000
)

// byPeople returns the answers that a service gives on behalf of the people of reports.people, with the
// operator's credential of reports.operator; nil if it only shows. It fails if a key is too short or others
// can read it.
func byPeople(c config.Config) (*Answers, error) {
	if c.Reports.People == "" || c.Reports.Operator == "" {
		return nil, nil
	}
	folder := c.Reports.People
	if _, err := readPeople(folder); err != nil {
		return nil, fmt.Errorf("reports.people: %w", err)
	}
	operator, err := asOperator(c)
	if err != nil {
		return nil, err
	}
	return &Answers{
		// Read for each answer, so that a removed key no longer counts.
		Person: func(key string) string {
			list, err := readPeople(folder)
			if err != nil {
				return ""
			}
			name := ""
			for _, p := range list { // all of them, so that the time reveals nothing
				if httpapi.Equal(key, p.key) {
					name = p.name
				}
			}
			return name
		},
		Connect: func(ctx context.Context) (*nats.Conn, error) {
			return nats.Connect(ctx, link.Options(operator, operatorsName))
		},
	}, nil
}

// operatorsName is the connection's name, which the operator's inbox contains.
const operatorsName = "cli_operator"

// asOperator returns the configuration with the operator's credential: a file, or a user with a password
// from the environment, as USER:$VARIABLE.
func asOperator(c config.Config) (config.Config, error) {
	c.NATS.Credentials, c.NATS.User, c.NATS.Password = c.Reports.Operator, "", ""
	if user, password, ok := strings.Cut(c.Reports.Operator, ":$"); ok {
		c.NATS.Credentials, c.NATS.User, c.NATS.Password = "", user, "$"+password
		return c, nil
	}
	if _, err := os.Stat(c.NATS.Credentials); err != nil {
		return c, fmt.Errorf("reports.operator: %w", err)
	}
	return c, nil
}

// someone is a person who may answer on the page.
type someone struct{ name, key string }

// readPeople reads the keys in a folder: one file for each person, named after them.
func readPeople(folder string) (list []someone, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("read the people's keys: %w", err)
	}
	for _, e := range entries {
		if !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if len(list) == maxPeople {
			return nil, fmt.Errorf("%s contains more than %d keys", folder, maxPeople)
		}
		key, err := readKey(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, err
		}
		list = append(list, someone{e.Name(), key})
	}
	return list, nil
}

func readKey(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("read a person's key: %w", err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKey+1))
	info, stat := file.Stat()
	if err := cmp.Or(errors.Join(err, stat), file.Close()); err != nil {
		return "", fmt.Errorf("read a person's key: %w", err)
	}
	key := strings.TrimSpace(string(text))
	switch {
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return "", fmt.Errorf("%s can be read by other users: chmod 600 %s", path, path)
	case len(key) < shortestKey || len(key) > maxKey:
		return "", fmt.Errorf(
			"the key in %s has %d characters; it must have %d to %d, such as those of `openssl rand -hex 16`",
			path,
			len(key),
			shortestKey,
			maxKey,
		)
	}
	return key, nil
}

// Notes at the foot of a page without answers.
const (
	onlyShows = "This page shows and does not answer: each card names the command that does. With reports.people and reports.operator the service answers, too."
	lacksKey  = "Answers are shown at the page's address with a key."
)
