# The packages of which distroless/cc consists, from the same Debian: no shell, no package manager.
FROM arden-stand-in:base AS packages
RUN mkdir -p /root-fs/tmp /root-fs/home/nonroot /root-fs/etc && chmod 1777 /root-fs/tmp && chown 65532:65532 /root-fs/home/nonroot \
  && dpkg -L base-files netbase tzdata libc6 libgcc-s1 libstdc++6 libssl3t64 \
     | grep -vE '^/usr/share/(doc|man|locale|lintian)' | sort -u > /files \
  && tar --create --no-recursion --files-from=/files | tar --extract --directory=/root-fs \
  && tar --create --no-recursion /bin /lib /lib64 /sbin | tar --extract --directory=/root-fs \
  && mkdir -p /root-fs/etc/ssl/certs && cp /etc/ssl/certs/ca-certificates.crt /root-fs/etc/ssl/certs/ \
  && printf 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n' > /root-fs/etc/passwd \
  && printf 'root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n' > /root-fs/etc/group
FROM scratch
COPY --from=packages /root-fs /
ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt
USER 65532
WORKDIR /home/nonroot
