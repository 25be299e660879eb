import { Frame } from '../kit/page'

export const Page = () => <Frame title="Generation">{null}</Frame>
