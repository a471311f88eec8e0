#!/bin/sh
# Starts the nodes of this folder as plain processes, and ends when all of them have ended; Ctrl-C and SIGTERM stop them.
# NODE_MAIN: the program, where it is not in this repository.
cd "$(dirname "$0")" || exit 1
main=${NODE_MAIN:-../../../dist/main.js}
[ -e "$main" ] || npm --prefix ../../.. ci || exit 1
pids=
for name in alpha beta gamma mirror; do
  node "$main" --config "$name.json" &
  pids="$pids $!"
done
# A terminal sends Ctrl-C to the nodes, too. A second signal would end them before they have finished.
trap : INT
# shellcheck disable=SC2086
trap 'kill $pids' TERM
# The first one ends at a signal, the second one when the nodes have stopped.
wait
wait
