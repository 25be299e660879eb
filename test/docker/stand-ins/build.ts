import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compose } from '../../support/operations/compose'
import { buildBase } from './base'
import { STAND_INS } from './images'

/** What Arden's own image starts from. */
const fromImages = async () => {
  const dockerfile = await Bun.file(join(import.meta.dir, '../../../Dockerfile')).text()
  return [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image)
}

/** Every image that docker-compose.yml and the Dockerfile need from a registry. */
export const imagesNeeded = async (): Promise<string[]> => {
  const ofServices = Object.values(compose.services).map(({ image }) => image)
  const all = new Set([...ofServices, ...(await fromImages())])
  return [...all].filter(image => !image.startsWith('arden:')).sort()
}

/** Builds the stand-in of each image under the tag of the official one. */
export const buildStandIns = async (say: (line: string) => void): Promise<void> => {
  await buildBase()
  for (const image of await imagesNeeded()) {
    const [name = '', tag = ''] = image.split(':')
    const standIn = STAND_INS[name]
    if (standIn === undefined) throw new Error(`There is no stand-in for ${image}.`)
    await buildStandIn(image, standIn.dockerfile, await standIn.files(tag))
    say(`stand-in for ${image}`)
  }
}

const buildStandIn = async (image: string, dockerfile: string, files: Record<string, string>) => {
  const context = await mkdtemp(join(tmpdir(), 'arden-stand-in-'))
  try {
    await cp(
      join(import.meta.dir, 'images', `${dockerfile}.Dockerfile`),
      join(context, 'Dockerfile'),
    )
    for (const [name, file] of Object.entries(files))
      await cp(file, join(context, name), { recursive: true, verbatimSymlinks: true })
    // The classic builder needs no plugin of the client.
    await Bun.$`docker build --quiet --tag ${image} ${context}`
      .env({ ...process.env, DOCKER_BUILDKIT: '0' })
      .quiet()
  } finally {
    await rm(context, { recursive: true })
  }
}
