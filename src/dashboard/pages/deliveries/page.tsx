import { Frame } from '../kit/page'

export const Page = () => <Frame title="Deliveries">{null}</Frame>
