import { toMarkdown } from './front-matter'
import { toHtml } from './html'
import type { ExportFormat } from './limits'
import type { ExportedArticle } from './store'

export const CONTENT_TYPES: { readonly [format in ExportFormat]: string } = {
  markdown: 'text/markdown',
  html: 'text/html',
}

/** The content of an article's file. */
export const toText = (article: ExportedArticle, format: ExportFormat): string =>
  format === 'html' ? toHtml(article) : toMarkdown(article)
