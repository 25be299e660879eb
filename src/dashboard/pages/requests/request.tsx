import { Link, useParams } from '@tanstack/react-router'
import type { FailedRequest } from '../../../requests/schema'
import { useRecord } from '../api/queries'
import { Badge } from '../kit/controls/badge'
import { Code } from '../kit/controls/copy'
import { exactTime } from '../kit/controls/time'
import { Back } from '../kit/layout/back'
import { Skeleton } from '../kit/layout/empty'
import { Card, Facts, Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { INLINE_LINK } from '../kit/link'
import { useMode } from '../mode'
import { StatusBadge } from './columns'

export const Page = () => {
  const mode = useMode()
  const { id = '' } = useParams({ strict: false })
  const { data, error, refetch } = useRecord<FailedRequest>('requests', `/requests/${id}`)
  return (
    <Frame
      title={data === undefined ? 'Failed request' : `${data.method} ${data.path}`}
      back={
        <Back to="/$mode/requests" params={{ mode }}>
          Request log
        </Back>
      }
    >
      <Problem error={error} onRetry={refetch} className="mb-4" />
      {data === undefined ? (
        error === null && (
          <Card>
            <Skeleton />
          </Card>
        )
      ) : (
        <div className="space-y-4">
          <Card title="Response">
            <div className="p-4">
              <Facts
                of={[
                  ['Status', <StatusBadge key="status" of={data.status} />],
                  ['Error', <code key="error">{data.error}</code>],
                  ['Message', data.message],
                  ['Duration', `${data.duration_ms} ms`],
                  [
                    'Request ID',
                    <Code key="id" wrap>
                      {data.request_id}
                    </Code>,
                  ],
                ]}
              />
            </div>
          </Card>
          <Card title="Request">
            <div className="p-4">
              <Facts
                of={[
                  ['Time', exactTime(data.created_at)],
                  ['Method', data.method],
                  [
                    'Path',
                    <Code key="path" wrap>
                      {data.path}
                    </Code>,
                  ],
                  ['Route', data.route ?? 'none: no route has this path'],
                  ['Made by', <Actor key="actor" of={data.actor} />],
                  ['IP address', data.address],
                ]}
              />
              <p className="mt-4 text-sm text-muted">
                Arden does not keep the query, the headers or the body of a request.
              </p>
            </div>
          </Card>
        </div>
      )}
    </Frame>
  )
}

const Actor = ({ of: { type, id, name } }: { of: FailedRequest['actor'] }) => {
  const mode = useMode()
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5 break-all">
      {name}
      {type === 'key' && (
        <>
          <Badge>API key</Badge>
          <Link to="/$mode/requests" params={{ mode }} search={{ key: id }} className={INLINE_LINK}>
            Failed requests of this key
          </Link>
        </>
      )}
    </span>
  )
}
