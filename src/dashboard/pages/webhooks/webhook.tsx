import { Frame } from '../kit/page'

export const Page = () => <Frame title="Webhook">{null}</Frame>
