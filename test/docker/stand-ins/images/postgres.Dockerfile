# PostgreSQL of the npm package that `arden dev` uses, and psql of Debian. User, folders, volume and stop signal are
# those of the official image.
FROM arden-stand-in:base
RUN groupadd --system --gid 999 postgres \
  && useradd --system --uid 999 --gid postgres --home-dir /var/lib/postgresql postgres \
  && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql \
  && install -d -o postgres -g postgres -m 3777 /var/run/postgresql \
  && mkdir /docker-entrypoint-initdb.d
COPY native /usr/lib/postgresql/18
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN chmod 0755 /usr/local/bin/docker-entrypoint.sh
ENV PATH=/usr/lib/postgresql/18/bin:/usr/lib/postgresql/17/bin:/usr/local/bin:/usr/bin:/bin \
    PGDATA=/var/lib/postgresql/18/docker \
    LANG=C.UTF-8
VOLUME /var/lib/postgresql
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
