#!/bin/sh
# Runs what belongs on one machine, as an ordinary user: etcd, PostgreSQL under Patroni, and a node. What ends is started
# again; SIGTERM stops everything.
#
#   ./machine.sh one      (on the others: two, three)
#
# NODE_MAIN: the program, where it is not in this repository.
cd "$(dirname "$0")" || exit 1
set -a
. ./cluster.env
name=$1
case $name in one) address=$ONE ;; two) address=$TWO ;; three) address=$THREE ;; *) exit 2 ;; esac
data=$PWD/data/$name
mkdir -p "$data"
echo $$ >"$data/pid"

PATRONI_NAME=$name
PATRONI_ETCD_HOSTS=$ONE:2379,$TWO:2379,$THREE:2379
PATRONI_RESTAPI_LISTEN=$address:8008
PATRONI_RESTAPI_CONNECT_ADDRESS=$address:8008
PATRONI_POSTGRESQL_LISTEN=$address:5432
PATRONI_POSTGRESQL_CONNECT_ADDRESS=$address:5432
PATRONI_POSTGRESQL_DATA_DIR=$data/postgres
PATRONI_POSTGRESQL_PGPASS=$data/pgpass
PATRONI_POSTGRESQL_BIN_DIR=$(ls -d /usr/lib/postgresql/*/bin | tail -n 1)
PATRONI_SUPERUSER_USERNAME=postgres
PATRONI_SUPERUSER_PASSWORD=$SUPERUSER_PASSWORD
PATRONI_REPLICATION_USERNAME=replication
PATRONI_REPLICATION_PASSWORD=$REPLICATION_PASSWORD

# All three servers: the nodes use the one that takes writes.
REGISTRY_STORE_URL=postgres://registry:$DATABASE_PASSWORD@$ONE:5432,$TWO:5432,$THREE:5432/registry
REGISTRY_OPERATOR_TOKEN=$OPERATOR_TOKEN
REGISTRY_BASE_URL=$BASE_URL
REGISTRY_LISTEN_HOST=$address
REGISTRY_DATA_DIR=$data/node
set +a

keep() {
  (
    trap ending=1 TERM
    until [ "$ending" ]; do
      "$@"
      sleep 1
    done
  ) &
}

keep etcd --name "$name" --data-dir "$data/etcd" --log-level warn --enable-v2 \
  --listen-client-urls "http://$address:2379" --advertise-client-urls "http://$address:2379" \
  --listen-peer-urls "http://$address:2380" --initial-advertise-peer-urls "http://$address:2380" \
  --initial-cluster "one=http://$ONE:2380,two=http://$TWO:2380,three=http://$THREE:2380"
keep patroni patroni.yml
keep node "${NODE_MAIN:-../../../dist/main.js}" --config node.json

trap 'trap "" TERM; kill 0' TERM
# The first one ends at a signal, the second one when everything has stopped.
wait
wait
