#!/bin/sh
# Builds the image and starts everything; secrets are made once and kept in .env. Arguments go to `docker compose up`.
cd "$(dirname "$0")" || exit 1
if [ ! -e .env ]; then
  umask 077
  for name in OPERATOR_TOKEN DATABASE_PASSWORD; do echo "$name=$(openssl rand -hex 32)" || exit 1; done >.env
fi
exec docker compose up --build "$@"
