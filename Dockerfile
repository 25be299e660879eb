# One program on the C library it needs: no shell, no package manager, no root.

FROM oven/bun:1.4.5-debian AS build
WORKDIR /arden
COPY package.json bun.lock bunfig.toml ./
COPY patches patches
RUN bun install --frozen-lockfile
COPY . .
# The commit that `arden version` names; there is no history in here.
ARG ARDEN_COMMIT
RUN ARDEN_COMMIT="$ARDEN_COMMIT" bun build/main.ts

# glibc, libstdc++ and libgcc for Bun and for Temporal's native library; the authorities for TLS; time zones.
# It has no version tags: only a digest pins it (docs/operations.md, "Images").
FROM gcr.io/distroless/cc-debian13:nonroot
LABEL org.opencontainers.image.title="Arden" \
      org.opencontainers.image.description="A content-generation service with a REST API and signed webhooks, every delivery a durable Temporal workflow." \
      org.opencontainers.image.version="0.1.0"
COPY --from=build /arden/dist/arden /usr/local/bin/arden
# By number, so that `runAsNonRoot` of Kubernetes can verify that it is not root: `nonroot` of the image.
USER 65532:65532
WORKDIR /tmp
ENV PORT=3000
EXPOSE 3000
STOPSIGNAL SIGTERM
# Of `serve`, the default. docker-compose.yml has the one for `worker`.
HEALTHCHECK --interval=30s --timeout=5s --retries=3 --start-period=60s --start-interval=2s CMD ["/usr/local/bin/arden", "health", "serve"]
ENTRYPOINT ["/usr/local/bin/arden"]
CMD ["serve"]
