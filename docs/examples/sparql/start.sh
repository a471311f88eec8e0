#!/bin/sh
# Runs Virtuoso (apt-get install virtuoso-opensource-7-bin) on http://localhost:8890/sparql, and keeps it in step with the
# node at NODE_URL; Ctrl-C and SIGTERM stop both. Its user dba has the password dba: it listens on this machine only.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
mkdir -p "$here/data" && cp "$here/virtuoso.ini" "$here/data/" && cd "$here/data" || exit 1
virtuoso-t +foreground +configfile virtuoso.ini &
pids=$!
NODE_URL=${NODE_URL:-http://localhost:3000} SPARQL_UPDATE_URL=http://localhost:8890/sparql-auth \
  SPARQL_USER=dba SPARQL_PASSWORD=dba node "$here/follow-feed.mjs" &
pids="$pids $!"
# shellcheck disable=SC2086
trap 'kill $pids' INT TERM
wait
wait
