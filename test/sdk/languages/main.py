import base64
import sys

from verify import is_genuine

for line in sys.stdin.read().splitlines():
    body, max_age, secrets, *headers = line.split("\t")
    print(
        is_genuine(
            base64.b64decode(body),
            dict(zip(headers[::2], headers[1::2])),
            secrets.split(" "),
            int(max_age) if max_age else None,
        )
    )
