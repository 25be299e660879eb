import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const NAME = 'arden-stand-in:base'
/** Of `gcr.io/distroless/cc-debian13`. */
const DEBIAN = 'trixie'
const MIRROR = 'http://deb.debian.org/debian'
const PACKAGES =
  'busybox,ca-certificates,libgcc-s1,libssl3t64,libstdc++6,netbase,netcat-openbsd,postgresql-client,tzdata'
/** The certificate authorities that this machine trusts: also those of a proxy that inspects TLS. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'

/** Makes the image that all stand-ins start from, a Debian by `debootstrap`, unless there is one. Needs root. */
export const buildBase = async (): Promise<void> => {
  if ((await Bun.$`docker image inspect ${NAME}`.quiet().nothrow()).exitCode === 0) return
  if (Bun.which('debootstrap') === null)
    throw new Error(
      'The stand-ins start from a Debian, made by debootstrap, which is not on PATH. Install it, and run this as root.',
    )
  const dir = await mkdtemp(join(tmpdir(), 'arden-debian-'))
  try {
    const args = ['--variant=minbase', `--include=${PACKAGES}`, DEBIAN, dir, MIRROR]
    await Bun.$`debootstrap ${args}`.quiet()
    await Bun.$`rm -rf ${dir}/var/cache/apt/archives ${dir}/var/lib/apt/lists`
    await Bun.$`cp ${AUTHORITIES} ${dir}${AUTHORITIES}`
    await Bun.$`tar --directory=${dir} --create . | docker import - ${NAME}`.quiet()
  } finally {
    await rm(dir, { recursive: true })
  }
}
