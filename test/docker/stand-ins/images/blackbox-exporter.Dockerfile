# As the Dockerfile of the official image, which is in its Go module.
FROM arden-stand-in:base
COPY blackbox_exporter /bin/
COPY blackbox.yml /etc/blackbox_exporter/config.yml
EXPOSE 9115
ENTRYPOINT ["/bin/blackbox_exporter"]
CMD ["--config.file=/etc/blackbox_exporter/config.yml"]
