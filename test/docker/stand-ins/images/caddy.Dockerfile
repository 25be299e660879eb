FROM arden-stand-in:base
RUN ln -sf busybox /usr/bin/sh && mkdir -p /config/caddy /data/caddy /etc/caddy
COPY caddy /usr/bin/
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
WORKDIR /srv
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
