# As the Dockerfile of the official image, which is in its Go module; without promtool, and without the pages of its UI.
FROM arden-stand-in:base
RUN install -d -o nobody -g nogroup /prometheus /etc/prometheus
COPY prometheus /bin/
WORKDIR /prometheus
USER nobody
EXPOSE 9090
VOLUME ["/prometheus"]
ENTRYPOINT ["/bin/prometheus"]
CMD ["--config.file=/etc/prometheus/prometheus.yml", "--storage.tsdb.path=/prometheus"]
