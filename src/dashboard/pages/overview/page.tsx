import { Frame } from '../kit/page'

export const Page = () => <Frame title="Overview">{null}</Frame>
