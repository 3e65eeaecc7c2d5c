// Package hookclient is the process that an agent starts for each hook: it passes the hook's JSON to the
// running system and prints the reply. It is built to cost the agent next to nothing (CO-3): without a
// system it prints only one message in a session, in the agent's own field for its user.
package hookclient
