# The Bun that runs this check. It trusts the authorities of this machine, so that a proxy that inspects TLS between it
# and the package registry does not end the build.
FROM arden-stand-in:base
COPY bun /usr/local/bin/
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
WORKDIR /home/bun/app
CMD ["/usr/local/bin/bun"]
