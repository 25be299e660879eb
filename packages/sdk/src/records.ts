import type { components } from './generated.js'

/** The records of the API. */
type Records = components['schemas']

export type ApiKey = Records['ApiKey']
export type ApiKeyWithValue = Records['ApiKeyWithValue']
export type Article = Records['Article']
export type ArticleVersion = Records['ArticleVersion']
export type ArticleVersionDetail = Records['ArticleVersionDetail']
export type Attempt = Records['Attempt']
export type Delivery = Records['Delivery']
export type DeliveryDetail = Records['DeliveryDetail']
export type Event = Records['Event']
export type EventDetail = Records['EventDetail']
export type Generation = Records['Generation']
export type GenerationDetail = Records['GenerationDetail']
export type Keyword = Records['Keyword']
export type Project = Records['Project']
export type Ranking = Records['Ranking']
export type RankRun = Records['RankRun']
export type Usage = Records['Usage']
export type Webhook = Records['Webhook']
export type WebhookWithSecret = Records['WebhookWithSecret']
