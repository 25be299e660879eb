# As the Dockerfile of the official image, which is in its Go module.
FROM arden-stand-in:base
COPY node_exporter /bin/
EXPOSE 9100
USER nobody
ENTRYPOINT ["/bin/node_exporter"]
