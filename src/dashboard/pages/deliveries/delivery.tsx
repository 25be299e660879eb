import { Frame } from '../kit/page'

export const Page = () => <Frame title="Delivery">{null}</Frame>
