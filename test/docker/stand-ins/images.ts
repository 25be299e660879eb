import { dirname, join } from 'node:path'
import { findPostgresBinaries } from '../../../src/local/postgres/binaries'
import { findTemporal } from '../../../src/local/temporal/find'
import { temporalPrograms } from '../../support/operations/temporal-server'
import { buildProgram, moduleFolder } from './programs'

/** A stand-in: its Dockerfile in `images/`, and the files beside it, by name, that are built or found for its tag. */
type StandIn = { dockerfile: string; files: (tag: string) => Promise<Record<string, string>> }

/** The one program of a module whose version is the tag of the image. */
const program = (name: string, module: string, folder: string) => async (tag: string) => ({
  [name]: await buildProgram(name, `${module}@v${tag.replace('v', '')}`, folder),
})

/** Prometheus 3.13.3 is version 0.313.3 of its module. */
const prometheusVersion = (tag: string) => {
  const [major, minor, patch] = tag.replace('v', '').split('.').map(Number)
  return `v0.${Number(major) * 100 + Number(minor)}.${patch}`
}

/** By the name of the official image. */
export const STAND_INS: Record<string, StandIn> = {
  postgres: {
    dockerfile: 'postgres',
    files: async () => ({
      native: join(dirname((await findPostgresBinaries()).postgres), '..'),
      'postgres-entrypoint.sh': join(import.meta.dir, 'images/postgres-entrypoint.sh'),
    }),
  },
  'temporalio/server': {
    dockerfile: 'temporal-server',
    files: async tag => ({
      'temporal-server': join(await temporalPrograms(), 'temporal-server'),
      'entrypoint.sh': join(
        await moduleFolder(`go.temporal.io/server@v${tag}`),
        'docker/scripts/sh/entrypoint.sh',
      ),
    }),
  },
  'temporalio/admin-tools': {
    dockerfile: 'temporal-admin-tools',
    files: async () => ({
      'temporal-sql-tool': join(await temporalPrograms(), 'temporal-sql-tool'),
      temporal: await findTemporal(() => {}),
    }),
  },
  'temporalio/ui': {
    dockerfile: 'temporal-ui',
    files: async tag => {
      const module = `github.com/temporalio/ui-server/v2@v${tag}`
      const sources = await moduleFolder(module)
      return {
        'ui-server': await buildProgram('ui-server', module, './cmd/server'),
        'start-ui-server.sh': join(sources, 'docker/start-ui-server.sh'),
        'docker.yaml': join(sources, 'config/docker.yaml'),
      }
    },
  },
  'oven/bun': { dockerfile: 'bun', files: async () => ({ bun: process.execPath }) },
  'gcr.io/distroless/cc-debian13': { dockerfile: 'distroless', files: async () => ({}) },
  caddy: {
    dockerfile: 'caddy',
    files: program('caddy', 'github.com/caddyserver/caddy/v2', './cmd/caddy'),
  },
  'prom/prometheus': {
    dockerfile: 'prometheus',
    files: async tag => ({
      prometheus: await buildProgram(
        'prometheus',
        `github.com/prometheus/prometheus@${prometheusVersion(tag)}`,
        './cmd/prometheus',
        // Without the service discovery of clouds, which is most of its code.
        ['-tags=remove_all_sd,enable_dns_sd'],
      ),
    }),
  },
  'prom/alertmanager': {
    dockerfile: 'alertmanager',
    files: program('alertmanager', 'github.com/prometheus/alertmanager', './cmd/alertmanager'),
  },
  'prom/node-exporter': {
    dockerfile: 'node-exporter',
    files: program('node_exporter', 'github.com/prometheus/node_exporter', '.'),
  },
  'prom/blackbox-exporter': {
    dockerfile: 'blackbox-exporter',
    files: async tag => {
      const module = `github.com/prometheus/blackbox_exporter@${tag}`
      return {
        blackbox_exporter: await buildProgram('blackbox_exporter', module, '.'),
        'blackbox.yml': join(await moduleFolder(module), 'blackbox.yml'),
      }
    },
  },
  'grafana/grafana': { dockerfile: 'grafana', files: async () => ({}) },
}
