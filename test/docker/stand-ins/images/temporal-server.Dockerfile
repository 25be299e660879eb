# The server with the entrypoint of its official image, which is in its Go module. /bin/sh is that of busybox,
# as on Alpine.
FROM arden-stand-in:base
RUN useradd --uid 1000 temporal && ln -sf busybox /usr/bin/sh
COPY temporal-server /usr/local/bin/
COPY entrypoint.sh /etc/temporal/
RUN chmod 0755 /etc/temporal/entrypoint.sh
WORKDIR /etc/temporal
USER temporal
CMD ["/etc/temporal/entrypoint.sh"]
