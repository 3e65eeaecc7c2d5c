#!/bin/sh
# Runs an agent's command again and again until the file DONE is there (a
# Ralph-style loop), and stops when scaffoldwatch says so. Any POSIX shell.
#
#   examples/loop.sh RUN COMMAND…
#   examples/loop.sh nightly sh -c 'claude -p "$(cat PROMPT.md)"'
#
# Exit codes: 0 done, 3 halted or paused by scaffoldwatch, 2 wrong call, 130
# stopped by Ctrl-C, 1 given up, or nobody could be asked: no answer is no
# permission.
# Environment: MAX (iterations, 50), DONE (the file, DONE), TIMEOUT (of one
# iteration, 30m), GRACE (before an agent that does not listen is killed, 10s),
# WAIT (for a person to resume the run, such as 8h; empty ends the loop instead),
# SCAFFOLDWATCH_NATS_URL.
set -u
if [ $# -lt 2 ]; then
  sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
for program in scaffoldwatch timeout; do
  command -v "$program" >/dev/null || { echo "loop.sh: $program is not installed" >&2; exit 1; }
done
run=$1
shift
i=0 ended=

# Publishes what happened and obeys the verdict: the loop ends here when the run is halted.
tell() {
  code=0
  scaffoldwatch run-event "$@" --run "$run" --fail-on halt,pause >&2 || code=$?
  if [ $code -eq 3 ] && [ -n "${WAIT:-}" ]; then
    scaffoldwatch control "$run" --await-running --timeout "$WAIT" >&2 && code=0
  fi
  [ $code -eq 0 ] || exit $code
}

# Publishes how the run ended; the verdict no longer matters.
complete() { scaffoldwatch run-event run.completed --run "$run" outcome="$1" summary="$2" >&2; }

# Ctrl-C ends the agent with all that it started, then the loop. That is no
# failure of the agent. $! is asked, since a signal may come before a variable of
# ours would name an agent that has just begun. A timeout that does not know its
# command's process yet dies of the signal alone, but it leads a process group,
# which hears it too.
stopped() {
  trap '' INT TERM
  if [ "${!:-}" != "$ended" ]; then
    kill -TERM $! && wait $! || :
    if kill -TERM -$! 2>/dev/null; then
      timeout "${GRACE:-10s}" sh -c 'while kill -0 -$0; do sleep 0.1; done' $! 2>/dev/null || [ $? -ne 124 ] || kill -KILL -$! || :
    fi
  fi
  complete cancelled "stopped in iteration $i"
  exit 130
}
trap stopped INT TERM

tell run.started kind=build goal="loop: $*"
while [ $i -lt "${MAX:-50}" ]; do
  i=$((i + 1)) code=0
  timeout -k "${GRACE:-10s}" "${TIMEOUT:-30m}" "$@" &
  wait $! || code=$?
  ended=$!
  case $code in
    0) outcome=success ;;
    124 | 137) outcome=timeout ;;
    *) outcome=failure ;;
  esac
  tell agent.completed agent_id=loop-agent task="iteration-$i" outcome=$outcome
  tell task.completed task="iteration-$i" outcome=$outcome # a draining run halts here
  if [ -e "${DONE:-DONE}" ]; then
    complete success "$i iterations"
    exit
  fi
done
complete failure "gave up after $i iterations"
exit 1
