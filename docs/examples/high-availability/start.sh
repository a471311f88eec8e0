#!/bin/sh
# Runs three machines and the proxy on this one; Ctrl-C and SIGTERM stop everything.
cd "$(dirname "$0")" || exit 1
[ -e "${NODE_MAIN:-../../../dist/main.js}" ] || npm --prefix ../../.. ci || exit 1
set -a
. ./cluster.env
set +a
pids=
for name in one two three; do
  # Each is a group of processes of its own.
  setsid ./machine.sh "$name" &
  pids="$pids $!"
done
PATH=$PATH:/usr/sbin haproxy -db -f haproxy.cfg &
pids="$pids $!"
# shellcheck disable=SC2086
trap 'kill $pids' INT TERM
wait
wait
