import { Frame } from '../kit/page'

export const Page = () => <Frame title="Webhooks">{null}</Frame>
