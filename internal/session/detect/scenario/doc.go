// Package scenario reads scripts: conversations with expectations next to the input, as
// in etcd's raft. Detectors' tests (detecttest) and the conformance scenarios of the
// whole chain share the language:
//
//	# covers: SW-40 firing, B1/placeholder
//	opened {"task":"Fix the login"}     session.opened, before the first turn
//
//	turn                                or: turn compacted, turn fork turn-3, turn late,
//	                                    turn session=child parent=session run=r id=turn-9,
//	                                    turn parent=session role=explore (of a subagent), turn agent=codex,
//	                                    turn parallel (its calls were sent before any result),
//	                                    turn at=61m (time since the session began),
//	                                    turn stop=error (its stop reason)
//	user Fix the login in auth.py       a person's message
//	plan I'll read it first.            the agent's prose
//	think It may be the cookie.         its thinking
//	read auth.py 10-40                  calls, with the result indented
//	  def login(): …
//	search "def login" in src
//	fetch https://example.org/api
//	shell go test ./...
//	  FAIL
//	exit 1                              of the call before it
//	write auth_test.go                  a new file, content indented
//	  package auth
//	edit auth.py                        hunk lines, indented
//	  -old line
//	  +new line
//	call Task {"prompt":"look"}         any other call
//	failed                              the call before it was an error
//	rejected                            a person refused it
//	----
//	C1 urgency=0.5 …                    what is expected, up to an empty line
//
//	event session.closed {session: session}
//	----
//
//	let token {id: C1, severity: CRITICAL, text: The token is logged.}
//	event agent.completed run=r at=50m  a payload on one line, or indented as YAML;
//	  agent_id: guardian-1              "$token" is what the let line named
//	  outcome: success
//	  findings: [$token]
//	----
//
// Text that continues on further lines is indented by two spaces; a line of a turn that
// ends in a backslash is joined with the next. Pieces in {{gh|p_|abc}} are joined when
// the script runs ("ghp_abc"), which keeps secrets out of the files.
package scenario
