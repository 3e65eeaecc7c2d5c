// Package hooktoken manages the bearer tokens of agents' hooks, one file for each agent, readable only by
// its owner. `up` and `install` create them, the hook client sends the one of its agent, and the HTTP
// interface accepts no other for it: a local program that cannot read the file can neither report turns nor
// receive another session's interrupts.
package hooktoken

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Variable is the environment variable for the folder of the tokens, like the setting hooks.tokens.
const Variable = "SCAFFOLDWATCH_HOOKS_TOKENS"

// maxToken limits what is read of a file.
const maxToken = 4 << 10

// Folder returns the folder of the tokens: that of the environment, or else one in the user's configuration
// directory, "" if there is none.
func Folder(environment func(string) string) string {
	if folder := environment(Variable); folder != "" {
		return folder
	}
	home, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(home, "scaffoldwatch", "hooks")
}

func file(folder, agent string) string { return filepath.Join(folder, agent+".token") }

// Read returns the token of an agent, "" if it has none.
func Read(folder, agent string) string {
	if folder == "" {
		return ""
	}
	data, err := os.ReadFile(file(folder, agent))
	if err != nil || len(data) > maxToken {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// Make returns the token of an agent, and creates it if necessary.
func Make(folder, agent string) (string, error) {
	if token := Read(folder, agent); token != "" {
		return token, nil
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("create the folder of the hooks' tokens: %w", err)
	}
	token := rand.Text()
	temporary, err := os.CreateTemp(folder, "."+agent+"-*")
	if err != nil {
		return "", fmt.Errorf("create the hooks' token of %s: %w", agent, err)
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	_, err = temporary.WriteString(token + "\n")
	if err := errors.Join(err, temporary.Close()); err != nil {
		return "", fmt.Errorf("write the hooks' token of %s: %w", agent, err)
	}
	// A link fails if another process was faster, whose token then counts.
	if err := os.Link(temporary.Name(), file(folder, agent)); errors.Is(err, fs.ErrExist) {
		return Read(folder, agent), nil
	} else if err != nil {
		return "", fmt.Errorf("write the hooks' token of %s: %w", agent, err)
	}
	return token, nil
}

// Permits reports whether a token belongs to an agent.
func Permits(folder, agent, given string) bool {
	token := Read(folder, agent)
	return token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(given)) == 1
}
