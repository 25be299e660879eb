import { Elysia, t } from 'elysia'
import { type Change, withChanges } from '../../http/change'
import { checkIfMatch, withEtag } from '../../http/etag'
import { ifMatchHeader } from '../../http/openapi/headers'
import { operation } from '../../http/openapi/operation'
import type { Read } from '../../http/read'
import { withCaller } from '../../http/request/caller'
import {
  createdBetweenQuery,
  pageQuery,
  searchQuery,
  toListResponse,
  toPageRequest,
} from '../../http/request/paging'
import { DeletedRecord, EmptyBody, ListResponse, RecordResponse } from '../../http/schema'
import { deleteProject } from './deletion'
import { NewProject, Project, ProjectChanges } from './schema'
import { createProject, getProject, listProjects, updateProject } from './store'

const tags: [string] = ['Projects']

export const projectRoutes = ({ read, change }: { read: Read; change: Change }) =>
  new Elysia()
    .use(withCaller)
    .use(withChanges)
    .post('/projects', ctx => change(ctx, 201, tx => createProject(tx, ctx.caller, ctx.body)), {
      changes: ['projects'],
      body: NewProject,
      detail: operation({
        operationId: 'createProject',
        summary: 'Create a project',
        tags,
        success: { status: 201, description: 'The project.', schema: RecordResponse(Project) },
      }),
    })
    .get(
      '/projects',
      async ({ caller, query }) =>
        toListResponse(
          await read(caller, sql => listProjects(sql, caller, query, toPageRequest(query))),
        ),
      {
        query: t.Object({
          ...pageQuery('prj'),
          ...createdBetweenQuery,
          ...searchQuery('`name` or `domain`'),
        }),
        detail: operation({
          operationId: 'listProjects',
          summary: 'List projects',
          tags,
          success: { status: 200, description: 'Newest first.', schema: ListResponse(Project) },
        }),
      },
    )
    .get(
      '/projects/:id',
      async ({ caller, params, set }) =>
        withEtag(set, { data: await read(caller, sql => getProject(sql, caller, params.id)) }),
      {
        detail: operation({
          operationId: 'getProject',
          summary: 'Get a project',
          tags,
          hasEtag: true,
          success: { status: 200, description: 'The project.', schema: RecordResponse(Project) },
          errors: ['NOT_FOUND'],
        }),
      },
    )
    .patch(
      '/projects/:id',
      async ctx =>
        withEtag(
          ctx.set,
          await change(ctx, 200, tx =>
            updateProject(tx, ctx.caller, ctx.params.id, ctx.body, checkIfMatch(ctx.request)),
          ),
        ),
      {
        changes: ['projects'],
        body: ProjectChanges,
        detail: operation({
          operationId: 'updateProject',
          summary: 'Change a project',
          tags,
          hasEtag: true,
          requestHeaders: ifMatchHeader,
          success: {
            status: 200,
            description: 'The changed project.',
            schema: RecordResponse(Project),
          },
          errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        }),
      },
    )
    .delete(
      '/projects/:id',
      ctx =>
        change(ctx, 200, tx =>
          deleteProject(tx, ctx.caller, ctx.params.id, checkIfMatch(ctx.request)),
        ),
      {
        changes: ['projects', 'keywords', 'rankings', 'articles', 'generations', 'deliveries'],
        body: EmptyBody,
        detail: operation({
          operationId: 'deleteProject',
          summary: 'Delete a project and its records',
          description:
            'Hidden at once with its articles and keywords. `article.deleted` follows for each article.',
          tags,
          requestHeaders: ifMatchHeader,
          success: {
            status: 200,
            description: 'It is deleted.',
            schema: RecordResponse(DeletedRecord),
          },
          errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
        }),
      },
    )
