#!/bin/sh
# Runs the node of this machine, and Caddy before it where Caddy is installed; Ctrl-C and SIGTERM stop both.
#
#   ./start.sh alpha      (on the others: beta, mirror)
#
# NODE_MAIN: the program, where it is not in this repository.
cd "$(dirname "$0")" || exit 1
config=${1:-alpha}.json
main=${NODE_MAIN:-../../../dist/main.js}
[ -e "$main" ] || npm --prefix ../../.. ci || exit 1
HOST=$(node -p 'new URL(JSON.parse(fs.readFileSync(process.argv[1])).baseUrl).host' "$config") || exit 2
export HOST
node "$main" --config "$config" &
pids=$!
if command -v caddy >/dev/null; then
  caddy run --config Caddyfile &
  pids="$pids $!"
fi
trap : INT
# shellcheck disable=SC2086
trap 'kill $pids' TERM
# The first one ends at a signal, the second one when both have stopped.
wait
wait
