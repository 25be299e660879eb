# The two of its programs that docker-compose.yml uses. /bin/sh is that of busybox, as on Alpine.
FROM arden-stand-in:base
RUN useradd --uid 1000 temporal && ln -sf busybox /usr/bin/sh
COPY temporal temporal-sql-tool /usr/local/bin/
USER temporal
