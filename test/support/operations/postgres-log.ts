import pino from 'pino'

/** A log, and the messages of its warnings and infos about PostgreSQL. */
export const capturePostgresLog = () => {
  const warnings: string[] = []
  const infos: string[] = []
  const write = (line: string) => {
    const { level, msg } = JSON.parse(line)
    if (msg.startsWith('Postgres:')) (level === 40 ? warnings : infos).push(msg)
  }
  return { log: pino({ level: 'info' }, { write }), warnings, infos }
}
