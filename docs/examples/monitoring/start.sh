#!/bin/sh
# Runs Prometheus with the files of this folder, and its data beside them.
cd "$(dirname "$0")" || exit 1
exec prometheus --config.file=prometheus.yml --storage.tsdb.path=data --web.listen-address=127.0.0.1:9090 "$@"
