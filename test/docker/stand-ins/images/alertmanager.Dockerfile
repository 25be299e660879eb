# As the Dockerfile of the official image, which is in its Go module; without amtool.
FROM arden-stand-in:base
RUN install -d -o nobody -g nogroup /alertmanager /etc/alertmanager
COPY alertmanager /bin/
USER nobody
EXPOSE 9093
VOLUME ["/alertmanager"]
WORKDIR /alertmanager
ENTRYPOINT ["/bin/alertmanager"]
CMD ["--config.file=/etc/alertmanager/alertmanager.yml", "--storage.path=/alertmanager"]
