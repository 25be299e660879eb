import { Frame } from '../kit/page'

export const Page = () => <Frame title="Articles">{null}</Frame>
