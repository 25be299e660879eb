# The UI with the start script and the configuration of its official image, which are in its Go module.
FROM arden-stand-in:base
RUN useradd --uid 1000 temporal
WORKDIR /home/ui-server
COPY ui-server start-ui-server.sh ./
COPY docker.yaml ./config/
RUN chmod 0755 start-ui-server.sh
USER temporal
EXPOSE 8080
ENTRYPOINT ["./start-ui-server.sh"]
