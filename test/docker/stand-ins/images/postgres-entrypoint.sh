#!/bin/bash
# What docker-compose.yml relies on of the official image, as its documentation describes it: an empty volume gets a
# database of which `postgres` is the superuser with POSTGRES_PASSWORD, and then every file of
# /docker-entrypoint-initdb.d, on a server that listens on its socket only.
set -euo pipefail

if [ "$(id -u)" = 0 ]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$0" "$@"
fi

if [ ! -s "$PGDATA/PG_VERSION" ]; then
  : "${POSTGRES_PASSWORD:?is the password of the superuser; set it}"
  initdb --username=postgres --pwfile=<(echo "$POSTGRES_PASSWORD") --auth-local=trust --auth-host=scram-sha-256
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  printf '%s\n' "listen_addresses = '*'" "unix_socket_directories = '/var/run/postgresql'" >> "$PGDATA/postgresql.conf"
  pg_ctl --wait --options='-c listen_addresses=' start
  for file in /docker-entrypoint-initdb.d/*.sql; do
    psql --no-psqlrc --set=ON_ERROR_STOP=1 --username=postgres --dbname=postgres --file="$file"
  done
  pg_ctl --wait --mode=fast stop
fi

exec "$@"
