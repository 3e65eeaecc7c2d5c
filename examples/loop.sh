#!/usr/bin/env bash
# Runs an agent's command again and again until the file DONE is there (a
# Ralph-style loop), and stops when scaffoldwatch says so.
#
#   examples/loop.sh RUN COMMAND…
#   examples/loop.sh nightly sh -c 'claude -p "$(cat PROMPT.md)"'
#
# Exit codes: 0 done, 3 halted or paused by scaffoldwatch, 1 given up, or nobody
# could be asked: no answer is no permission.
# Environment: MAX (iterations, 50), DONE (the file, DONE), TIMEOUT (of one
# iteration, 30m), SCAFFOLDWATCH_NATS_URL.
set -u
if [ $# -lt 2 ]; then
  sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
run=$1
shift
done_file=${DONE:-DONE}

# Tells what happened and obeys: the loop ends here when the run is halted.
tell() {
  scaffoldwatch run-event "$@" --run "$run" --fail-on halt,pause >&2 || exit $?
}

tell run.started kind=build goal="loop: $*"
for ((i = 1; i <= ${MAX:-50}; i++)); do
  timeout "${TIMEOUT:-30m}" "$@"
  case $? in
    0) outcome=success ;;
    124) outcome=timeout ;;
    *) outcome=failure ;;
  esac
  tell agent.completed agent_id=loop-agent task="iteration-$i" outcome=$outcome
  tell task.completed task="iteration-$i" outcome=$outcome # a draining run halts here
  if [ -e "$done_file" ]; then
    scaffoldwatch run-event run.completed --run "$run" outcome=success summary="$i iterations" >&2
    exit
  fi
done
scaffoldwatch run-event run.completed --run "$run" outcome=failure summary="gave up after $((i - 1)) iterations" >&2
exit 1
